import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from '../../values/types.ts';
import { toSvg } from './export.ts';
import { type FoldRow, indexItems, type ItemRow, layOut, notIndexed, type Options, type Pane, ROW, rowsBetween } from './layout.ts';
import { inServerOrder } from './order.ts';
import { levelsOf, separatorsOf, sharedPrefix } from './prefix.ts';
import { keyConditionOnly, partitionOf } from './read.ts';
import { idOf, type PictureTable, pictureTable } from './schema.ts';
import { cutText, oneLine, timeLeft } from './text.ts';
import { COLOURS, entityTypes } from './types.ts';

const table: PictureTable = {
  name: 'places', ttl: 'expires', keys: { partition: ['pk'], sort: ['sk'] },
  indexes: [
    { name: 'all', keys: { partition: ['g'], sort: ['h'] }, projected: 'ALL' },
    { name: 'few', keys: { partition: ['g'], sort: [] }, projected: ['name'] },
  ],
};

function place(pk: string, sk: string, more: Item = {}): Item {
  return { pk: { S: pk }, sk: { S: sk }, ...more };
}

function options(items: Item[], more: Partial<Options> = {}): Options {
  return { align: false, fold: 0, opened: new Set(), types: entityTypes(items, table), now: 0, ...more };
}

const lay = (items: Item[], more: Partial<Options> = {}, pane: Partial<Pane> = {}) => layOut({ table, items, ...pane }, options(items, more));

test('prefixes end behind the last separator that is shared', () => {
  assert.deepEqual(levelsOf('USA#TX#Houston', '#/|'), [4, 7]);
  assert.deepEqual(levelsOf('a##b', '#'), [3]);
  assert.deepEqual(levelsOf('a#', '#'), []);
  assert.equal(sharedPrefix('USA#TX#Houston', 'USA#TX#Austin', '#/|'), 7);
  assert.equal(sharedPrefix('USA#TX#Houston', 'USA#TN#Nashville', '#/|'), 4);
  assert.equal(sharedPrefix('v_1', 'v_0', '_'), 2);
  assert.equal(sharedPrefix('USA#TX', 'USB#TX', '#'), 0);
  assert.equal(separatorsOf(['a#b-c', 'd-e']), '#/|');
  assert.equal(separatorsOf(['USA-TX', 'USA-CA', 'USA']), '-');
  assert.equal(separatorsOf(['a', 'b']), '');
});

test('bands keep the order given, with counts and bytes', () => {
  const layout = lay([place('b', '2'), place('b', '1'), place('a', '1')]);
  assert.deepEqual(layout.bands.map((each) => [each.text, each.count, each.y, each.height]), [['b', 2, 0, 2 * ROW], ['a', 1, 2 * ROW, ROW]]);
  assert.deepEqual(layout.rows.map((each) => (each as ItemRow).rest), ['2', '1', '1']);
  assert.equal(layout.bands[1]!.bytes, 2 + 1 + 2 + 1);
  assert.equal(layout.height, 3 * ROW);
});

test('the shared prefix is told from the rest, within a band only', () => {
  const layout = lay([place('x', 'USA#TX#Austin'), place('x', 'USA#TX#Houston'), place('y', 'USA#TX#Waco')]);
  assert.deepEqual(layout.rows.map((each) => [(each as ItemRow).shared, (each as ItemRow).rest]), [
    ['', 'USA#TX#Austin'], ['USA#TX#', 'Houston'], ['', 'USA#TX#Waco'],
  ]);
  assert.equal(layout.levels, 2);
});

test('levels fold, open by hand, and count what is below', () => {
  const items = [place('x', 'CA#LA#1'), place('x', 'CA#SF#1'), place('x', 'CA#SF#2'), place('x', 'TX#Waco#1'), place('x', 'plain')];
  const folded = lay(items, { fold: 2 });
  assert.deepEqual(folded.rows.map((each) => (each.kind === 'fold' ? `${each.prefix} ${each.count}` : (each as ItemRow).rest)), ['CA# 3', 'TX# 1', 'plain']);
  const id = (folded.rows[0] as FoldRow).id;
  const opened = lay(items, { fold: 2, opened: new Set([id]) });
  assert.deepEqual(opened.rows.map((each) => (each.kind === 'fold' ? `${each.depth} ${each.prefix} ${each.count}` : '-')), ['0 CA# 3', '1 CA#LA# 1', '1 CA#SF# 2', '0 TX# 1', '-']);
  assert.equal(lay(items, { fold: 0 }).rows.length, 5);
  const within = lay(items, { fold: 1, opened: new Set([id]) }).rows[1] as ItemRow;
  assert.deepEqual([within.shared, within.rest], ['CA#', 'LA#1']);
});

test('types come from facets, a chosen attribute, the sort key, the partition key, the attributes', () => {
  const items = [
    place('ORG#1', 'USER#1'), place('ORG#1', 'plain'), place('x', '1', { type: { S: 'Car' } }), place('x', '2', { a: { N: '1' } }), place('x', '3'),
    place('ORG#1', 'USER#2'),
  ];
  const faceted: PictureTable = { ...table, facets: [{ name: 'Special', ids: new Set([idOf(items[0]!, table)]) }] };
  const types = entityTypes(items, faceted);
  assert.deepEqual(types.list.map((each) => each.name), ['Special', 'ORG', 'Car', 'a', 'Keys only', 'USER']);
  assert.equal(types.of(items[5]!), 5);
  assert.equal(new Set(types.list.map((each) => each.letter)).size, 6);
  assert.deepEqual(entityTypes([place('a', '1', { kind: { S: 'K' }, type: { S: 'T' } })], table, 'kind').list.map((each) => each.name), ['K']);
});

test('more than eight types share the last colour', () => {
  const items = Array.from({ length: 12 }, (_, index) => place('p', `T${index}#1`));
  const types = entityTypes(items, table);
  assert.equal(types.list.length, COLOURS.length);
  assert.equal(types.list[7]!.name, 'Others');
  assert.equal(types.list[7]!.count, 5);
  assert.equal(types.of(items[11]!), 7);
});

test('packed cells follow each other; aligned ones stand in columns of their type, below its names', () => {
  const items = [place('p', 'A#1', { x: { S: 'long text here' }, n: { N: '5' } }), place('p', 'A#2', { n: { N: '7' } }), place('p', 'B#1', { z: { BOOL: true } })];
  const packed = lay(items).rows as ItemRow[];
  assert.equal(packed[0]!.cells[1]!.x, packed[0]!.cells[0]!.x + packed[0]!.cells[0]!.width);
  assert.equal(packed[1]!.cells[0]!.x, packed[0]!.cells[0]!.x);
  const aligned = lay(items, { align: true }).rows;
  assert.deepEqual(aligned.map((each) => each.kind), ['head', 'item', 'item', 'head', 'item']);
  assert.equal((aligned[2] as ItemRow).cells[0]!.x, (aligned[1] as ItemRow).cells[1]!.x);
  assert.equal((aligned[2] as ItemRow).cells[0]!.right, true);
  const alike = Array.from({ length: 60 }, (_, index) => place(`p${index}`, 'A#1', { n: { N: '1' } }));
  const heads = lay(alike, { align: true }).rows.filter((each) => each.kind === 'head').map((each) => each.y / ROW);
  assert.deepEqual(heads, [0, 21, 42]);
});

test('an index shows its own keys, hatches what it does not carry, and leaves items out', () => {
  const items = [
    place('a', '1', { g: { S: 'G' }, h: { N: '1' }, name: { S: 'n' }, other: { S: 'o' } }),
    place('a', '2', { g: { S: 'G' }, name: { S: 'm' } }),
    place('a', '3'),
  ];
  assert.equal(notIndexed(items, table, 'few'), 1);
  assert.equal(notIndexed(items, table, 'all'), 2);
  const held = indexItems(items, table, 'few');
  assert.deepEqual(Object.keys(held[0]!).sort(), ['g', 'name', 'pk', 'sk']);
  const layout = lay(held, {}, { index: 'few', whole: new Map(items.map((each) => [idOf(each, table), each])) });
  assert.equal(layout.bands.length, 1);
  assert.equal(layout.bands[0]!.text, 'G');
  const cells = (layout.rows[0] as ItemRow).cells;
  assert.deepEqual(cells.filter((each) => !each.value).map((each) => each.name), ['h', 'other']);
  assert.deepEqual(cells.filter((each) => each.value).map((each) => each.name), ['pk', 'sk', 'name']);
});

test('the box holds what is read; dropped rows stay inside it', () => {
  const items = ['1', '2', '3', '4'].map((sk) => place('p', sk));
  const ids = items.map((each) => idOf(each, table));
  const layout = lay(items, {}, { read: new Set(ids.slice(1, 4)), dropped: new Set([ids[2]!]) });
  assert.deepEqual(layout.boxes, [{ y: ROW, height: 3 * ROW }]);
  assert.deepEqual(layout.rows.map((each) => (each as ItemRow).dropped), [false, false, true, false]);
});

test('times to live are told as time left', () => {
  assert.equal(timeLeft(90, 0), 'in 1 min');
  assert.equal(timeLeft(0, 86_400_000 * 2), '2 d ago');
  const layout = lay([place('p', '1', { expires: { N: '7200' } })]);
  assert.equal((layout.rows[0] as ItemRow).cells[0]!.text, 'in 2 h');
});

test('order of a server: numbers by value, texts by UTF-8, collections as they come', () => {
  const keys = { partition: ['pk'], sort: ['sk'] };
  const number = (pk: string, n: string): Item => ({ pk: { S: pk }, sk: { N: n } });
  assert.deepEqual(inServerOrder([number('b', '10'), number('a', '1'), number('b', '9'), number('b', '-2')], keys).map((each) => (each.sk as { N: string }).N), ['-2', '9', '10', '1']);
  // U+FF5E sorts before U+1F600 in UTF-8, and behind it in UTF-16.
  assert.deepEqual(inServerOrder([place('a', '\u{1f600}'), place('a', '\uff5e')], keys).map((each) => (each.sk as { S: string }).S), ['\uff5e', '\u{1f600}']);
});

test('keys of several attributes, and equal texts of other types, are told apart', () => {
  const several: PictureTable = { ...table, keys: { partition: ['a', 'b'], sort: [] } };
  const one: Item = { a: { S: 'xS1' }, b: { S: '' } };
  const other: Item = { a: { S: 'x' }, b: { S: '1S' } };
  assert.notEqual(idOf(one, several), idOf(other, several));
  assert.notEqual(idOf({ pk: { S: '1' }, sk: { S: 'a' } }, table), idOf({ pk: { N: '1' }, sk: { S: 'a' } }, table));
});

test('a picture of 5,000 items is laid out in a fraction of a second', () => {
  const items = Array.from({ length: 5000 }, (_, index) => place(`P#${index % 90}`, `S#${index % 7}#${index}`, { name: { S: `name ${index}` }, n: { N: String(index) }, m: { M: { x: { S: 'y' } } } }));
  const start = process.cpuUsage();
  const layout = lay(items, { align: true });
  const took = process.cpuUsage(start).user / 1000; // of the processor: other programs may run too
  assert.equal(layout.items, 5000);
  assert.ok(took < 500, `${took} ms`);
  const seen = rowsBetween(layout, 1000, 1600);
  assert.equal(seen[0]!.y, 1000);
  assert.equal(seen.length, 30);
});

test('SVG has the text of items, escaped', () => {
  const items = [place('<script>', 'a&b', { x: { S: '"q"' } })];
  const svg = toSvg([{ title: 't', layout: lay(items), table }], entityTypes(items, table), false);
  assert.ok(svg.startsWith('<svg xmlns='));
  assert.ok(svg.includes('&lt;script&gt;') && svg.includes('a&amp;b') && !svg.includes('<script>'));
});

test('texts are cut, never inside of a character; a key named constructor is absent unless it is there', () => {
  assert.equal(cutText('abc', 3), 'abc');
  assert.equal(cutText('abcd', 3), 'ab…');
  assert.equal(cutText('a\u{1f600}b', 3), 'a…');
  assert.equal(cutText('a\u{1f600}bc', 4), 'a\u{1f600}…');
  assert.equal(oneLine(`a\n\n${'b'.repeat(400_000)}`).length, 34);
  const odd: PictureTable = { ...table, indexes: [{ name: 'odd', keys: { partition: ['constructor'], sort: [] }, projected: 'ALL' }] };
  const items = [place('x', '1'), { ...place('x', '2'), constructor: { S: 'c' } }] as Item[];
  assert.equal(notIndexed(items, odd, 'odd'), 1);
  assert.deepEqual(entityTypes([place('x', 'y', { type: { S: 'T'.repeat(300_000) } })], table).list[0]!.name.length, 34);
});

test('without its filter, a query keeps only the names and values of its key condition', () => {
  const input = {
    TableName: 't', KeyConditionExpression: '#p = :p AND begins_with(sk, :s)', FilterExpression: '#p2 > :p2', Limit: 3,
    ProjectionExpression: '#x', ExpressionAttributeNames: { '#p': 'pk', '#p2': 'n', '#x': 'x' },
    ExpressionAttributeValues: { ':p': { S: 'a' }, ':p2': { N: '1' }, ':s': { S: 'v_' } },
  };
  const stripped = keyConditionOnly(input);
  assert.deepEqual(stripped, {
    TableName: 't', KeyConditionExpression: '#p = :p AND begins_with(sk, :s)', ReturnConsumedCapacity: 'TOTAL',
    ExpressionAttributeNames: { '#p': 'pk' }, ExpressionAttributeValues: { ':p': { S: 'a' }, ':s': { S: 'v_' } },
  });
  assert.deepEqual(partitionOf(input, { partition: ['pk'], sort: ['sk'] }), { pk: { S: 'a' } });
  assert.deepEqual(keyConditionOnly({ TableName: 't', FilterExpression: 'a = :a', ExpressionAttributeValues: { ':a': { S: '' } } }), { TableName: 't', ReturnConsumedCapacity: 'TOTAL' });
});

test('a description becomes a picture’s table', () => {
  const made = pictureTable({
    TableName: 't', KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [{ IndexName: 'i', KeySchema: [{ AttributeName: 'b', KeyType: 'HASH' }, { AttributeName: 'c', KeyType: 'HASH' }], Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x'] } }],
  });
  assert.deepEqual(made.indexes[0], { name: 'i', keys: { partition: ['b', 'c'], sort: [] }, projected: ['x'] });
});
