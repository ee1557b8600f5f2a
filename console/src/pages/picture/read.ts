/** Reads what a picture shows: what a request reads, what its filter drops, the collections around it, other indexes. */
import { call } from '../../aws/client.ts';
import { type Item, itemSize } from '../../values/index.ts';
import { groupOf, idOf, type Keys, keysIn, type PictureTable } from './schema.ts';

export interface PictureRequest {
  operation: 'Query' | 'Scan';
  input: Record<string, unknown>;
}

export interface Reading {
  items: Item[];
  /** There is more than was read. */
  more: boolean;
  /** Ids inside the box; absent if the request has no condition. */
  read?: Set<string>;
  dropped?: Set<string>;
  readItems: number;
  readBytes: number;
  units: number;
}

const DROPPED = ['Limit', 'ExclusiveStartKey', 'ProjectionExpression', 'AttributesToGet', 'Select', 'FilterExpression', 'QueryFilter', 'ScanFilter', 'ConditionalOperator', 'ReturnConsumedCapacity'];

/** The members of an expression's names or values that the expression uses; the server refuses others. */
function used(all: unknown, expression: unknown): Record<string, unknown> | undefined {
  const tokens = new Set(String(expression ?? '').match(/[#:][A-Za-z0-9_]+/g) ?? []);
  const kept = Object.entries((all ?? {}) as Record<string, unknown>).filter(([name]) => tokens.has(name));
  return kept.length ? Object.fromEntries(kept) : undefined;
}

function withoutPaging(input: Record<string, unknown>, dropped: string[]): Record<string, unknown> {
  const result = Object.fromEntries(Object.entries(input).filter(([name, value]) => !dropped.includes(name) && value !== undefined));
  const expression = ['KeyConditionExpression', 'FilterExpression'].map((each) => result[each] ?? '').join(' ');
  for (const name of ['ExpressionAttributeNames', 'ExpressionAttributeValues']) {
    const members = used(result[name], expression);
    if (members) result[name] = members;
    else delete result[name];
  }
  return { ...result, ReturnConsumedCapacity: 'TOTAL' };
}

/** The request without its filter and paging: what it reads and pays for. */
export function keyConditionOnly(input: Record<string, unknown>): Record<string, unknown> {
  return withoutPaging(input, DROPPED);
}

/** The partition key that a key condition names, if it can be told. */
export function partitionOf(input: Record<string, unknown>, keys: Keys): Item | undefined {
  const names = (input.ExpressionAttributeNames ?? {}) as Record<string, string>;
  const values = (input.ExpressionAttributeValues ?? {}) as Item;
  const result: Item = {};
  for (const [, name, value] of String(input.KeyConditionExpression ?? '').matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g)) {
    const attribute = names[name!] ?? name!;
    if (keys.partition.includes(attribute) && values[value!]) result[attribute] = values[value!]!;
  }
  return keys.partition.every((each) => each in result) ? result : undefined;
}

interface Pages {
  items: Item[];
  units: number;
  more: boolean;
}

async function readPages(operation: 'Query' | 'Scan', input: Record<string, unknown>, limit: number, signal: AbortSignal): Promise<Pages> {
  const items: Item[] = [];
  let units = 0;
  let scanned = 0;
  let start: Item | undefined;
  do {
    const page = await call(operation as 'Query', { ...input, Limit: limit - scanned, ExclusiveStartKey: start } as never, { signal });
    items.push(...((page.Items ?? []) as Item[]));
    scanned += page.ScannedCount ?? 0;
    units += page.ConsumedCapacity?.CapacityUnits ?? 0;
    start = page.LastEvaluatedKey as Item | undefined;
  } while (start && scanned < limit);
  // A page that ends at its limit has a key to read on from, also if nothing comes behind it.
  if (start) {
    const next = await call(operation as 'Query', { ...input, Limit: 1, ExclusiveStartKey: start } as never, { signal });
    if (!next.ScannedCount) start = undefined;
  }
  return { items, units, more: start !== undefined };
}

const bytesOf = (items: Item[]) => items.reduce((sum, each) => sum + itemSize(each), 0);

/** A query of whole collections, by their partition key. */
function collectionQuery(request: PictureRequest, partition: Item): Record<string, unknown> {
  const { TableName, IndexName, ScanIndexForward, ConsistentRead } = request.input;
  const names = Object.keys(partition);
  return {
    TableName, IndexName, ScanIndexForward, ConsistentRead,
    KeyConditionExpression: names.map((_, index) => `#k${index} = :k${index}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#k${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(names.map((name, index) => [`:k${index}`, partition[name]!])),
  };
}

/** Up to `limit` items that the request reads, and of a query the rest of their collection. */
export async function readPicture(table: PictureTable, request: PictureRequest, limit: number, signal: AbortSignal): Promise<Reading> {
  const { operation, input } = request;
  const filtered = Boolean(input.FilterExpression ?? input.QueryFilter ?? input.ScanFilter);
  const all = await readPages(operation, keyConditionOnly(input), limit, signal);
  const ids = new Set(all.items.map((each) => idOf(each, table)));
  const reading: Reading = { items: all.items, more: all.more, readItems: all.items.length, readBytes: bytesOf(all.items), units: all.units };
  if (operation === 'Query' || filtered) reading.read = ids;
  if (filtered) {
    const paging = DROPPED.filter((each) => !/Filter|Conditional/.test(each));
    const matched = await readPages(operation, withoutPaging(input, paging), limit, signal);
    const kept = new Set(matched.items.map((each) => idOf(each, table)));
    reading.dropped = new Set([...ids].filter((each) => !kept.has(each)));
  }
  if (operation === 'Query') {
    const keys = keysIn(table, input.IndexName as string | undefined);
    const first = all.items[0];
    const partition = partitionOf(input, keys) ?? (first && Object.fromEntries(keys.partition.map((each) => [each, first[each]!])));
    if (partition && keys.sort.length) {
      const around = await readPages('Query', collectionQuery(request, partition), limit, signal);
      const have = new Set(around.items.map((each) => idOf(each, table)));
      // A collection beyond the limit may not reach the box: then the box alone is drawn.
      if ([...ids].every((each) => have.has(each))) Object.assign(reading, { items: around.items, more: around.more });
    }
  }
  return reading;
}

/** The items of another index, in its order; those collections only that hold one of `ids`, if they are given. */
export async function readIndex(table: PictureTable, index: string | undefined, limit: number, ids: ReadonlySet<string> | undefined, signal: AbortSignal): Promise<Pages> {
  const pages = await readPages('Scan', { TableName: table.name, IndexName: index, ReturnConsumedCapacity: 'TOTAL' }, limit, signal);
  if (!ids) return pages;
  const { partition } = keysIn(table, index);
  const wanted = new Set(pages.items.filter((each) => ids.has(idOf(each, table))).map((each) => groupOf(each, partition)));
  return { ...pages, items: pages.items.filter((each) => wanted.has(groupOf(each, partition))) };
}
