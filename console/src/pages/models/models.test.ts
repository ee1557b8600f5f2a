import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isObject, type Json, JsonNumber, type JsonObject, parseJson } from '../../values/json.ts';
import { equalItems } from '../../values/index.ts';
import { indexItems } from '../picture/layout.ts';
import { idOf } from '../picture/schema.ts';
import { applyDraft, draftOf, faultOf, otherMembers } from './draft.ts';
import { addItems, facetTree, indexTree, keyTree, newModel, newTable, renamed, setAttributes, setItem, setList, withNewTable, withTable } from './edit.ts';
import { list, modelDate, ModelError, pictureOf, printModel, readModel, sampleItem, workbenchLimits } from './file.ts';
import { samplesCsv, samplesFromCsv } from './samples.ts';
import { createTableInput, differences, tableFrom } from './tables.ts';

/** Members named x… are unknown to the console; they must survive. */
const FILE = `{
  "ModelName": "Library", "xTop": {"n": 1.50, "z": [null, true]},
  "ModelMetadata": {"Author": "us", "DateCreated": "2026-01-01T00:00:00Z", "xMeta": "kept", "Version": "2.0"},
  "DataModel": [{
    "TableName": "books", "xTable": 12345678901234567890,
    "KeyAttributes": {"PartitionKey": {"AttributeName": "shelf", "AttributeType": "S", "xFormat": "f"}, "SortKey": {"AttributeName": "at", "AttributeType": "N", "MapFunction": "m"}},
    "NonKeyAttributes": [{"AttributeName": "title", "AttributeType": "S", "xNote": "n"}, {"AttributeName": "tags", "AttributeType": "SS"}, {"AttributeName": "by", "AttributeType": "S"}],
    "TableFacets": [
      {"FacetName": "Book", "xFacet": 1, "KeyAttributeAlias": {"PartitionKeyAlias": "Shelf", "SortKeyAlias": "Place"}, "NonKeyAttributes": ["title"],
       "TableData": [{"shelf": {"S": "A"}, "at": {"N": "1"}, "title": {"S": "One"}}, {"shelf": {"S": "A"}, "at": {"N": "10"}, "by": {"S": "me"}}], "DataAccess": {"MySql": {}}},
      {"FacetName": "Loan", "KeyAttributeAlias": {"PartitionKeyAlias": "Shelf"}, "NonKeyAttributes": []}
    ],
    "GlobalSecondaryIndexes": [{"IndexName": "by", "xIndex": {}, "KeyAttributes": {"PartitionKey": {"AttributeName": "by", "AttributeType": "S"}},
      "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["shelf", "title", "by"]}}],
    "TableData": [{"shelf": {"S": "A"}, "at": {"N": "1.0"}, "title": {"S": "One"}}, {"shelf": {"S": "B"}, "at": {"N": "2"}, "tags": {"SS": ["x"]}}, {"shelf": {"S": "C"}}, {"shelf": {"S": "C"}, "at": {"N": 3}}, 7],
    "DataAccess": {"MySql": {}},
    "BillingMode": "PROVISIONED",
    "ProvisionedCapacitySettings": {"ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 3}, "AutoScalingRead": {"ScalableTargetRequest": {"MinCapacity": 1}}}
  }]
}`;

/** A value with its order, without the version that saving sets. */
function shape(json: Json): unknown {
  if (json instanceof JsonNumber) return `number ${json.text}`;
  if (Array.isArray(json)) return json.map(shape);
  if (isObject(json)) return Object.keys(json).filter((each) => each !== 'Version').map((each) => [each, shape(json[each]!)]);
  return json;
}

test('a file is written as the value that was read, all members in their order, as version 3.0', () => {
  const written = printModel(readModel(FILE));
  assert.deepEqual(shape(parseJson(written)), shape(parseJson(FILE)));
  assert.equal((JSON.parse(written) as { ModelMetadata: { Version: string } }).ModelMetadata.Version, '3.0');
});

test('versions may be absent; unknown ones are refused', () => {
  const without = FILE.replace(', "Version": "2.0"', '');
  assert.equal(readModel(without).tables.length, 1);
  assert.match(printModel(readModel(without)), /"Version": "3.0"/);
  assert.throws(() => readModel(FILE.replace('"2.0"', '"9.1"')), /Version.*"9.1"/);
});

test('sample data is the union of the table’s and its facets’, by key; what fits no key is told', () => {
  const table = readModel(FILE).tables[0]!;
  assert.deepEqual(table.items.map((each) => Object.values(each.at!)[0]), ['1.0', '2', '3', '10']);
  assert.deepEqual(table.problems, ['TableData[2]: the key attribute "at" is missing', 'TableData[4]: An object of attributes is expected']);
  assert.deepEqual(table.capacity, { read: '7', write: '3' });
  assert.deepEqual(pictureOf(table).facets!.map((each) => [each.name, each.ids.size]), [['Book', 2]]);
});

test('what is inside of maps and lists may be plain JSON, as Workbench writes it', () => {
  const plain = sampleItem(parseJson('{"a": {"M": {"on": true, "x": 1.50, "in": {"y": null}}}, "b": {"L": [1, "t"]}, "c": {"M": {"d": {"S": "s"}}}}'));
  assert.deepEqual(JSON.parse(JSON.stringify(plain)), {
    a: { M: { on: { BOOL: true }, x: { N: '1.50' }, in: { M: { y: { NULL: true } } } } }, b: { L: [{ N: '1' }, { S: 't' }] }, c: { M: { d: { S: 's' } } },
  });
  assert.throws(() => sampleItem(parseJson('{"a": {"S": 1}}')), /a: S expects text/);
});

test('texts that are no model are refused with the reason', () => {
  const cases: [string, RegExp][] = [
    ['{"a": }', /not JSON.*line 1, column 7/],
    ['[]', /JSON object/],
    ['{"models": {}, "indexes": {}}', /no “DataModel”.*OneTable/],
    ['{"Resources": {}}', /no “DataModel”.*CloudFormation/],
    ['{"DataModel": {}}', /must be a list/],
    ['{"DataModel": []}', /no table/],
    ['{"DataModel": [{"x": 1}]}', /DataModel\[0\]\.TableName/],
    ['{"DataModel": [{"TableName": "t"}]}', /DataModel\[0\]\.KeyAttributes/],
    ['{"DataModel": [{"TableName": "t", "KeyAttributes": {"PartitionKey": {}}}]}', /PartitionKey\.AttributeName/],
    ['{"DataModel": [{"TableName": "t", "KeyAttributes": {"PartitionKey": {"AttributeName": "a", "AttributeType": "M"}}}]}', /"M"; a key is S, N or B/],
  ];
  for (const [source, reason] of cases) {
    assert.throws(() => readModel(source), (error: Error) => error instanceof ModelError && reason.test(error.message), source);
  }
});

test('edits change what they name, and nothing beside it', () => {
  const before = readModel(FILE);
  const text = printModel(before);
  const shapeOf = pictureOf(before.tables[0]!);
  let after = withTable(renamed(before, 'Archive'), 0, (table) => {
    let next = setAttributes(table, [{ name: 'title', type: 'L' }, { name: 'fresh', type: 'N' }]);
    next = { ...next, KeyAttributes: keyTree({ partition: [{ name: 'shelf', type: 'S' }], sort: [{ name: 'at', type: 'N' }] }, next.KeyAttributes) } as JsonObject;
    const [index] = next.GlobalSecondaryIndexes as JsonObject[];
    next = setList(next, 'GlobalSecondaryIndexes', [indexTree({ name: 'renamed', keys: { partition: [{ name: 'by', type: 'S' }], sort: [] }, projection: 'ALL', included: [] }, index)]);
    const [facet, other] = next.TableFacets as JsonObject[];
    return setList(next, 'TableFacets', [facetTree({ name: 'Volume', partitionAlias: 'S', attributes: ['title', 'fresh'] }, facet), other!]);
  });
  assert.equal(printModel(before), text, 'the old model is as it was');
  const written = printModel(after);
  for (const kept of ['"xTop"', '"xMeta"', '12345678901234567890', '"xFormat"', '"MapFunction"', '"xNote"', '"xFacet"', '"xIndex"', '"AutoScalingRead"', '1.50']) {
    assert.ok(written.includes(kept), kept);
  }
  const table = after.tables[0]!;
  assert.deepEqual(table.attributes, [{ name: 'title', type: 'L' }, { name: 'fresh', type: 'N' }]);
  assert.deepEqual([table.indexes[0]!.name, table.indexes[0]!.projection], ['renamed', 'ALL']);
  assert.deepEqual([table.facets[0]!.name, table.facets[0]!.sortAlias, table.facets[1]!.name], ['Volume', undefined, 'Loan']);
  after = withNewTable(after, newTable('second', { partition: [{ name: 'id', type: 'B' }], sort: [] }));
  assert.deepEqual(after.tables[1]!.keys.sort, []);
  assert.throws(() => withNewTable(after, newTable('second', { partition: [{ name: 'id', type: 'B' }], sort: [] })), /Two tables/);
  assert.equal(withTable(after, 0, () => undefined).tables[0]!.name, 'second');
  assert.ok(idOf(table.items[0]!, shapeOf));
});

test('items are replaced wherever the file has them, added, and removed', () => {
  const model = readModel(FILE);
  const shape = pictureOf(model.tables[0]!);
  const inFacet = model.tables[0]!.items.find((each) => 'by' in each)!;
  const moved = withTable(model, 0, (table) => setItem(table, shape, idOf(inFacet, shape), { ...inFacet, at: { N: '11' } }));
  const facet = ((moved.tree.DataModel as JsonObject[])[0]!.TableFacets as JsonObject[])[0]!;
  assert.deepEqual(((facet.TableData as Json[])[1] as unknown as { at: unknown }).at, { N: '11' });
  assert.equal(moved.tables[0]!.items.length, 4);
  const dataOf = (each: typeof model) => (each.tree.DataModel as JsonObject[])[0]!.TableData as Json[];
  assert.equal(dataOf(moved).length, dataOf(model).length, 'it is not in two places');
  const added = withTable(model, 0, (table) => setItem(table, shape, undefined, { shelf: { S: 'Z' }, at: { N: '1' } }));
  assert.equal(added.tables[0]!.items.length, 5);
  const twice = withTable(added, 0, (table) => setItem(table, shape, undefined, { shelf: { S: 'Z' }, at: { N: '1' }, title: { S: 'new' } }));
  assert.equal(twice.tables[0]!.items.length, 5);
  const removed = withTable(twice, 0, (table) => setItem(table, shape, idOf({ shelf: { S: 'Z' }, at: { N: '1' } }, shape), undefined));
  assert.equal(removed.tables[0]!.items.length, 4);
});

test('a model’s table becomes CreateTable: keys of indexes defined once, INCLUDE without keys', () => {
  const input = createTableInput(readModel(FILE).tables[0]!, 'other');
  assert.deepEqual(input, {
    TableName: 'other',
    AttributeDefinitions: [{ AttributeName: 'shelf', AttributeType: 'S' }, { AttributeName: 'at', AttributeType: 'N' }, { AttributeName: 'by', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'shelf', KeyType: 'HASH' }, { AttributeName: 'at', KeyType: 'RANGE' }],
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 7, WriteCapacityUnits: 3 },
    GlobalSecondaryIndexes: [{
      IndexName: 'by', KeySchema: [{ AttributeName: 'by', KeyType: 'HASH' }], Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['title'] },
      ProvisionedThroughput: { ReadCapacityUnits: 7, WriteCapacityUnits: 3 },
    }],
  });
});

test('a table and back: the same keys, indexes and items; local indexes and those of vectors are told', () => {
  const table = readModel(FILE).tables[0]!;
  const description = { ...createTableInput(table), BillingModeSummary: { BillingMode: 'PROVISIONED' as const } };
  const found = tableFrom(description as never, table.items);
  const again = readModel(printModel(newModel('m', [found.table], new Date(0)))).tables[0]!;
  assert.deepEqual([again.keys, again.indexes[0]!.keys, again.capacity, again.billing], [table.keys, table.indexes[0]!.keys, table.capacity, table.billing]);
  assert.equal(again.items.length, 4);
  assert.ok(again.items.every((item, index) => equalItems(item, table.items[index]!)));
  assert.deepEqual(differences(again, description as never), []);
  const odd = {
    ...description,
    LocalSecondaryIndexes: [{ IndexName: 'local' }],
    VectorIndexes: [{ IndexName: 'near' }],
  };
  assert.deepEqual(tableFrom(odd as never, []).warnings.map((each) => each.split(' ').slice(0, 3).join(' ')), ['Local index local', 'Vector index near']);
});

test('differences to the server name what, here and there', () => {
  const table = readModel(FILE).tables[0]!;
  assert.deepEqual(differences(table, undefined), [{ what: 'Table books', model: 'there', server: '–' }]);
  const description = { ...createTableInput(table), BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' } };
  const other = { ...description, KeySchema: [{ AttributeName: 'shelf', KeyType: 'HASH' }], GlobalSecondaryIndexes: [{ ...description.GlobalSecondaryIndexes![0]!, Projection: { ProjectionType: 'ALL' } }, { IndexName: 'more', KeySchema: [{ AttributeName: 'by', KeyType: 'HASH' }] }] };
  assert.deepEqual(differences(table, other as never).map((each) => each.what), ['Keys', 'Capacity', 'Index by: projection', 'Index more']);
});

test('an index of a model holds the items with its keys, with what it projects', () => {
  const table = readModel(FILE).tables[0]!;
  const items = indexItems(table.items, pictureOf(table), 'by');
  assert.deepEqual(items.map((each) => Object.keys(each).sort()), [['at', 'by', 'shelf']]);
});

test('times are written as Workbench writes them', () => {
  assert.match(modelDate(new Date(2022, 9, 4, 16, 5)), /^Oct 04, 2022, 04:05 PM$/);
});

const WIDE = `{"DataModel": [{"TableName": "Scores", "KeyAttributes": {"PartitionKey": {"AttributeName": "id", "AttributeType": "S"}},
  "GlobalSecondaryIndexes": [{"IndexName": "by-game", "KeyAttributes": {
    "PartitionKey": {"AttributeName": "game", "AttributeType": "S"}, "SortKey": {"AttributeName": "season", "AttributeType": "N"},
    "MorePartitionKeys": [{"AttributeName": "region", "AttributeType": "S", "xKey": 1}], "MoreSortKeys": [{"AttributeName": "round", "AttributeType": "N"}, {"AttributeName": "at", "AttributeType": "S"}]
  }, "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["region", "points"]}}],
  "TableData": [{"id": {"S": "1"}, "game": {"S": "go"}, "region": {"S": "eu"}, "season": {"N": "9"}, "round": {"N": "1"}, "at": {"S": "x"}, "points": {"N": "5"}},
                {"id": {"S": "2"}, "game": {"S": "go"}, "season": {"N": "9"}, "round": {"N": "1"}, "at": {"S": "x"}}]}]}`;

test('keys of several attributes: read, edited, written, made into a table and back; what Workbench lacks is told', () => {
  const model = readModel(WIDE);
  const table = model.tables[0]!;
  const [index] = table.indexes;
  assert.deepEqual(index!.keys.partition.map((each) => each.name), ['game', 'region']);
  assert.deepEqual(index!.keys.sort.map((each) => each.name + each.type), ['seasonN', 'roundN', 'atS']);
  assert.match(workbenchLimits(model).join(), /Index by-game of Scores.*MorePartitionKeys/);
  assert.deepEqual(workbenchLimits(readModel(FILE)), []);
  // The item without a region is not in the index.
  assert.deepEqual(indexItems(table.items, pictureOf(table), 'by-game').map((each) => each.id), [{ S: '1' }]);
  const input = createTableInput(table);
  assert.deepEqual(input.GlobalSecondaryIndexes![0], {
    IndexName: 'by-game',
    KeySchema: [['game', 'HASH'], ['region', 'HASH'], ['season', 'RANGE'], ['round', 'RANGE'], ['at', 'RANGE']].map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['points'] },
  });
  const back = tableFrom({ ...input, BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' } } as never, []);
  assert.deepEqual(back.warnings, []);
  assert.deepEqual(modelOf1(back.table).indexes[0]!.keys, index!.keys);
  assert.deepEqual(differences(table, { ...input, BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' } } as never), []);
  // One attribute fewer: the rest keeps its members, a list that is empty goes.
  const draft = draftOf(table);
  draft.indexes[0]!.sort = [draft.indexes[0]!.sort[0]!];
  const written = printModel(withTable(model, 0, (tree) => applyDraft(tree, draft, table)));
  assert.ok(written.includes('"xKey": 1') && !written.includes('MoreSortKeys'));
  const five = WIDE.replace('"MoreSortKeys": [', `"MoreSortKeys": [${'{"AttributeName": "z", "AttributeType": "S"}, '.repeat(2)}`);
  assert.throws(() => readModel(five), /MoreSortKeys” lists 4 attributes; an index has up to 4/);
});

const modelOf1 = (table: JsonObject) => newModel('m', [table], new Date(0)).tables[0]!;

test('a draft: what is wrong is named, renamed attributes take their sample data along, capacity is written', () => {
  const model = readModel(FILE);
  const table = model.tables[0]!;
  const draft = draftOf(table);
  assert.match(faultOf(draft) ?? '', /An index’s name has 3/);
  draft.indexes[0]!.name = 'by-author';
  assert.equal(faultOf(draft), undefined);
  const faults: [Partial<typeof draft>, RegExp][] = [
    [{ name: 'a' }, /3 to 255/],
    [{ partition: { name: ' ', type: 'S' } }, /The table needs a partition key/],
    [{ sort: { name: 'shelf', type: 'S' } }, /The table has the key attribute shelf twice/],
    [{ indexes: [draft.indexes[0]!, draft.indexes[0]!] }, /Two indexes have the same name/],
    [{ indexes: [{ ...draft.indexes[0]!, sort: [{ name: 'shelf', type: 'N' }] }] }, /shelf has two types/],
    [{ attributes: [{ name: 'a', type: 'S' }, { name: 'a', type: 'N' }] }, /listed twice/],
    [{ facets: [{ name: '', partitionAlias: '', sortAlias: '', attributes: '' }] }, /A facet has no name/],
    [{ capacity: { read: '0', write: '1' } }, /whole number/],
  ];
  for (const [part, reason] of faults) assert.match(faultOf({ ...draft, ...part }) ?? '', reason);

  const changed = { ...draft, sort: { name: 'place', type: 'N' as const }, attributes: draft.attributes.map((each) => (each.name === 'by' ? { ...each, name: 'author' } : each)), capacity: { read: '9', write: '3' } };
  const after = withTable(model, 0, (tree) => applyDraft(tree, changed, table));
  const next = after.tables[0]!;
  assert.deepEqual(next.items.map((each) => Object.values(each.place!)[0]), ['1.0', '2', '3', '10']);
  assert.deepEqual(next.indexes[0]!.keys.partition, [{ name: 'author', type: 'S' }]);
  assert.deepEqual(next.indexes[0]!.included, ['shelf', 'title', 'author']);
  assert.ok(next.items.some((each) => 'author' in each) && !next.items.some((each) => 'by' in each));
  const written = printModel(after);
  for (const kept of ['"xNote"', '"xFormat"', '"MapFunction"', '"xIndex"', '"xFacet"', '"AutoScalingRead"']) assert.ok(written.includes(kept), kept);
  assert.deepEqual(next.capacity, { read: '9', write: '3' });
  assert.deepEqual(Object.keys(otherMembers(list(model.tree.DataModel)[0] as JsonObject)), ['xTable', 'DataAccess', 'ProvisionedCapacitySettings', 'TableFacets: Book']);
  // A draft that changes nothing writes the same file.
  assert.equal(printModel(withTable(model, 0, (tree) => applyDraft(tree, draftOf(table), table))), printModel(model));
});

test('sample items as CSV and back: types of the header, then of the model; faults by row', () => {
  const table = readModel(FILE).tables[0]!;
  const csv = samplesCsv(table);
  assert.match(csv, /^shelf:S,at:N,/);
  const again = samplesFromCsv(csv, table);
  assert.deepEqual(again.faults, []);
  assert.ok(again.items.length === 4 && again.items.every((item, index) => equalItems(item, table.items[index]!)));
  const plain = samplesFromCsv('\ufefftitle;at;shelf;tags;pages\n007;20;Z;"[""a""]";12\n;;Z;;\nx;y;Z;;\n', table);
  assert.deepEqual(JSON.parse(JSON.stringify(plain.items)), [{ title: { S: '007' }, at: { N: '20' }, shelf: { S: 'Z' }, tags: { SS: ['a'] }, pages: { N: '12' } }]);
  assert.match(plain.faults.join('\n'), /Row 2: the key attribute "at" is missing\nRow 3: at: /);
  const model = readModel(FILE);
  const read = withTable(model, 0, (tree) => addItems(tree, pictureOf(table), [...plain.items, { ...table.items[0]!, title: { S: 'changed' } }]));
  assert.equal(read.tables[0]!.items.length, 5);
  assert.equal(read.tables[0]!.items.filter((each) => JSON.stringify(each.title) === '{"S":"changed"}').length, 1);
  assert.deepEqual(read.tables[0]!.attributes.map((each) => each.name), ['title', 'tags', 'by', 'pages']);
});

// Files of others, where a folder of them is given: read, and written as the same value.
const folder = process.env.WORKBENCH_FILES;
test('files of others', { skip: !folder }, () => {
  for (const name of readdirSync(folder!)) {
    const source = readFileSync(`${folder}/${name}`, 'utf8');
    let model;
    try {
      model = readModel(source);
    } catch (error) {
      console.log(`${name}: ${(error as Error).message}`);
      continue;
    }
    assert.deepEqual(shape(parseJson(printModel(model))), shape(parseJson(source.replace(/^\ufeff/, ''))), name);
    for (const table of model.tables) console.log(`${name}: ${table.name}, ${table.items.length} items, ${table.indexes.length} indexes, ${table.problems.join('; ')}`);
  }
});
