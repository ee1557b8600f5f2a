import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalItems } from '../../values/index.ts';
import type { Item, TypeTag } from '../../values/types.ts';
import { itemFault, primaryKey, type TableKeys } from './checks.ts';
import { CsvColumns, columnOf, columnsOf, CsvReader, itemOfRow, printRow, separatorOf, withoutFormula } from './csv.ts';
import { detectFormat, documentItems, dynamoLine, type Format, type ParsedRow, readRows } from './formats.ts';
import { type Send, Writer } from './writer.ts';

const DIGITS = '12345678901234567890123456789012345678';
const ITEMS: Item[] = [
  {
    pk: { S: 'a' }, sk: { N: '1' }, '#': { N: DIGITS }, 'a.b:S': { B: 'AAEC' }, _version: { BOOL: false }, size: { NULL: true }, empty: { S: '' },
    m: { M: { x: { L: [{ N: '-1e-3' }, { S: '😀 "q", \n;' }] }, '': { S: '' } } }, ss: { SS: ['a,b', '"'] }, ns: { NS: ['1', '2.50'] }, bs: { BS: ['AA=='] }, l: { L: [] },
  },
  { pk: { S: ' "quoted"\r\nlines, commas ' }, sk: { N: '1e3' }, '#': { S: '=1+1' }, _version: { S: 'true' } },
];
const KEYS: TableKeys = { primary: [{ name: 'pk', type: 'S', sort: false }, { name: 'sk', type: 'N', sort: true }], others: [{ name: 'gk', type: 'S' }] };
const TYPES = { keys: { pk: 'S', sk: 'N' } as const, guess: false };

async function read(text: string, format: Format, piece = 7, guess = false): Promise<ParsedRow[]> {
  async function* pieces() {
    for (let at = 0; at < text.length; at += piece) yield text.slice(at, at + piece);
  }
  const rows: ParsedRow[] = [];
  for await (const some of readRows(pieces(), { format, csv: { ...TYPES, guess } })) rows.push(...some);
  return rows;
}

function csvOf(items: Item[]): string {
  const columns = new CsvColumns([{ name: 'pk', type: 'S' }, { name: 'sk', type: 'N' }]);
  for (const item of items) columns.add(item);
  return printRow(columns.headers) + items.map((item) => columns.row(item, false)).join('');
}

test('CSV with types keeps all ten types, whatever the pieces in which it comes', async () => {
  const text = csvOf(ITEMS);
  for (const piece of [1, 2, 7, 1000]) {
    const rows = await read(text, 'csv', piece);
    assert.deepEqual(rows.map((each) => each.fault), [undefined, undefined], `pieces of ${piece}`);
    for (const [index, item] of ITEMS.entries()) assert.ok(equalItems(rows[index]!.item!, item), `item ${index}, pieces of ${piece}`);
  }
});

test('DynamoDB JSON lines keep all; a line that is none is told, with its number', async () => {
  const rows = await read(`${ITEMS.map(dynamoLine).join('')}\n{"Item": {"pk": {"N": 5}}}\n{oops\n`, 'dynamodb-lines');
  for (const [index, item] of ITEMS.entries()) assert.ok(equalItems(rows[index]!.item!, item));
  assert.match(rows[2]!.fault!, /pk: N expects the number as text/);
  assert.deepEqual([rows[3]!.row, rows[3]!.text], [4, '{oops']);
  assert.match(rows[3]!.fault!, /line 1, column 2/);
});

test('plain JSON keeps 38 digits; an item with an attribute Item is not unwrapped', async () => {
  const [row] = await read(`{"pk": "a", "n": ${DIGITS}, "list": [1, null]}`, 'json-lines');
  assert.deepEqual(row!.item!.n, { N: DIGITS });
  const [odd] = await read('{"Item": {"S": "x"}, "pk": {"S": "a"}}', 'dynamodb-lines');
  assert.deepEqual(Object.keys(odd!.item!), ['Item', 'pk']);
});

test('documents may be lists, the reply of a scan, requests of a batch, or one item', () => {
  const item = { pk: { S: 'a' } };
  for (const root of [[item], { Items: [item], Count: 1 }, { table: [{ PutRequest: { Item: item } }] }, item, [{ Item: item }]]) {
    assert.deepEqual(JSON.parse(JSON.stringify(documentItems(JSON.stringify(root))[0]!.item)), item, JSON.stringify(root));
  }
  assert.deepEqual(JSON.parse(JSON.stringify(documentItems('[{"a": 1}, {"a": {"S": "x"}}]').map((each) => each.item))), [{ a: { N: '1' } }, { a: { M: { S: { S: 'x' } } } }]);
});

test('formats are told by name and content', () => {
  assert.equal(detectFormat('a.csv', '{}'), 'csv');
  assert.equal(detectFormat('a.txt', 'pk,sk\n'), 'csv');
  assert.equal(detectFormat('a.json.gz', '{"Item":{"a":{"S":"x"}}}\n{"Item"'), 'dynamodb-lines');
  assert.equal(detectFormat('a', '{"a":{"S":"x"}}\n'), 'dynamodb-lines');
  assert.equal(detectFormat('a', '{"a":1}\n{"a":2}'), 'json-lines');
  assert.equal(detectFormat('a.json', '[\n{"a":1}]'), 'json');
  assert.equal(detectFormat('a.json', '{\n "Items": ['), 'json');
});

test('CSV without types: keys are declared, the rest is text, or guessed by choice', async () => {
  const text = 'pk;sk;price;ok\nx;7;1.50;true\ny;8;"";\n';
  assert.equal(separatorOf('pk;sk;price'), ';');
  const rows = await read(text, 'csv', 5);
  assert.deepEqual(JSON.parse(JSON.stringify(rows[0]!.item)), { pk: { S: 'x' }, sk: { N: '7' }, price: { S: '1.50' }, ok: { S: 'true' } });
  assert.deepEqual(JSON.parse(JSON.stringify(rows[1]!.item)), { pk: { S: 'y' }, sk: { N: '8' }, price: { S: '' } });
  const guessed = await read(text, 'csv', 100, true);
  assert.deepEqual(JSON.parse(JSON.stringify(guessed[0]!.item)), { pk: { S: 'x' }, sk: { N: '7' }, price: { N: '1.50' }, ok: { BOOL: true } });
});

test('what is wrong in CSV is told', async () => {
  assert.deepEqual(columnOf('a:b:N'), { name: 'a:b', type: 'N' });
  assert.deepEqual(columnOf('a:X'), { name: 'a:X', type: undefined });
  assert.throws(() => columnsOf(['a:S', 'a:S']), /two columns/);
  assert.throws(() => columnsOf(['a', undefined]), /Column 2/);
  assert.match((await read('pk:S,pk:N\na,1\n', 'csv'))[0]!.fault!, /two columns give it a value/);
  const rows = await read('pk:S,sk:N,m:M\na,x,\nb,1,{\nc,1,,4\n', 'csv');
  assert.match(rows[0]!.fault!, /sk: This is not a number/);
  assert.match(rows[1]!.fault!, /m: sets, maps and lists/);
  assert.match(rows[2]!.fault!, /4 cells, the header 3/);
  assert.throws(() => {
    const reader = new CsvReader();
    reader.push('a\n"open');
    reader.end();
  }, /not closed/);
  assert.equal(withoutFormula('=1+1'), "'=1+1");
  assert.equal(withoutFormula('-5'), '-5');
});

test('names of attributes that objects have, and names that are formulas', () => {
  const types = { keys: { pk: 'N' } as Record<string, TypeTag>, guess: false };
  const item = itemOfRow(['1', 'a', 'b'], columnsOf(['pk', 'constructor', '__proto__']), types);
  assert.deepEqual(Object.entries(item), [['pk', { N: '1' }], ['constructor', { S: 'a' }], ['__proto__', { S: 'b' }]]);
  const columns = new CsvColumns([{ name: 'pk', type: 'S' }]);
  columns.add({ pk: { S: 'a' }, '=1+1': { S: 'b' } });
  assert.equal(columns.header(true), "pk:S,'=1+1:S\r\n");
  assert.equal(columns.header(false), 'pk:S,=1+1:S\r\n');
});

test('items that a table refuses are found beforehand', () => {
  const good: Item = { pk: { S: 'a' }, sk: { N: '1' } };
  assert.equal(itemFault(good, KEYS), undefined);
  const cases: [Item, RegExp][] = [
    [{ pk: { S: 'a' } }, /sk: the key attribute is missing/],
    [{ pk: { N: '1' }, sk: { N: '1' } }, /pk: the key is of type S, not N/],
    [{ pk: { S: '' }, sk: { N: '1' } }, /pk: a key must not be empty/],
    [{ pk: { S: 'x'.repeat(2049) }, sk: { N: '1' } }, /2049 bytes/],
    [{ ...good, gk: { N: '1' } }, /gk: the key of an index/],
    [{ ...good, x: { S: 'x'.repeat(409_600) } }, /at most 409600/],
  ];
  for (const [item, reason] of cases) assert.match(itemFault(item, KEYS)!, reason);
});

// --- the writer against a server that throttles and refuses ---

class FakeTable {
  items = new Map<string, Item>();
  calls: string[] = [];
  fail: (items: Item[]) => Error | undefined = () => undefined;
  leave: (count: number) => number = () => 0;

  send: Send = async (operation, input) => {
    this.calls.push(operation);
    const list = operation === 'PutItem' ? [input.Item as Item] : (Object.values(input.RequestItems as object)[0] as { PutRequest: { Item: Item } }[]).map((each) => each.PutRequest.Item);
    await new Promise((resolve) => setTimeout(resolve, list.length % 3));
    const failure = this.fail(list);
    if (failure) throw failure;
    const keys = list.map((each) => JSON.stringify(each.pk));
    assert.equal(new Set(keys).size, keys.length, 'one key twice in a batch');
    if (input.ConditionExpression && this.items.has(keys[0]!)) throw Object.assign(new Error('exists'), { code: 'ConditionalCheckFailedException' });
    const left = this.leave(list.length);
    for (const item of list.slice(left)) this.items.set(JSON.stringify(item.pk), item);
    return { UnprocessedItems: left ? { t: list.slice(0, left).map((Item) => ({ PutRequest: { Item } })) } : {}, ConsumedCapacity: [{ CapacityUnits: list.length - left }] };
  };
}

const ONE_KEY: TableKeys = { primary: [{ name: 'pk', type: 'S', sort: false }], others: [] };

async function importInto(table: FakeTable, items: Item[], keepExisting = false) {
  const failed: string[] = [];
  const writer = new Writer({ table: 't', keys: ONE_KEY, keepExisting, send: table.send, sleep: async () => {}, onFailed: (row, reason) => failed.push(`${row.row} ${reason}`) });
  for (const [index, item] of items.entries()) await writer.add({ row: index + 1, item, text: '' });
  await writer.end();
  return { failed, counts: writer.counts };
}

const numbered = (count: number, value = 'v'): Item[] => Array.from({ length: count }, (_, index) => ({ pk: { S: String(index) }, v: { S: value } }));

test('all rows are written, 25 at a time; what is left unprocessed is sent again', async () => {
  const table = new FakeTable();
  let turn = 0;
  table.leave = (count) => (turn++ % 2 ? Math.floor(count / 2) : 0);
  const { counts, failed } = await importInto(table, numbered(260));
  assert.equal(table.items.size, 260);
  assert.deepEqual([counts.written, counts.units, failed.length], [260, 260, 0]);
  assert.ok(counts.throttled > 0);
});

test('of rows with the same key the last one stays', async () => {
  const table = new FakeTable();
  await importInto(table, [...numbered(30, 'old'), ...numbered(30, 'new'), { pk: { S: '3' }, v: { S: 'newest' } }, { pk: { S: '3' }, v: { S: 'last' } }]);
  assert.deepEqual(table.items.get('{"S":"3"}')!.v, { S: 'last' });
  assert.deepEqual(table.items.get('{"S":"7"}')!.v, { S: 'new' });
});

test('a refused batch is taken apart: one row fails, the others are written', async () => {
  const table = new FakeTable();
  table.fail = (items) => (items.some((each) => (each.pk as { S: string }).S === '13') ? Object.assign(new Error('no 13'), { code: 'ValidationException' }) : undefined);
  const { failed, counts } = await importInto(table, numbered(40));
  assert.deepEqual(failed, ['14 no 13']);
  assert.deepEqual([table.items.size, counts.written], [39, 39]);
});

test('a refusal of the whole import stops it', async () => {
  const table = new FakeTable();
  table.fail = () => Object.assign(new Error('not authorized'), { code: 'AccessDeniedException' });
  await assert.rejects(importInto(table, numbered(400)), /not authorized/);
  assert.ok(table.calls.length < 16, `${table.calls.length} calls`);
});

test('throttled batches are tried until they are through', async () => {
  const table = new FakeTable();
  let count = 0;
  table.fail = () => (count++ < 5 ? Object.assign(new Error('slow down'), { code: 'ProvisionedThroughputExceededException' }) : undefined);
  const { counts } = await importInto(table, numbered(50));
  assert.deepEqual([table.items.size, counts.throttled], [50, 5]);
});

test('a busy server and the transaction of another are waited for, but not for ever', async () => {
  for (const error of [{ status: 503, code: 'ServiceUnavailable' }, { status: 400, code: 'TransactionConflictException' }]) {
    const table = new FakeTable();
    let count = 0;
    table.fail = () => (count++ < 3 ? Object.assign(new Error('not now'), error) : undefined);
    await importInto(table, numbered(30));
    assert.equal(table.items.size, 30);
    table.fail = () => Object.assign(new Error('not now'), error);
    table.calls = [];
    await assert.rejects(importInto(table, numbered(30)), /not now/);
    assert.ok(table.calls.length < 30, `${table.calls.length} calls`);
  }
});

test('stopping waits for no more than what is in flight, and counts it', { timeout: 5000 }, async () => {
  const table = new FakeTable();
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const send: Send = async (operation, input) => {
    const reply = await table.send(operation, input);
    await answered;
    return reply;
  };
  const writer = new Writer({ table: 't', keys: ONE_KEY, keepExisting: false, send, onFailed: () => {}, sleep: () => new Promise(() => {}) });
  const rows = numbered(60).map((item, index) => writer.add({ row: index + 1, item, text: '' }));
  await Promise.all(rows);
  table.leave = (count) => count - 20; // the second batch is asked to come again
  writer.stop();
  answer();
  await writer.end();
  assert.equal(table.calls.length, 2);
  assert.equal(writer.counts.written, table.items.size);
  assert.equal(writer.counts.left, 60 - table.items.size);
  assert.ok(table.items.size < 50);
  // A refused batch that is being taken apart, and one that is throttled, end as well.
  for (const code of ['ValidationException', 'ThrottlingException']) {
    const refused = new Writer({ table: 't', keys: ONE_KEY, keepExisting: false, onFailed: () => {}, sleep: () => new Promise(() => {}), send: async () => {
      refused.stop();
      throw Object.assign(new Error('no'), { code });
    } });
    for (const [index, item] of numbered(25).entries()) await refused.add({ row: index + 1, item, text: '' });
    await refused.end();
    assert.deepEqual([refused.counts.written, refused.counts.left], [0, 25]);
  }
});

test('a refusal of one batch does not hide what the others wrote', async () => {
  const table = new FakeTable();
  let calls = 0;
  const send: Send = async (operation, input) => {
    if (++calls === 1) throw Object.assign(new Error('not authorized'), { code: 'AccessDeniedException' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    return table.send(operation, input);
  };
  const writer = new Writer({ table: 't', keys: ONE_KEY, keepExisting: false, send, onFailed: () => {} });
  for (const [index, item] of numbered(55).entries()) await writer.add({ row: index + 1, item, text: '' }).catch(() => {});
  await assert.rejects(writer.end(), /not authorized/);
  assert.deepEqual([table.items.size, writer.counts.written + writer.counts.left], [writer.counts.written, 55]);
});

test('numbers that are equal are one key', () => {
  const keys: TableKeys = { primary: [{ name: 'pk', type: 'N', sort: false }], others: [] };
  assert.equal(primaryKey({ pk: { N: '1.0' } }, keys), primaryKey({ pk: { N: '1' } }, keys));
  assert.notEqual(primaryKey({ pk: { N: '10' } }, keys), primaryKey({ pk: { N: '1' } }, keys));
});

test('items that exist are kept by choice', async () => {
  const table = new FakeTable();
  await importInto(table, numbered(3, 'old'));
  const { counts } = await importInto(table, numbered(5, 'new'), true);
  assert.deepEqual([counts.written, counts.kept], [2, 3]);
  assert.deepEqual(table.items.get('{"S":"0"}')!.v, { S: 'old' });
});
