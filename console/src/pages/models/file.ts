/**
 * NoSQL Workbench's model files. The parsed tree is kept whole, and an edit copies what it changes: members that nobody
 * here knows survive at every level, in their order.
 */
import { fromPlain, valueFromDynamoJson, ValueError } from '../../values/convert.ts';
import { isObject, type Json, JsonError, JsonNumber, type JsonObject, parseJson, printJson } from '../../values/json.ts';
import { type AttributeValue, emptyItem, type Item, TYPES, type TypeTag } from '../../values/types.ts';
import { idOf, type PictureTable } from '../picture/schema.ts';

export interface KeyAttribute {
  name: string;
  type: 'S' | 'N' | 'B';
}

/** A table has one partition key and up to one sort key; a global index has up to four of each. */
export interface ModelKeys {
  partition: KeyAttribute[];
  sort: KeyAttribute[];
}

export const allKeys = (keys: ModelKeys): KeyAttribute[] => [...keys.partition, ...keys.sort];

export interface ModelIndex {
  name: string;
  keys: ModelKeys;
  projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  included: string[];
}

export interface ModelFacet {
  name: string;
  partitionAlias: string;
  sortAlias?: string;
  attributes: string[];
  items: Item[];
}

export interface ModelTable {
  name: string;
  keys: ModelKeys;
  attributes: { name: string; type: TypeTag }[];
  indexes: ModelIndex[];
  facets: ModelFacet[];
  /** The table's data and its facets', each item once. */
  items: Item[];
  billing: 'PROVISIONED' | 'PAY_PER_REQUEST';
  capacity?: { read: string; write: string };
  /** Sample items that cannot be items of this table, and why. */
  problems: string[];
}

export interface Model {
  readonly tree: JsonObject;
  readonly name: string;
  readonly tables: ModelTable[];
}

/** Why a text is no model; the message names the member. */
export class ModelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelError';
  }
}

const VERSIONS = new Set(['1.0', '2.0', '3.0']);

export function emptyObject(entries: [string, Json][] = []): JsonObject {
  const object = Object.create(null) as JsonObject;
  for (const [name, value] of entries) object[name] = value;
  return object;
}

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
export const objects = (value: Json | undefined): JsonObject[] => list(value).filter(isObject);

/** Reads a file; throws ModelError. */
export function readModel(source: string): Model {
  let json: Json;
  try {
    json = parseJson(source.replace(/^\ufeff/, ''));
  } catch (error) {
    if (error instanceof JsonError) throw new ModelError(`This is not JSON: ${error.message}.`);
    throw error;
  }
  if (!isObject(json)) throw new ModelError('A model is a JSON object; this is something else.');
  if (!('DataModel' in json)) throw new ModelError(`There is no “DataModel” in it.${guess(json)}`);
  if (!Array.isArray(json.DataModel)) throw new ModelError('“DataModel” must be a list of tables.');
  if (!json.DataModel.length) throw new ModelError('“DataModel” is empty: the model has no table.');
  const version = isObject(json.ModelMetadata) ? text(json.ModelMetadata.Version) : '';
  if (version && !VERSIONS.has(version)) throw new ModelError(`“ModelMetadata.Version” is ${JSON.stringify(version)}; versions 1.0 to 3.0 can be read.`);
  return modelOf(json);
}

function guess(json: JsonObject): string {
  if ('models' in json && 'indexes' in json) return ' It looks like a OneTable schema.';
  if ('Resources' in json) return ' It looks like a CloudFormation template.';
  if ('Items' in json || 'Item' in json) return ' It looks like exported items: open it on the page Import.';
  if ('TableName' in json || 'Table' in json) return ' It looks like the description of one table.';
  return ' NoSQL Workbench exports models with one.';
}

/** A model of a tree whose outline is right; throws ModelError where a table has no name or key. */
export function modelOf(tree: JsonObject): Model {
  const tables = list(tree.DataModel).map((each, index) => tableOf(each, `DataModel[${index}]`));
  const names = new Set<string>();
  for (const table of tables) {
    if (names.has(table.name)) throw new ModelError(`Two tables are named ${JSON.stringify(table.name)}.`);
    names.add(table.name);
  }
  return { tree, name: text(tree.ModelName) || 'Unnamed model', tables };
}

function tableOf(json: Json, at: string): ModelTable {
  if (!isObject(json)) throw new ModelError(`“${at}” must be an object that describes a table.`);
  const name = text(json.TableName);
  if (!name) throw new ModelError(`“${at}.TableName” is missing.`);
  const keys = keysOf(json.KeyAttributes, `${at}.KeyAttributes`);
  const problems: string[] = [];
  const shape: PictureTable = { name, keys: pictureKeys(keys), indexes: [] };
  const ids = new Set<string>();
  const items: Item[] = [];
  const take = (value: Json, where: string): Item | undefined => {
    try {
      const item = sampleItem(value);
      const fault = keyFault(item, keys);
      if (fault) problems.push(`${where}: ${fault}`);
      else return item;
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      problems.push(`${where}: ${error.message}`);
    }
    return undefined;
  };
  const add = (item: Item) => {
    const id = idOf(item, shape);
    if (ids.has(id)) return;
    ids.add(id);
    items.push(item);
  };
  for (const [index, value] of list(json.TableData).entries()) {
    const item = take(value, `TableData[${index}]`);
    if (item) add(item);
  }
  const facets = objects(json.TableFacets).map((facet, place) => {
    const alias = isObject(facet.KeyAttributeAlias) ? facet.KeyAttributeAlias : emptyObject();
    const data = list(facet.TableData)
      .map((value, index) => take(value, `TableFacets[${place}].TableData[${index}]`))
      .filter((each) => each !== undefined);
    for (const item of data) add(item);
    return {
      name: text(facet.FacetName) || `Facet ${place + 1}`,
      partitionAlias: text(alias.PartitionKeyAlias),
      sortAlias: text(alias.SortKeyAlias) || undefined,
      attributes: list(facet.NonKeyAttributes).map(text).filter(Boolean),
      items: data,
    };
  });
  return {
    name,
    keys,
    attributes: objects(json.NonKeyAttributes).map((each) => ({ name: text(each.AttributeName), type: typeOr(each.AttributeType) })),
    indexes: objects(json.GlobalSecondaryIndexes).map((each, index) => indexOf(each, `${at}.GlobalSecondaryIndexes[${index}]`)),
    facets,
    items,
    billing: json.BillingMode === 'PROVISIONED' ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    capacity: capacityOf(json),
    problems,
  };
}

/**
 * An item of sample data: DynamoDB JSON, but Workbench writes what is inside of maps and lists as plain JSON, and some
 * tools write numbers without quotes. Throws ValueError.
 */
export function sampleItem(json: Json): Item {
  if (!isObject(json)) throw new ValueError('', 'An object of attributes is expected');
  const item = emptyItem();
  for (const [name, value] of Object.entries(json)) item[name] = sampleValue(value, name);
  return item;
}

function sampleValue(json: Json, at: string): AttributeValue {
  const names = isObject(json) ? Object.keys(json) : [];
  const inner = names.length === 1 ? (json as JsonObject)[names[0]!]! : undefined;
  if (names[0] === 'N' && inner instanceof JsonNumber) return valueFromDynamoJson(emptyObject([['N', inner.text]]), at);
  try {
    return valueFromDynamoJson(json, at);
  } catch (error) {
    const plain = (names[0] === 'M' && isObject(inner)) || (names[0] === 'L' && Array.isArray(inner));
    if (!(error instanceof ValueError) || !plain) throw error;
    return fromPlain(emptyObject([[at, inner!]]))[at]!;
  }
}

function typeOr(value: Json | undefined): TypeTag {
  const type = text(value) as TypeTag;
  return TYPES.includes(type) ? type : 'S';
}

/** Where a file keeps the key attributes of an index beyond the first. These members are the console's own. */
export const MORE_KEYS = { PartitionKey: 'MorePartitionKeys', SortKey: 'MoreSortKeys' } as const;
export const MOST_KEYS = 4;

function keysOf(json: Json | undefined, at: string, most = 1): ModelKeys {
  if (!isObject(json)) throw new ModelError(`“${at}” is missing.`);
  const one = (value: Json | undefined, where: string): KeyAttribute => {
    const name = isObject(value) ? text(value.AttributeName) : '';
    if (!isObject(value) || !name) throw new ModelError(`“${where}.AttributeName” is missing.`);
    const type = text(value.AttributeType) || 'S';
    if (type !== 'S' && type !== 'N' && type !== 'B') throw new ModelError(`“${where}.AttributeType” is ${JSON.stringify(type)}; a key is S, N or B.`);
    return { name, type };
  };
  const all = (first: keyof typeof MORE_KEYS): KeyAttribute[] => {
    const more = most > 1 ? list(json[MORE_KEYS[first]]) : [];
    if (more.length >= most) throw new ModelError(`“${at}.${MORE_KEYS[first]}” lists ${more.length} attributes; an index has up to ${most} partition keys and ${most} sort keys.`);
    return [one(json[first], `${at}.${first}`), ...more.map((each, place) => one(each, `${at}.${MORE_KEYS[first]}[${place}]`))];
  };
  const sort = json.SortKey;
  return { partition: all('PartitionKey'), sort: isObject(sort) && Object.keys(sort).length ? all('SortKey') : [] };
}

/** What NoSQL Workbench is not known to read in the file of this model. */
export function workbenchLimits(model: Model): string[] {
  return model.tables.flatMap((table) =>
    table.indexes
      .filter(({ keys }) => keys.partition.length > 1 || keys.sort.length > 1)
      .map((index) => `Index ${index.name} of ${table.name} has keys of several attributes. The file keeps those beyond the first as MorePartitionKeys and MoreSortKeys, which NoSQL Workbench is not known to read.`),
  );
}

function indexOf(json: JsonObject, at: string): ModelIndex {
  const name = text(json.IndexName);
  if (!name) throw new ModelError(`“${at}.IndexName” is missing.`);
  const projection = isObject(json.Projection) ? json.Projection : emptyObject();
  const type = text(projection.ProjectionType);
  return {
    name,
    keys: keysOf(json.KeyAttributes, `${at}.KeyAttributes`, MOST_KEYS),
    projection: type === 'KEYS_ONLY' || type === 'INCLUDE' ? type : 'ALL',
    included: list(projection.NonKeyAttributes).map(text).filter(Boolean),
  };
}

function capacityOf(json: JsonObject): ModelTable['capacity'] {
  const settings = isObject(json.ProvisionedCapacitySettings) ? json.ProvisionedCapacitySettings : undefined;
  const units = settings && isObject(settings.ProvisionedThroughput) ? settings.ProvisionedThroughput : undefined;
  const figure = (value: Json | undefined) => (value instanceof JsonNumber ? value.text : text(value)) || '1';
  return units && { read: figure(units.ReadCapacityUnits), write: figure(units.WriteCapacityUnits) };
}

/** What keeps an item out of a table with these keys. */
export function keyFault(item: Item, keys: ModelKeys): string | undefined {
  for (const key of allKeys(keys)) {
    const value = item[key.name];
    if (!value) return `the key attribute ${JSON.stringify(key.name)} is missing`;
    if (!(key.type in value)) return `the key attribute ${JSON.stringify(key.name)} must be of type ${key.type}`;
  }
  return undefined;
}

const namesOf = (keys: KeyAttribute[]) => keys.map((each) => each.name);
const pictureKeys = (keys: ModelKeys) => ({ partition: namesOf(keys.partition), sort: namesOf(keys.sort) });

/** A model's table for the picture; facets tell entity types. */
export function pictureOf(table: ModelTable): PictureTable {
  const shape: PictureTable = {
    name: table.name,
    keys: pictureKeys(table.keys),
    indexes: table.indexes.map((index) => ({
      name: index.name,
      keys: pictureKeys(index.keys),
      projected: index.projection === 'ALL' ? 'ALL' : index.projection === 'INCLUDE' ? index.included : [],
    })),
  };
  const facets = table.facets.filter((each) => each.items.length).map((each) => ({ name: each.name, ids: new Set(each.items.map((item) => idOf(item, shape))) }));
  return { ...shape, facets: facets.length ? facets : undefined };
}

/** The text of a file. `now` is the time of the last change, if the model was changed here. */
export function printModel(model: Model, now?: Date): string {
  const metadata = isObject(model.tree.ModelMetadata) ? model.tree.ModelMetadata : emptyObject([['AWSService', 'Amazon DynamoDB']]);
  let written = withMember(metadata, 'Version', '3.0');
  if (now) written = withMember(written, 'DateLastModified', modelDate(now));
  return `${printJson(withMember(model.tree, 'ModelMetadata', written))}\n`;
}

/** 'Oct 04, 2022, 04:05 PM', as Workbench writes times. */
export function modelDate(time: Date): string {
  const day = time.toLocaleDateString('en-US', { month: 'short', day: '2-digit', year: 'numeric' });
  return `${day}, ${time.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' })}`.replace(/\u202f/g, ' ');
}

/** A copy with one member set; a new one comes last, undefined removes it. */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const result = emptyObject();
  for (const each of Object.keys(object)) if (each !== name || value !== undefined) result[each] = each === name ? value! : object[each]!;
  if (!(name in object) && value !== undefined) result[name] = value;
  return result;
}
