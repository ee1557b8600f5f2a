import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableDescription } from '../../aws/operations.ts';
import { session } from '../../aws/session.ts';
import { emptyColumns, orderedColumns, withItems } from './columns.ts';
import { Placeholders } from './expression.ts';
import { decodeFilter, emptyGroup, encodeFilter, faultsOf, filterExpression, type FilterNode, type Group, type Test, withOperator } from './filter.ts';
import { hintOf } from './hint.ts';
import { parseOperand, printOperand } from './operand.ts';
import { clearHistory, entriesOf, forgetQuery, queryHistory, remember, savedQueries, saveQuery, withEntry } from './saved.ts';
import { keyOf, targetsOf } from './target.ts';
import { describeView, faultsOfView, initialView, queryOfView, requestOf, type View, viewFromQuery } from './view.ts';

const table: TableDescription = {
  TableName: 'T',
  AttributeDefinitions: [
    { AttributeName: 'PK', AttributeType: 'S' },
    { AttributeName: 'SK', AttributeType: 'N' },
    { AttributeName: 'city', AttributeType: 'S' },
    { AttributeName: 'tier', AttributeType: 'N' },
    { AttributeName: 'day', AttributeType: 'S' },
    { AttributeName: 'hour', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'multi',
      KeySchema: [
        { AttributeName: 'city', KeyType: 'HASH' },
        { AttributeName: 'tier', KeyType: 'HASH' },
        { AttributeName: 'day', KeyType: 'RANGE' },
        { AttributeName: 'hour', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
      IndexStatus: 'ACTIVE',
    },
    { IndexName: 'lean', KeySchema: [{ AttributeName: 'day', KeyType: 'HASH' }], Projection: { ProjectionType: 'KEYS_ONLY' }, IndexStatus: 'ACTIVE' },
  ],
} as TableDescription;
const targets = targetsOf(table);
const query = (change: Partial<View>): View => ({ ...initialView(), mode: 'query', partition: ['p'], ...change });
const request = (view: View) => requestOf(view, table, targets.find((each) => each.index === view.index)!)?.input;
const is = (path: string, op: Test['op'], type: Test['type'], ...values: string[]): Test => ({ kind: 'test', path, op, type, values });
const all = (...children: FilterNode[]): Group => ({ ...emptyGroup(), children });
const any = (...children: FilterNode[]): Group => ({ ...emptyGroup('OR'), children });

/** The expression with its placeholders filled in, as one would read it. */
function readable(text: string | undefined, into: { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: object }): string | undefined {
  return text?.replace(/#n\d+/g, (name) => `<${into.ExpressionAttributeNames![name]}>`).replace(/:v\d+/g, (name) => JSON.stringify((into.ExpressionAttributeValues as never)[name]));
}
function filterText(node: FilterNode): string | undefined {
  const into = new Placeholders();
  const text = filterExpression(node, into);
  return readable(text, into.members() as never);
}

test('each operator of the sort key makes its condition', () => {
  const conditions: [View['sort'][number], string][] = [
    [{ op: '=', values: ['1'] }, '<SK> = {"N":"1"}'],
    [{ op: '<', values: ['1'] }, '<SK> < {"N":"1"}'],
    [{ op: '<=', values: ['1'] }, '<SK> <= {"N":"1"}'],
    [{ op: '>', values: ['1'] }, '<SK> > {"N":"1"}'],
    [{ op: '>=', values: ['1'] }, '<SK> >= {"N":"1"}'],
    [{ op: 'between', values: ['1', '2'] }, '<SK> BETWEEN {"N":"1"} AND {"N":"2"}'],
  ];
  for (const [condition, wanted] of conditions) {
    const input = request(query({ sort: [condition] }))!;
    assert.equal(readable(input.KeyConditionExpression, input as never), `<PK> = {"S":"p"} AND ${wanted}`);
  }
});

test('keys of several attributes: equalities, and one condition at the end', () => {
  const view = query({ index: 'multi', partition: ['Oslo', '2'], sort: [{ op: '=', values: ['Mon'] }, { op: '>=', values: ['9'] }] });
  const input = request(view)!;
  assert.equal(input.IndexName, 'multi');
  assert.equal(readable(input.KeyConditionExpression, input as never), '<city> = {"S":"Oslo"} AND <tier> = {"N":"2"} AND <day> = {"S":"Mon"} AND <hour> >= {"N":"9"}');
  // A condition behind one that is no equality would be refused.
  const late = request({ ...view, sort: [{ op: 'begins_with', values: ['M'] }, { op: '=', values: ['9'] }] })!;
  assert.equal(readable(late.KeyConditionExpression, late as never), '<city> = {"S":"Oslo"} AND <tier> = {"N":"2"} AND begins_with(<day>, {"S":"M"})');
});

test('a query that is not complete has no request, and says at which field', () => {
  const faults = (view: View) => [...faultsOfView(view, targets.find((each) => each.index === view.index)!).keys()];
  assert.deepEqual(faults(query({ partition: [] })), ['pk0']);
  assert.deepEqual(faults(query({ sort: [{ op: 'between', values: ['1', 'x'] }] })), ['sk0.1']);
  assert.deepEqual(faults(query({ limit: '0' })), ['limit']);
  assert.deepEqual(faults(query({ projection: 'a,,b' })), ['attributes']);
  assert.deepEqual(faults(query({ filter: all(is('a', '=', 'N', 'x')) })), ['filter']);
  assert.equal(request(query({ partition: [] })), undefined);
});

test('each operator and function of filters', () => {
  const texts: [FilterNode, string][] = [
    [is('a', '=', 'S', 'x'), '<a> = {"S":"x"}'],
    [is('a', '<>', 'NULL', ''), '<a> <> {"NULL":true}'],
    [is('a', '<', 'N', '1'), '<a> < {"N":"1"}'],
    [is('a', '<=', 'B', 'AQ=='), '<a> <= {"B":"AQ=="}'],
    [is('a', '>', 'S', ''), '<a> > {"S":""}'],
    [is('a', '>=', 'PATH', 'b.c[1]'), '<a> >= <b>.<c>[1]'],
    [is('a', 'between', 'N', '1', '12345678901234567890123456789012345678'), '<a> BETWEEN {"N":"1"} AND {"N":"12345678901234567890123456789012345678"}'],
    [is('a', 'in', 'S', 'x', 'y'), '<a> IN ({"S":"x"}, {"S":"y"})'],
    [is('a', 'begins_with', 'S', 'x'), 'begins_with(<a>, {"S":"x"})'],
    [is('a', 'contains', 'BOOL', 'true'), 'contains(<a>, {"BOOL":true})'],
    [is('a', 'exists', 'S'), 'attribute_exists(<a>)'],
    [is('a', 'not_exists', 'S'), 'attribute_not_exists(<a>)'],
    [is('a', 'type', 'S', 'NS'), 'attribute_type(<a>, {"S":"NS"})'],
    [{ ...is('a', 'size', 'N', '3'), compare: '>=' }, 'size(<a>) >= {"N":"3"}'],
    [is('a', '=', 'NS', '[1, 2]'), '<a> = {"NS":["1","2"]}'],
    [is('a', '=', 'M', '{"x": [1.50]}'), '<a> = {"M":{"x":{"L":[{"N":"1.50"}]}}}'],
    [{ ...is('a', '=', 'S', 'x'), not: true }, 'NOT <a> = {"S":"x"}'],
  ];
  for (const [node, wanted] of texts) assert.equal(filterText(node), wanted);
});

test('groups are put in parentheses where the order of AND and OR needs it', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => is(name, 'exists', 'S'));
  const text = (name: string) => `attribute_exists(<${name}>)`;
  assert.equal(filterText(all(a!, any(b!, c!))), `${text('a')} AND (${text('b')} OR ${text('c')})`);
  assert.equal(filterText(any(all(a!, b!), c!)), `(${text('a')} AND ${text('b')}) OR ${text('c')}`);
  assert.equal(filterText(all(a!, { ...any(b!, c!), not: true })), `${text('a')} AND NOT (${text('b')} OR ${text('c')})`);
  assert.equal(filterText({ ...all(a!, b!), not: true }), `NOT (${text('a')} AND ${text('b')})`);
  // Tests without an attribute take no part, and neither do groups of them.
  assert.equal(filterText(all(is(' ', '=', 'S', ''), any(is('', '=', 'S', '')))), undefined);
});

test('names always stand behind placeholders', () => {
  for (const name of ['#', '_version', 'select', '🦊', 'a b', '__proto__', ':v0']) {
    const input = request(query({ filter: all(is(name, '=', 'S', 'x')), projection: `"${name}"` }))!;
    assert.ok(Object.values(input.ExpressionAttributeNames!).includes(name), name);
    assert.match(input.FilterExpression!, /^#n\d+ = :v\d+$/);
    assert.match(input.ProjectionExpression!, /^#n\d+, #n\d+, #n\d+$/);
  }
  const dotted = request(query({ filter: all(is('"a.b".c', '=', 'S', 'x')) }))!;
  assert.deepEqual(Object.values(dotted.ExpressionAttributeNames!), ['PK', 'a.b', 'c']);
});

test('a projection includes the key, once', () => {
  const names = (projection: string) => {
    const input = request(query({ projection }))!;
    return readable(input.ProjectionExpression, input as never);
  };
  assert.equal(names('a.b[2]'), '<PK>, <SK>, <a>.<b>[2]');
  assert.equal(names('SK, a'), '<PK>, <SK>, <a>');
});

test('options of the request', () => {
  assert.deepEqual(request({ ...initialView(), consistent: true, limit: '7', descending: true }), {
    TableName: 'T', Limit: 7, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL',
  });
  assert.equal(request(query({ descending: true }))!.ScanIndexForward, false);
  assert.equal(request(query({ count: true, projection: 'a' }))!.Select, 'COUNT');
  // A global index has no consistent reads.
  assert.equal(request({ ...initialView(), index: 'multi', consistent: true })!.ConsistentRead, undefined);
});

test('the address holds the whole view', () => {
  const view: View = {
    mode: 'query', index: 'multi', partition: ['Ås & co', '1e3'], sort: [{ op: 'between', values: ['a"b', ''] }],
    filter: all({ ...is('"a.b"', 'in', 'N', '1', '2'), not: true }, { ...any({ ...is('x', 'size', 'N', '3'), compare: '<=' }), not: true }),
    projection: 'a, "b,c"', descending: true, limit: '5', consistent: true, count: true, shape: 'plain',
  };
  const again = viewFromQuery(new URLSearchParams(queryOfView(view).toString()));
  assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(view)));
  assert.equal(queryOfView(initialView()).toString(), '');
});

test('addresses that are no views do no harm', () => {
  for (const text of ['filter=%7B', 'filter=["x"]', 'filter=["=",1,"S"]', 'filter=["=","a","S",1]', 'filter=["AND",["=","a","Q","1"]]', 'sk=["between","1"]', 'sk=7', 'show=x']) {
    assert.deepEqual(viewFromQuery(new URLSearchParams(text)), initialView(), text);
  }
  assert.equal(decodeFilter(encodeFilter(is('a', 'exists', 'S')))!.kind, 'test');
});

test('another operator keeps what fits', () => {
  assert.deepEqual(withOperator(is('a', '=', 'BOOL', 'true'), '<').type, 'S');
  assert.deepEqual(withOperator(is('a', '=', 'N', '5'), 'between').values, ['5', '']);
  assert.deepEqual(withOperator(is('a', 'in', 'N', '5', '6'), 'exists').values, []);
  assert.deepEqual(withOperator(is('a', '=', 'S', 'x'), 'type').values, ['S']);
  assert.equal(faultsOf(is('a', 'between', 'N', '1', 'x'))[0]!.at, 1);
});

test('a filter that could be a key condition', () => {
  // The partition key of the table, with its sort key.
  const scan = { ...initialView(), filter: all(is('PK', '=', 'S', 'p'), is('SK', '>', 'N', '3'), is('x', '=', 'S', 'y')) };
  const better = hintOf(scan, targets)!.better;
  assert.deepEqual([better.mode, better.index, better.partition, better.sort], ['query', '', ['p'], [{ op: '>', values: ['3'] }]]);
  assert.deepEqual(better.filter.children, [is('x', '=', 'S', 'y')]);
  // An index, all of whose partition key is there.
  const byIndex = { ...initialView(), filter: all(is('city', '=', 'S', 'Oslo'), is('tier', '=', 'N', '1')) };
  assert.equal(hintOf(byIndex, targets)!.better.index, 'multi');
  // In a query, the sort key.
  assert.deepEqual(hintOf(query({ filter: all(is('SK', 'between', 'N', '1', '2')) }), targets)!.better.sort, [{ op: 'between', values: ['1', '2'] }]);
  for (const filter of [
    any(is('PK', '=', 'S', 'p'), is('x', '=', 'S', 'y')), // an alternative
    all({ ...is('PK', '=', 'S', 'p'), not: true }),
    { ...all(is('PK', '=', 'S', 'p')), not: true },
    all(is('PK', '=', 'N', '1')), // another type matches nothing
    all(is('PK', '>', 'S', 'p')), // no equality
    all(is('city', '=', 'S', 'Oslo')), // half of the key
    all(is('PK.x', '=', 'S', 'p')),
    all(is('day', '=', 'S', 'Mon')), // an index of keys only would answer less
  ]) {
    assert.equal(hintOf({ ...initialView(), filter }, targets), undefined, JSON.stringify(filter));
  }
});

test('operands survive being printed', () => {
  for (const [type, text] of [['S', ' x '], ['N', '1e3'], ['B', 'AQ=='], ['BOOL', 'false'], ['NULL', ''], ['SS', '["a", "b"]'], ['NS', '[1, 2.50]'], ['L', '[1, "a"]'], ['M', '{ "a": null }']] as const) {
    assert.equal(printOperand(parseOperand(type, text)), text);
  }
  for (const [type, text] of [['N', ''], ['N', '1x'], ['B', 'A'], ['BOOL', ''], ['SS', '[]'], ['SS', '[1]'], ['NS', '"1"'], ['M', '[1]'], ['L', '{']] as const) {
    assert.throws(() => parseOperand(type, text), `${type} ${text}`);
  }
});

test('columns: keys first, once each, numbers to the right', () => {
  const columns = withItems(withItems(emptyColumns(), [{ b: { N: '1' }, k: { S: 'x' } }]), [{ b: { N: '2' }, __proto__x: { S: '' }, c: { S: 'a' } }, { c: { N: '1' } }]);
  assert.deepEqual(orderedColumns(columns, ['k', 'k', 'gone']).map((each) => [each.name, each.numeric]), [['k', false], ['b', true], ['__proto__x', false], ['c', false]]);
});

test('keys of items, words for views, entries of the history', () => {
  assert.deepEqual({ ...keyOf({ PK: { S: 'a' }, SK: { N: '1' }, x: { S: '' } }, [{ name: 'PK', type: 'S' }, { name: 'SK', type: 'N' }]) }, { PK: { S: 'a' }, SK: { N: '1' } });
  assert.equal(keyOf({ PK: { S: 'a' } }, [{ name: 'PK', type: 'S' }, { name: 'SK', type: 'N' }]), undefined);
  assert.equal(describeView(query({ sort: [{ op: '<=', values: ['3'] }] }), targets[0]!), 'PK = “p”, SK ≤ 3');
  const entry = (name: string, at: number) => ({ name, table: 'T', query: name, at });
  assert.deepEqual(
    withEntry([entry('a', 1), entry('b', 2)], entry('b', 3), (other) => other.query === 'b', 2).map((each) => [each.name, each.at]),
    [['b', 3], ['a', 1]],
  );
  assert.equal(withEntry([entry('a', 1), entry('b', 2)], entry('c', 3), () => false, 2).length, 2);
});

test('saved queries and history are apart for each namespace and each key that is one', () => {
  const entry = { name: 'x', table: 'T', query: 'pk=1', at: 1 };
  const open = { Version: '', Mode: 'open' as const, Time: 0, Features: [] };
  session.set({ namespace: 'one', server: { ...open, Namespaces: 'header' } });
  saveQuery(entry);
  remember(entry);
  session.set((before) => ({ ...before, namespace: 'constructor' }));
  assert.deepEqual(entriesOf(savedQueries.get(), 'T'), []);
  assert.deepEqual(entriesOf(queryHistory.get(), 'T'), []);
  session.set({ namespace: '', server: { ...open, Mode: 'verified', Namespaces: 'key' }, credentials: { accessKeyId: 'one', secretAccessKey: '' } });
  assert.deepEqual(entriesOf(savedQueries.get(), 'T'), []);
  session.set({ namespace: 'one', server: { ...open, Namespaces: 'header' } });
  assert.deepEqual(entriesOf(savedQueries.get(), 'T'), [entry]);
  assert.deepEqual(entriesOf(savedQueries.get(), 'U'), []);
  clearHistory('T');
  forgetQuery(entry);
  assert.deepEqual([entriesOf(savedQueries.get(), 'T'), entriesOf(queryHistory.get(), 'T')], [[], []]);
});

test('a vector search: digits kept, conditions of the schema only, the address', async () => {
  const { parseVector } = await import('./search.ts');
  const { vectorTargets } = await import('./target.ts');
  const books = {
    TableName: 'Books',
    AttributeDefinitions: ['Title', 'Shelf', 'Year'].map((AttributeName) => ({ AttributeName, AttributeType: AttributeName === 'Year' ? 'N' : 'S' })),
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
    VectorIndexes: [{
      IndexName: 'v', VectorAttribute: { AttributeName: 'Meaning' }, Dimensions: 2, DistanceFunction: 'DOT_PRODUCT', Projection: { ProjectionType: 'ALL' },
      SearchSchema: [{ AttributeName: 'Shelf', SearchSchemaElementType: 'HASH' }, { AttributeName: 'Year', SearchSchemaElementType: 'INLINE_FILTER' }],
    }],
  } as TableDescription;
  const [target] = vectorTargets(books);
  const view: View = { ...initialView(), mode: 'search', index: 'v', search: { vector: '[0.10000000000000000001, -2e-3]', top: '5', where: [['Year', '1851'], ['Shelf', 'sea']] } };
  assert.deepEqual(requestOf(view, books, target!), {
    operation: 'SearchVectors',
    input: {
      TableName: 'Books', IndexName: 'v', TopK: 5, SearchVector: [{ N: '0.10000000000000000001' }, { N: '-2e-3' }],
      SearchConditionExpression: '#n0 = :v0 AND #n1 = :v1', ExpressionAttributeNames: { '#n0': 'Shelf', '#n1': 'Year' },
      ExpressionAttributeValues: { ':v0': { S: 'sea' }, ':v1': { N: '1851' } }, ReturnConsumedCapacity: 'TOTAL',
    },
  });
  const again = viewFromQuery(new URLSearchParams(queryOfView(view).toString()));
  assert.deepEqual(again, view);
  const faults = (search: Partial<NonNullable<View['search']>>) => [...faultsOfView({ ...view, search: { ...view.search!, ...search } }, target!)].map(([field]) => field);
  assert.deepEqual(faults({}), []);
  assert.deepEqual(faults({ where: [['Year', 'x']] }), ['Shelf', 'Year']);
  assert.deepEqual(faults({ vector: '1', top: '0' }), ['vector', 'top']);
  assert.throws(() => parseVector('1, x', 2), /x/);
  assert.deepEqual(viewFromQuery(new URLSearchParams('mode=search&where=7')).search!.where, []);
});
