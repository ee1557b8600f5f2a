/** Models and tables of the server: one into the other, and their difference. */
import type { TableDescription } from '../../aws/operations.ts';
import { JsonNumber, type Json, type JsonObject } from '../../values/json.ts';
import { type Item, typeOf } from '../../values/types.ts';
import { definitions } from '../tables/form.ts';
import { applyDraft, draftOf } from './draft.ts';
import { indexTree, newTable, setAttributes } from './edit.ts';
import { allKeys, emptyObject, type KeyAttribute, type ModelIndex, type ModelKeys, type ModelTable, withMember } from './file.ts';

interface KeySchema {
  AttributeName: string;
  KeyType: 'HASH' | 'RANGE';
}

export interface CreateTableInput {
  TableName: string;
  AttributeDefinitions: { AttributeName: string; AttributeType: 'S' | 'N' | 'B' }[];
  KeySchema: KeySchema[];
  BillingMode: 'PROVISIONED' | 'PAY_PER_REQUEST';
  ProvisionedThroughput?: { ReadCapacityUnits: number; WriteCapacityUnits: number };
  GlobalSecondaryIndexes?: {
    IndexName: string;
    KeySchema: KeySchema[];
    Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
    ProvisionedThroughput?: { ReadCapacityUnits: number; WriteCapacityUnits: number };
  }[];
}

function keySchema(keys: ModelKeys): KeySchema[] {
  return [...keys.partition.map(({ name }) => ({ AttributeName: name, KeyType: 'HASH' as const })), ...keys.sort.map(({ name }) => ({ AttributeName: name, KeyType: 'RANGE' as const }))];
}

/** What an INCLUDE projection names beside keys: keys are projected anyway, and CreateTable refuses them. */
export function includedBesideKeys(table: ModelTable, index: ModelIndex): string[] {
  const keys = new Set([table.keys, index.keys].flatMap(allKeys).map((each) => each.name));
  return [...new Set(index.included)].filter((each) => !keys.has(each));
}

function projectionOf(table: ModelTable, index: ModelIndex): { ProjectionType: string; NonKeyAttributes?: string[] } {
  if (index.projection !== 'INCLUDE') return { ProjectionType: index.projection };
  const names = includedBesideKeys(table, index);
  return names.length ? { ProjectionType: 'INCLUDE', NonKeyAttributes: names } : { ProjectionType: 'KEYS_ONLY' };
}

const unitsOf = (table: ModelTable) =>
  table.billing === 'PROVISIONED' ? { ReadCapacityUnits: Number(table.capacity?.read ?? 1), WriteCapacityUnits: Number(table.capacity?.write ?? 1) } : undefined;

function indexInput(table: ModelTable, index: ModelIndex) {
  const units = unitsOf(table);
  return { IndexName: index.name, KeySchema: keySchema(index.keys), Projection: projectionOf(table, index), ...(units && { ProvisionedThroughput: units }) };
}

/** The request that makes a model's table, under its own name or another. */
export function createTableInput(table: ModelTable, name = table.name): CreateTableInput {
  const units = unitsOf(table);
  return {
    TableName: name,
    AttributeDefinitions: definitions([table.keys, ...table.indexes.map((each) => each.keys)].flatMap(allKeys)),
    KeySchema: keySchema(table.keys),
    BillingMode: table.billing,
    ...(units && { ProvisionedThroughput: units }),
    ...(table.indexes.length && { GlobalSecondaryIndexes: table.indexes.map((index) => indexInput(table, index)) }),
  };
}

interface Made {
  table: JsonObject;
  /** What a model cannot say. */
  warnings: string[];
}

function keysFrom(description: TableDescription, schema: { AttributeName?: string; KeyType?: string }[] | undefined): ModelKeys {
  const typed = (type: string): KeyAttribute[] =>
    (schema ?? [])
      .filter((each) => each.KeyType === type)
      .map((each) => ({
        name: each.AttributeName!,
        type: (description.AttributeDefinitions?.find((one) => one.AttributeName === each.AttributeName)?.AttributeType ?? 'S') as KeyAttribute['type'],
      }));
  return { partition: typed('HASH'), sort: typed('RANGE') };
}

/** A table of the server as a model's table, with these items as its sample data. */
export function tableFrom(description: TableDescription, items: Item[]): Made {
  const name = description.TableName!;
  const warnings: string[] = [];
  const keys = keysFrom(description, description.KeySchema);
  const indexes: JsonObject[] = [];
  const indexKeys = new Map<string, string>();
  for (const index of description.GlobalSecondaryIndexes ?? []) {
    const found = keysFrom(description, index.KeySchema);
    for (const key of allKeys(found)) indexKeys.set(key.name, key.type);
    const type = index.Projection?.ProjectionType;
    indexes.push(
      indexTree({
        name: index.IndexName!,
        keys: found,
        projection: type === 'KEYS_ONLY' || type === 'INCLUDE' ? type : 'ALL',
        included: index.Projection?.NonKeyAttributes ?? [],
      }),
    );
  }
  for (const index of description.LocalSecondaryIndexes ?? []) {
    warnings.push(`Local index ${index.IndexName} of ${name} is left out: models have no local indexes.`);
  }
  for (const index of description.VectorIndexes ?? []) warnings.push(`Vector index ${index.IndexName} of ${name} is left out: models have no vector indexes.`);
  const own = new Set(allKeys(keys).map((each) => each.name));
  const types = new Map<string, string>(indexKeys);
  for (const item of items) for (const attribute in item) if (!types.has(attribute)) types.set(attribute, typeOf(item[attribute]!));
  let table = newTable(name, keys);
  table = setAttributes(table, [...types].filter(([each]) => !own.has(each)).map(([each, type]) => ({ name: each, type: type as 'S' })));
  table = withMember(table, 'GlobalSecondaryIndexes', indexes);
  table = withMember(table, 'TableData', items as unknown as Json[]);
  const units = description.ProvisionedThroughput;
  if (description.BillingModeSummary?.BillingMode !== 'PAY_PER_REQUEST' && units?.ReadCapacityUnits) {
    table = withMember(table, 'BillingMode', 'PROVISIONED');
    const throughput = emptyObject([
      ['ReadCapacityUnits', new JsonNumber(String(units.ReadCapacityUnits))],
      ['WriteCapacityUnits', new JsonNumber(String(units.WriteCapacityUnits ?? 1))],
    ]);
    table = withMember(table, 'ProvisionedCapacitySettings', emptyObject([['ProvisionedThroughput', throughput]]));
  }
  return { table, warnings };
}

export interface Difference {
  what: string;
  model: string;
  server: string;
  /** The UpdateTable that makes the server like the model. */
  update?: Record<string, unknown>;
  /** The server's index that would have to go first, or that the model lacks. */
  index?: string;
  /** Why nothing can be applied. */
  why?: string;
}

const NONE = '–';
const keyNames = (keys: KeyAttribute[]) => keys.map((each) => `${each.name} (${each.type})`).join(' + ');
const keysText = ({ partition, sort }: ModelKeys) => keyNames(partition) + (sort.length ? `, sorted by ${keyNames(sort)}` : '');

function projectionText(projection: { ProjectionType?: string; NonKeyAttributes?: string[] } | undefined): string {
  if (projection?.ProjectionType === 'INCLUDE') return `keys and ${[...(projection.NonKeyAttributes ?? [])].sort().join(', ')}`;
  return projection?.ProjectionType === 'KEYS_ONLY' ? 'keys' : 'all attributes';
}

type Units = { ReadCapacityUnits?: number; WriteCapacityUnits?: number } | undefined;

const capacityText = (units: Units) => (units ? `provisioned: ${units.ReadCapacityUnits} read, ${units.WriteCapacityUnits} write units a second` : 'on demand');
const serverUnits = (description: TableDescription): Units => (description.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? undefined : description.ProvisionedThroughput);

function capacityUpdate(table: ModelTable, description: TableDescription): Record<string, unknown> {
  const units = unitsOf(table);
  if (!units) return { BillingMode: 'PAY_PER_REQUEST' };
  // The server wants units for each index when a table leaves on demand.
  const indexes = serverUnits(description) ? [] : (description.GlobalSecondaryIndexes ?? []);
  return {
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: units,
    ...(indexes.length && { GlobalSecondaryIndexUpdates: indexes.map((each) => ({ Update: { IndexName: each.IndexName, ProvisionedThroughput: units } })) }),
  };
}

/** What differs between a model's table and the server's; the server may have none. */
export function differences(table: ModelTable, description: TableDescription | undefined): Difference[] {
  if (!description) return [{ what: `Table ${table.name}`, model: 'there', server: NONE }];
  const found: Difference[] = [];
  const compare = (what: string, model: string, server: string, more: Partial<Difference>) => {
    if (model !== server) found.push({ what, model, server, ...more });
  };
  compare('Keys', keysText(table.keys), keysText(keysFrom(description, description.KeySchema)), { why: 'A table keeps its keys.' });
  compare('Capacity', capacityText(unitsOf(table)), capacityText(serverUnits(description)), { update: capacityUpdate(table, description) });
  const theirs = new Map((description.GlobalSecondaryIndexes ?? []).map((each) => [each.IndexName!, each]));
  for (const index of table.indexes) {
    const other = theirs.get(index.name);
    theirs.delete(index.name);
    if (!other) {
      const create = { AttributeDefinitions: definitions([table.keys, index.keys].flatMap(allKeys)), GlobalSecondaryIndexUpdates: [{ Create: indexInput(table, index) }] };
      found.push({ what: `Index ${index.name}`, model: keysText(index.keys), server: NONE, update: create });
      continue;
    }
    const more = { index: index.name };
    compare(`Index ${index.name}: keys`, keysText(index.keys), keysText(keysFrom(description, other.KeySchema)), more);
    compare(`Index ${index.name}: projection`, projectionText(projectionOf(table, index)), projectionText(other.Projection), more);
  }
  for (const [name, index] of theirs) found.push({ what: `Index ${name}`, model: NONE, server: keysText(keysFrom(description, index.KeySchema)), index: name });
  for (const index of description.LocalSecondaryIndexes ?? []) found.push({ what: `Local index ${index.IndexName}`, model: NONE, server: 'there', why: 'Models have no local indexes.' });
  for (const index of description.VectorIndexes ?? []) found.push({ what: `Vector index ${index.IndexName}`, model: NONE, server: 'there', why: 'Models have no vector indexes.' });
  return found;
}

/** A model's table with the keys, indexes and capacity of the server's; members that only the file has stay. */
export function likeServer(tree: JsonObject, table: ModelTable, description: TableDescription): JsonObject {
  const keys = keysFrom(description, description.KeySchema);
  const units = serverUnits(description);
  const draft = draftOf(table);
  const indexes = (description.GlobalSecondaryIndexes ?? []).map((index) => {
    const was = table.indexes.findIndex((each) => each.name === index.IndexName);
    const type = index.Projection?.ProjectionType;
    return {
      name: index.IndexName!,
      ...keysFrom(description, index.KeySchema),
      projection: type === 'KEYS_ONLY' || type === 'INCLUDE' ? type : ('ALL' as const),
      included: (index.Projection?.NonKeyAttributes ?? []).join(', '),
      was: was < 0 ? undefined : was,
    };
  });
  indexes.sort((a, b) => (a.was ?? Infinity) - (b.was ?? Infinity) || 0); // in the file's order, new ones last
  return applyDraft(
    tree,
    {
      ...draft,
      partition: keys.partition[0]!,
      sort: keys.sort[0] ?? { name: '', type: 'S' },
      billing: units ? 'PROVISIONED' : 'PAY_PER_REQUEST',
      capacity: units ? { read: String(units.ReadCapacityUnits), write: String(units.WriteCapacityUnits) } : draft.capacity,
      indexes,
    },
    table,
  );
}
