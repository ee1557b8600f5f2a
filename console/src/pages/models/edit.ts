/** Edits of a model: each returns a new tree, leaves the old one as it is, and keeps members that nobody here knows. */
import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { type Item, typeOf, type TypeTag } from '../../values/types.ts';
import { idOf, type PictureTable } from '../picture/schema.ts';
import {
  emptyObject, type KeyAttribute, list, type Model, modelDate, modelOf, type ModelFacet, type ModelIndex, type ModelKeys, MORE_KEYS, objects, sampleItem, text, withMember,
} from './file.ts';

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

/** Key attributes, with what the file had there beside them. Workbench has no form for those beyond the first. */
export function keyTree(keys: ModelKeys, before?: Json): JsonObject {
  let result = isObject(before) ? before : emptyObject();
  const merge = (key: KeyAttribute, known: Json | undefined) => withMember(withMember(isObject(known) ? known : emptyObject(), 'AttributeName', key.name), 'AttributeType', key.type);
  for (const [name, [first, ...more]] of [['PartitionKey', keys.partition], ['SortKey', keys.sort]] as const) {
    const known = list(result[MORE_KEYS[name]]);
    result = withMember(result, name, first && merge(first, result[name]));
    result = withMember(result, MORE_KEYS[name], more.length ? more.map((key, at) => merge(key, known[at])) : undefined);
  }
  return result;
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

/** `was`: the place in the file of an attribute that may have another name now. */
export function setAttributes(table: JsonObject, attributes: { name: string; type: TypeTag; was?: number }[]): JsonObject {
  const before = objects(table.NonKeyAttributes);
  const known = new Map(before.map((each) => [text(each.AttributeName), each]));
  return withMember(
    table,
    'NonKeyAttributes',
    attributes.map(({ name, type, was }) => {
      const old = (was === undefined ? undefined : before[was]) ?? known.get(name) ?? emptyObject();
      return withMember(withMember(old, 'AttributeName', name), 'AttributeType', type);
    }),
  );
}

/** Sets lists such as GlobalSecondaryIndexes; an empty one that was absent stays absent. */
export function setList(table: JsonObject, name: string, values: JsonObject[]): JsonObject {
  return values.length || name in table ? withMember(table, name, values) : table;
}

function idOfJson(json: Json, shape: PictureTable): string | undefined {
  try {
    return idOf(sampleItem(json), shape);
  } catch {
    return undefined;
  }
}

/**
 * Puts an item in place of the one with the key `before`, wherever the file has it: in the table's data, in facets'.
 * Without `before` it is added to the table's data; without `item` the old one goes.
 */
export function setItem(table: JsonObject, shape: PictureTable, before: string | undefined, item: Item | undefined): JsonObject {
  const fresh = item && idOf(item, shape);
  let found = false;
  const change = (data: Json[]): Json[] =>
    data.flatMap((each) => {
      const id = idOfJson(each, shape);
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
  return item ? listAttributes(result, shape, [item]) : result;
}

/** Adds items to the table's data; one with the key of another takes its place, wherever the file has it. */
export function addItems(table: JsonObject, shape: PictureTable, items: Item[]): JsonObject {
  const fresh = new Map(items.map((each) => [idOf(each, shape), each]));
  const placed = new Set<string>();
  const change = (each: Json): Json => {
    const id = idOfJson(each, shape);
    const item = id === undefined ? undefined : fresh.get(id);
    if (!item) return each;
    placed.add(id!);
    return item as unknown as Json;
  };
  const inData = (object: JsonObject) => (Array.isArray(object.TableData) ? withMember(object, 'TableData', object.TableData.map(change)) : object);
  let result = inData(table);
  if (Array.isArray(table.TableFacets)) result = withMember(result, 'TableFacets', table.TableFacets.map((each) => (isObject(each) ? inData(each) : each)));
  const added = [...fresh].filter(([id]) => !placed.has(id)).map(([, item]) => item as unknown as Json);
  return listAttributes(added.length ? withMember(result, 'TableData', [...list(result.TableData), ...added]) : result, shape, items);
}

/** Workbench shows the attributes that are listed: those of `items` are added. */
function listAttributes(table: JsonObject, shape: PictureTable, items: Item[]): JsonObject {
  const known = new Set([...shape.keys.partition, ...shape.keys.sort, ...objects(table.NonKeyAttributes).map((each) => text(each.AttributeName))]);
  const fresh = new Map<string, TypeTag>();
  for (const item of items) for (const name in item) if (!known.has(name) && !fresh.has(name)) fresh.set(name, typeOf(item[name]!));
  if (!fresh.size) return table;
  const added = [...fresh].map(([name, type]) => emptyObject([['AttributeName', name], ['AttributeType', type]]));
  return withMember(table, 'NonKeyAttributes', [...list(table.NonKeyAttributes), ...added]);
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
