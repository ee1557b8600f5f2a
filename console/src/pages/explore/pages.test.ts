import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findItems, Pages } from './pages.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const page = (from: number, count: number, next?: number) =>
  bytesOf(JSON.stringify({
    Items: Array.from({ length: count }, (_, at) => ({ n: { N: String(from + at) } })),
    Count: count, ScannedCount: count + 5, ConsumedCapacity: { CapacityUnits: 0.5 },
    ...(next === undefined ? {} : { LastEvaluatedKey: { n: { N: String(next) } } }),
  }));

test('pages add up, also empty ones', () => {
  const pages = new Pages();
  pages.add(page(0, 0, 1));
  assert.deepEqual([pages.itemCount, pages.more, pages.scanned], [0, true, 5]);
  pages.add(page(0, 3, 2));
  pages.add(page(3, 0, 3));
  pages.add(page(3, 2));
  assert.deepEqual([pages.count, pages.scanned, pages.units, pages.more, pages.pageCount], [5, 25, 2, false, 4]);
  for (let row = 0; row < 5; row++) assert.deepEqual(pages.item(row), { n: { N: String(row) } });
  assert.equal(pages.item(5), undefined);
});

test('pages far away are dropped, and read again from their start', () => {
  const pages = new Pages((page(0, 10, 0).length + 80) * 3); // 80: two offsets of 4 bytes for each item
  for (let at = 0; at < 8; at++) pages.add(page(at * 10, 10, at + 1));
  assert.deepEqual(pages.item(79), { n: { N: '79' } });
  assert.equal(pages.item(15), undefined);
  assert.deepEqual(pages.missing(15), { startKey: { n: { N: '1' } }, page: 1 });
  assert.equal(pages.missing(0)!.startKey, undefined);
  assert.deepEqual(pages.restore(1, page(10, 10, 2)), { first: 10, count: 10 });
  assert.equal(pages.restore(1, page(10, 10, 2)), undefined);
  assert.deepEqual(pages.item(15), { n: { N: '15' } });
  assert.equal(pages.itemCount, 80);
});

test('items are found in a reply whatever its texts hold, and wherever they stand', () => {
  const items = [
    { pk: { S: 'a"]},{"Items":[{' }, x: { S: '\\' }, 'y"': { S: '\\"' } },
    {},
    { Items: { L: [{ M: { Items: { L: [] } } }, { SS: ['[', '}'] }] }, é: { S: '\u2028😀' } },
  ];
  const replies = [
    JSON.stringify({ Items: items, Count: 3, LastEvaluatedKey: { Items: { S: '{"Items":[{}]}' } } }),
    JSON.stringify({ LastEvaluatedKey: { Items: { S: '{' } }, Count: 3, ConsumedCapacity: { TableName: 'Items', Table: { Units: [{}, {}] } }, Items: items }, null, 2),
  ];
  for (const reply of replies) {
    const bytes = bytesOf(reply);
    const { offsets } = findItems(bytes);
    assert.equal(offsets.length, 6);
    for (const row of [0, 1, 2]) assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes.subarray(offsets[2 * row], offsets[2 * row + 1]))), items[row]);
    const pages = new Pages();
    assert.deepEqual([...pages.add(bytes)], items);
    assert.deepEqual([pages.count, pages.nextKey], [3, JSON.parse(reply).LastEvaluatedKey]);
    assert.deepEqual([0, 1, 2].map((row) => pages.item(row)), items);
  }
  for (const reply of ['{"Count":2,"ScannedCount":2,"Items":[]}', '{"Count":2,"ScannedCount":2}']) {
    assert.equal(findItems(bytesOf(reply)).offsets.length, 0);
    const pages = new Pages();
    assert.deepEqual([[...pages.add(bytesOf(reply))], pages.count, pages.itemCount], [[], 2, 0]);
  }
});

test('a page gives all its items, a few parsed at a time', (context) => {
  const bytes = page(0, 2001);
  const parse = context.mock.method(JSON, 'parse');
  const items = [...new Pages().add(bytes)];
  assert.deepEqual(items.map((each) => each.n), Array.from({ length: 2001 }, (_, n) => ({ N: String(n) })));
  const longest = Math.max(...parse.mock.calls.map((call) => String(call.arguments[0]).length));
  assert.ok(longest < bytes.length / 10, `${longest} of ${bytes.length} characters`);
});

test('a jump parses the rows that are shown, not their pages', (context) => {
  const pages = new Pages();
  for (let at = 0; at < 10; at++) pages.add(page(at * 1000, 1000, at + 1));
  const parse = context.mock.method(JSON, 'parse');
  for (const row of [9999, 0, 5000, 5001, 5000]) assert.deepEqual(pages.item(row), { n: { N: String(row) } });
  const read = parse.mock.calls.reduce((sum, call) => sum + String(call.arguments[0]).length, 0);
  assert.ok(read < 200, `${read} characters`);
});

test('a search keeps its items and scores', () => {
  const pages = new Pages();
  const found = [{ Item: { é: { S: 'Items' } }, Score: 0.5 }, { Score: 1 }, { Item: { n: { N: '1' } } }];
  const items = [found[0]!.Item, {}, found[2]!.Item];
  assert.deepEqual([...pages.add(bytesOf(JSON.stringify({ SearchResults: found, ConsumedCapacity: { VectorSearchRequestBytes: 7 } })))], items);
  assert.deepEqual([pages.scores, pages.count, pages.scanned, pages.searchedBytes], [[0.5, 1, NaN], 3, 3, 7]);
  assert.deepEqual([0, 1, 2].map((row) => pages.item(row)), items);
});
