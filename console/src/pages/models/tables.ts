/** Models and tables of the server: one into the other, and their difference. */
import type { TableDescription } from '../../aws/operations.ts';
import { JsonNumber, type Json, type JsonObject } from '../../values/json.ts';
import { type Item, typeOf } from '../../values/types.ts';
import { emptyObject, indexTree, type KeyAttribute, type ModelIndex, type ModelKeys, type ModelTable, newTable, setAttributes, withMember } from './file.ts';

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
  const schema: KeySchema[] = [{ AttributeName: keys.partition.name, KeyType: 'HASH' }];
  if (keys.sort) schema.push({ AttributeName: keys.sort.name, KeyType: 'RANGE' });
  return schema;
}

/** What an INCLUDE projection names beside keys: keys are projected anyway, and CreateTable refuses them. */
export function includedBesideKeys(table: ModelTable, index: ModelIndex): string[] {
  const keys = new Set([table.keys, index.keys].flatMap((each) => [each.partition.name, each.sort?.name]));
  return [...new Set(index.included)].filter((each) => !keys.has(each));
}

function projectionOf(table: ModelTable, index: ModelIndex): { ProjectionType: string; NonKeyAttributes?: string[] } {
  if (index.projection !== 'INCLUDE') return { ProjectionType: index.projection };
  const names = includedBesideKeys(table, index);
  return names.length ? { ProjectionType: 'INCLUDE', NonKeyAttributes: names } : { ProjectionType: 'KEYS_ONLY' };
}

/** The request that makes a model's table, under its own name or another. */
export function createTableInput(table: ModelTable, name = table.name): CreateTableInput {
  const definitions = new Map<string, 'S' | 'N' | 'B'>();
  for (const keys of [table.keys, ...table.indexes.map((each) => each.keys)]) {
    for (const key of [keys.partition, keys.sort]) if (key && !definitions.has(key.name)) definitions.set(key.name, key.type);
  }
  const units = table.billing === 'PROVISIONED' ? { ReadCapacityUnits: Number(table.capacity?.read ?? 1), WriteCapacityUnits: Number(table.capacity?.write ?? 1) } : undefined;
  return {
    TableName: name,
    AttributeDefinitions: [...definitions].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: keySchema(table.keys),
    BillingMode: table.billing,
    ...(units && { ProvisionedThroughput: units }),
    ...(table.indexes.length && {
      GlobalSecondaryIndexes: table.indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index.keys),
        Projection: projectionOf(table, index),
        ...(units && { ProvisionedThroughput: units }),
      })),
    }),
  };
}

interface Found {
  table: JsonObject;
  /** What a model cannot say. */
  warnings: string[];
}

function keysFrom(description: TableDescription, schema: { AttributeName?: string; KeyType?: string }[] | undefined): ModelKeys | undefined {
  const typed = (type: string): KeyAttribute[] =>
    (schema ?? [])
      .filter((each) => each.KeyType === type)
      .map((each) => ({
        name: each.AttributeName!,
        type: (description.AttributeDefinitions?.find((one) => one.AttributeName === each.AttributeName)?.AttributeType ?? 'S') as KeyAttribute['type'],
      }));
  const [partition, ...more] = typed('HASH');
  const [sort, ...others] = typed('RANGE');
  return !partition || more.length || others.length ? undefined : { partition, sort };
}

/** A table of the server as a model's table, with these items as its sample data. */
export function tableFrom(description: TableDescription, items: Item[]): Found {
  const name = description.TableName!;
  const warnings: string[] = [];
  const keys = keysFrom(description, description.KeySchema);
  if (!keys) return { table: newTable(name, { partition: { name: '', type: 'S' } }), warnings: [`${name} has keys of several attributes, which a model cannot say.`] };
  const indexes: JsonObject[] = [];
  const indexKeys = new Map<string, string>();
  for (const index of description.GlobalSecondaryIndexes ?? []) {
    const found = keysFrom(description, index.KeySchema);
    if (!found) {
      warnings.push(`Index ${index.IndexName} of ${name} has keys of several attributes, which a model cannot say. It is left out.`);
      continue;
    }
    for (const key of [found.partition, found.sort]) if (key) indexKeys.set(key.name, key.type);
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
  const own = new Set([keys.partition.name, keys.sort?.name]);
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
}

const NONE = '–';
const keysText = (keys: ModelKeys | undefined) => (keys ? [keys.partition, keys.sort].filter((each) => each !== undefined).map((each) => `${each.name} (${each.type})`).join(', ') : 'several attributes');

function projectionText(projection: { ProjectionType?: string; NonKeyAttributes?: string[] } | undefined): string {
  if (projection?.ProjectionType === 'INCLUDE') return `keys and ${[...(projection.NonKeyAttributes ?? [])].sort().join(', ')}`;
  return projection?.ProjectionType === 'KEYS_ONLY' ? 'keys' : 'all attributes';
}

/** What differs between a model's table and the server's; the server may have none. */
export function differences(table: ModelTable, description: TableDescription | undefined): Difference[] {
  if (!description) return [{ what: `Table ${table.name}`, model: 'there', server: NONE }];
  const found: Difference[] = [];
  const compare = (what: string, model: string, server: string) => {
    if (model !== server) found.push({ what, model, server });
  };
  compare('Keys', keysText(table.keys), keysText(keysFrom(description, description.KeySchema)));
  compare('Capacity', table.billing, description.BillingModeSummary?.BillingMode ?? 'PROVISIONED');
  const theirs = new Map((description.GlobalSecondaryIndexes ?? []).map((each) => [each.IndexName!, each]));
  for (const index of table.indexes) {
    const other = theirs.get(index.name);
    theirs.delete(index.name);
    if (!other) {
      found.push({ what: `Index ${index.name}`, model: keysText(index.keys), server: NONE });
      continue;
    }
    compare(`Index ${index.name}: keys`, keysText(index.keys), keysText(keysFrom(description, other.KeySchema)));
    compare(`Index ${index.name}: projection`, projectionText(projectionOf(table, index)), projectionText(other.Projection));
  }
  for (const [name, index] of theirs) found.push({ what: `Index ${name}`, model: NONE, server: keysText(keysFrom(description, index.KeySchema)) });
  for (const index of description.LocalSecondaryIndexes ?? []) found.push({ what: `Local index ${index.IndexName}`, model: NONE, server: 'there' });
  return found;
}
