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

export interface ModelKeys {
  partition: KeyAttribute;
  sort?: KeyAttribute;
}

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

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const objects = (value: Json | undefined): JsonObject[] => list(value).filter(isObject);

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

function keysOf(json: Json | undefined, at: string): ModelKeys {
  if (!isObject(json)) throw new ModelError(`“${at}” is missing.`);
  const read = (value: Json | undefined, where: string): KeyAttribute => {
    const name = isObject(value) ? text(value.AttributeName) : '';
    if (!isObject(value) || !name) throw new ModelError(`“${where}.AttributeName” is missing.`);
    const type = text(value.AttributeType) || 'S';
    if (type !== 'S' && type !== 'N' && type !== 'B') throw new ModelError(`“${where}.AttributeType” is ${JSON.stringify(type)}; a key is S, N or B.`);
    return { name, type };
  };
  const sort = json.SortKey;
  const given = isObject(sort) && Object.keys(sort).length > 0;
  return { partition: read(json.PartitionKey, `${at}.PartitionKey`), sort: given ? read(sort, `${at}.SortKey`) : undefined };
}

function indexOf(json: JsonObject, at: string): ModelIndex {
  const name = text(json.IndexName);
  if (!name) throw new ModelError(`“${at}.IndexName” is missing.`);
  const projection = isObject(json.Projection) ? json.Projection : emptyObject();
  const type = text(projection.ProjectionType);
  return {
    name,
    keys: keysOf(json.KeyAttributes, `${at}.KeyAttributes`),
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
  for (const key of [keys.partition, keys.sort]) {
    if (!key) continue;
    const value = item[key.name];
    if (!value) return `the key attribute ${JSON.stringify(key.name)} is missing`;
    if (!(key.type in value)) return `the key attribute ${JSON.stringify(key.name)} must be of type ${key.type}`;
  }
  return undefined;
}

const pictureKeys = (keys: ModelKeys) => ({ partition: [keys.partition.name], sort: keys.sort ? [keys.sort.name] : [] });

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

// --- edits: each returns a new tree and leaves the old one as it is ---

/** A copy with one member set; a new one comes last, undefined removes it. */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const result = emptyObject();
  for (const each of Object.keys(object)) if (each !== name || value !== undefined) result[each] = each === name ? value! : object[each]!;
  if (!(name in object) && value !== undefined) result[name] = value;
  return result;
}

export function withTable(model: Model, place: number, change: (table: JsonObject) => JsonObject | undefined): Model {
  const tables = list(model.tree.DataModel).flatMap((each, index) => (index === place ? (change(each as JsonObject) ?? []) : [each]));
  return modelOf(withMember(model.tree, 'DataModel', tables));
}

export function renamed(model: Model, name: string): Model {
  return modelOf(withMember(model.tree, 'ModelName', name));
}

export function withNewTable(model: Model, table: JsonObject): Model {
  return modelOf(withMember(model.tree, 'DataModel', [...list(model.tree.DataModel), table]));
}

export function newModel(name: string, tables: JsonObject[], now: Date): Model {
  const date = modelDate(now);
  return modelOf(
    emptyObject([
      ['ModelName', name],
      ['ModelMetadata', emptyObject([['Author', ''], ['DateCreated', date], ['DateLastModified', date], ['Description', ''], ['AWSService', 'Amazon DynamoDB'], ['Version', '3.0']])],
      ['DataModel', tables],
    ]),
  );
}

const attribute = (each: { name: string; type: string }) => emptyObject([['AttributeName', each.name], ['AttributeType', each.type]]);

/** Key attributes, with what the file had there beside them. */
export function keyTree(keys: ModelKeys, before?: Json): JsonObject {
  const old = isObject(before) ? before : emptyObject();
  const merge = (name: string, key: KeyAttribute) => {
    const known = isObject(old[name]) ? old[name] : emptyObject();
    return withMember(withMember(known, 'AttributeName', key.name), 'AttributeType', key.type);
  };
  const result = withMember(old, 'PartitionKey', merge('PartitionKey', keys.partition));
  return withMember(result, 'SortKey', keys.sort ? merge('SortKey', keys.sort) : undefined);
}

export function indexTree(index: ModelIndex, before?: JsonObject): JsonObject {
  const old = before ?? emptyObject();
  let projection = withMember(isObject(old.Projection) ? old.Projection : emptyObject(), 'ProjectionType', index.projection);
  projection = withMember(projection, 'NonKeyAttributes', index.projection === 'INCLUDE' ? index.included : undefined);
  let result = withMember(old, 'IndexName', index.name);
  result = withMember(result, 'KeyAttributes', keyTree(index.keys, old.KeyAttributes));
  return withMember(result, 'Projection', projection);
}

export function facetTree(facet: Omit<ModelFacet, 'items'>, before?: JsonObject): JsonObject {
  const old = before ?? emptyObject([['DataAccess', emptyObject([['MySql', emptyObject()]])]]);
  let alias = withMember(isObject(old.KeyAttributeAlias) ? old.KeyAttributeAlias : emptyObject(), 'PartitionKeyAlias', facet.partitionAlias);
  alias = withMember(alias, 'SortKeyAlias', facet.sortAlias || undefined);
  let result = withMember(old, 'FacetName', facet.name);
  result = withMember(result, 'KeyAttributeAlias', alias);
  return withMember(result, 'NonKeyAttributes', facet.attributes);
}

export function setAttributes(table: JsonObject, attributes: { name: string; type: TypeTag }[]): JsonObject {
  const known = new Map(objects(table.NonKeyAttributes).map((each) => [text(each.AttributeName), each]));
  return withMember(table, 'NonKeyAttributes', attributes.map((each) => withMember(known.get(each.name) ?? attribute(each), 'AttributeType', each.type)));
}

/** Sets lists such as GlobalSecondaryIndexes; an empty one that was absent stays absent. */
export function setList(table: JsonObject, name: string, values: JsonObject[]): JsonObject {
  return values.length || name in table ? withMember(table, name, values) : table;
}

/**
 * Puts an item in place of the one with the key `before`, wherever the file has it: in the table's data, in facets'.
 * Without `before` it is added to the table's data; without `item` the old one goes.
 */
export function setItem(table: JsonObject, shape: PictureTable, before: string | undefined, item: Item | undefined): JsonObject {
  const idOfJson = (json: Json): string | undefined => {
    try {
      return idOf(sampleItem(json), shape);
    } catch {
      return undefined;
    }
  };
  const fresh = item && idOf(item, shape);
  let found = false;
  const change = (data: Json[]): Json[] =>
    data.flatMap((each) => {
      const id = idOfJson(each);
      if (id === undefined || (id !== before && id !== fresh)) return [each];
      if (id === before) {
        found = true;
        return item ? [item as unknown as Json] : [];
      }
      // Another item with the new key gives way.
      if (before === undefined && item) {
        found = true;
        return [item as unknown as Json];
      }
      return [];
    });
  let result = table;
  if (Array.isArray(table.TableData)) result = withMember(result, 'TableData', change(table.TableData));
  if (Array.isArray(table.TableFacets)) {
    const facets = table.TableFacets.map((facet) => (isObject(facet) && Array.isArray(facet.TableData) ? withMember(facet, 'TableData', change(facet.TableData)) : facet));
    result = withMember(result, 'TableFacets', facets);
  }
  if (item && !found) result = withMember(result, 'TableData', [...list(result.TableData), item as unknown as Json]);
  return result;
}

export function newTable(name: string, keys: ModelKeys): JsonObject {
  return emptyObject([
    ['TableName', name],
    ['KeyAttributes', keyTree(keys)],
    ['NonKeyAttributes', []],
    ['TableFacets', []],
    ['GlobalSecondaryIndexes', []],
    ['TableData', []],
    ['DataAccess', emptyObject([['MySql', emptyObject()]])],
    ['SampleDataFormats', emptyObject()],
    ['BillingMode', 'PAY_PER_REQUEST'],
  ]);
}
