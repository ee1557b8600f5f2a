import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare, equalItems, type Item, own, parseItem, printItem } from '../../values/index.ts';
import { contentOf, isValid, readContent } from './content.ts';
import { type Field, fieldOf, fieldsOf, itemOf, needsJson, newField, replaceField, withType } from './draft.ts';
import { attributeAtFault, changesOf, comparable, createRequest, deleteRequest, differences, merged, updateRequest } from './save.ts';

const EVERYTHING: Item = parseItem(`{
  "id": {"S": "all"}, "#": {"S": ""}, "a.b": {"N": "12345678901234567890123456789012345678"}, "_version": {"N": "1e-130"},
  "select": {"BOOL": false}, "🦊": {"NULL": true}, "bin": {"B": "AAH/"}, "__proto__": {"S": "x"},
  "m": {"M": {"inner.x": {"L": [{"N": "1"}, {"M": {"deep": {"SS": ["x", "y"]}}}, {"NULL": true}]}, "": {"S": "no name"}}},
  "l": {"L": []}, "ss": {"SS": ["a", ""]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["AQ==", ""]}, "cr": {"S": "a\\r\\nb\\u0000"}
}`);

test('an item of all types survives the form', () => {
  const named = { ...EVERYTHING, m: { M: { x: (EVERYTHING.m as { M: Item }).M['inner.x']! } } };
  const { item, faults } = itemOf(fieldsOf(named, ['id']));
  assert.equal(faults.size, 0);
  assert.deepEqual(JSON.parse(printItem(item)), JSON.parse(printItem(named)));
});

test('both forms of JSON give the item back', () => {
  for (const form of ['dynamodb', 'plain'] as const) {
    const read = readContent(contentOf(EVERYTHING, form, ['id']));
    assert.ok(isValid(read), form);
    assert.ok(equalItems(read.item!, EVERYTHING), form);
  }
});

test('attributes named as members of objects are attributes like others', () => {
  const before = bare(JSON.parse('{"id": {"S": "k"}}'))!;
  const after = bare(JSON.parse('{"id": {"S": "k"}, "constructor": {"S": "x"}, "__proto__": {"M": {"toString": {"N": "1"}}}}'))!;
  assert.deepEqual(changesOf(before, after).set, ['constructor', '__proto__']);
  assert.deepEqual(changesOf(after, before).removed, ['constructor', '__proto__']);
  assert.equal(own(JSON.parse('{"id": {"S": "k"}}'), 'constructor'), undefined);
  assert.ok(equalItems(itemOf(fieldsOf(after)).item, after));
});

test('the key comes first in the form', () => {
  assert.deepEqual(fieldsOf({ b: { S: '' }, a: { S: '' }, k: { S: '' } }, ['k']).map((each) => each.name), ['k', 'b', 'a']);
});

test('faults stand at their fields', () => {
  const field = (name: string, type: Field['type'], text: string): Field => ({ ...newField(name, type), text });
  const fields = [
    field('n', 'N', '1x'), field('b', 'B', '=='), field('', 'S', ''), field('n', 'N', '1'), field('n', 'N', '2'), field('digits', 'N', '1'.repeat(39)),
    { ...newField('ns', 'NS'), children: [field('', 'N', '1'), field('', 'N', '1.0')] },
    { ...newField('empty', 'SS') },
    { ...newField('m', 'M'), children: [field('inner', 'N', '')] },
  ];
  const { item, faults } = itemOf(fields);
  const at = (index: number) => faults.get(fields[index]!.id) ?? '';
  assert.match(at(0), /not a number/);
  assert.match(at(1), /base64/);
  assert.match(at(2), /needs a name/);
  assert.match(at(4), /another attribute n/);
  assert.match(at(5), /38 significant digits/);
  assert.match(faults.get(fields[6]!.children[1]!.id)!, /already/);
  assert.match(at(7), /must have a member/);
  assert.match(faults.get(fields[8]!.children[0]!.id)!, /number is expected/);
  assert.equal(faults.size, 8);
  assert.deepEqual(Object.keys(item), ['n', 'm']);
});

test('another type keeps what it can', () => {
  assert.equal(withType({ ...newField('a', 'S'), text: '12' }, 'N').text, '12');
  assert.deepEqual(withType({ ...newField('a', 'S'), text: 'x' }, 'SS').children.map((each) => each.text), ['x']);
  assert.deepEqual(withType(fieldOf('a', { SS: ['x', 'y'] }), 'L').children.map((each) => [each.type, each.text]), [['S', 'x'], ['S', 'y']]);
  assert.deepEqual(withType(fieldOf('a', { L: [{ N: '1' }] }), 'M').children.map((each) => each.name), ['0']);
  assert.equal(withType(fieldOf('a', { SS: ['1'] }), 'NS').children[0]!.type, 'N');
});

test('fields are replaced and removed at any depth', () => {
  const fields = fieldsOf({ m: { M: { l: { L: [{ S: 'a' }, { S: 'b' }] } } }, o: { S: 'x' } });
  const first = fields[0]!.children[0]!.children[0]!;
  const next = replaceField(fields, first.id, () => undefined);
  assert.deepEqual(itemOf(next).item, itemOf(fieldsOf({ m: { M: { l: { L: [{ S: 'b' }] } } }, o: { S: 'x' } })).item);
  assert.equal(next[1], fields[1]);
  assert.equal(replaceField(fields, -1, () => undefined), fields);
});

test('text that a browser would change is left to JSON', () => {
  for (const text of ['a\r\nb', '\u0000', '\ud800', 'x\u2028']) assert.ok(needsJson(text));
  for (const text of ['a\nb\tc', '🦊', '']) assert.ok(!needsJson(text));
});

test('JSON that is no item says where', () => {
  assert.match(readContent({ form: 'dynamodb', text: '{"a": {"S": 1}}' }).error!.message, /^a: S expects text/);
  const syntax = readContent({ form: 'plain', text: '{"a": 1,}', before: {} }).error!;
  assert.equal(syntax.offset, 8);
  assert.match(syntax.message, /line 1, column 9/);
});

const readable = (text: string | undefined, input: { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: object }) =>
  text?.replace(/#n\d+/g, (name) => `<${input.ExpressionAttributeNames![name]}>`).replace(/:v\d+/g, (name) => JSON.stringify((input.ExpressionAttributeValues as never)[name]));

test('an update writes what changed, if the item is as it was read', () => {
  const before: Item = { id: { S: 'k' }, '#': { N: '1' }, 'a.b': { S: 'x' }, gone: { NULL: true }, same: { NS: ['1', '2'] } };
  const after: Item = { id: { S: 'k' }, '#': { N: '2' }, 'a.b': { S: 'x' }, same: { NS: ['2', '1.0'] }, added: { L: [] } };
  assert.deepEqual(changesOf(before, after), { set: ['#', 'added'], removed: ['gone'] });
  const input = updateRequest('T', before, after, ['id']);
  assert.deepEqual({ ...input.Key }, { id: { S: 'k' } });
  assert.equal(readable(input.UpdateExpression, input as never), 'SET <#> = {"N":"2"}, <added> = {"L":[]} REMOVE <gone>');
  assert.equal(
    readable(input.ConditionExpression, input as never),
    'attribute_exists(<id>) AND <#> = {"N":"1"} AND attribute_not_exists(<added>) AND <gone> = {"NULL":true} AND <a.b> = {"S":"x"} AND <same> = {"NS":["1","2"]}',
  );
});

test('an item with too many attributes is compared in the changed ones', () => {
  const before: Item = { id: { S: 'k' } };
  for (let at = 0; at < 300; at++) before[`a${at}`] = { N: '1' };
  const input = updateRequest('T', before, { ...before, a7: { N: '2' } }, ['id']);
  assert.equal(readable(input.ConditionExpression, input as never), 'attribute_exists(<id>) AND <a7> = {"N":"1"}');
});

test('creating and deleting are conditional too', () => {
  const create = createRequest('T', { id: { S: 'k' } }, ['id']);
  assert.equal(readable(create.ConditionExpression, create), 'attribute_not_exists(<id>)');
  const remove = deleteRequest('T', { id: { S: 'k' }, v: { N: '1' } }, ['id']);
  assert.equal(readable(remove.ConditionExpression, remove as never), 'attribute_exists(<id>) AND <v> = {"N":"1"}');
});

test('yours, theirs, before', () => {
  const before: Item = { id: { S: 'k' }, both: { N: '1' }, mine: { N: '1' }, other: { N: '1' }, same: { N: '1' }, agreed: { N: '1' } };
  const yours: Item = { ...before, both: { N: '2' }, mine: { N: '2' }, agreed: { N: '3' } };
  const theirs: Item = { ...before, both: { N: '3' }, other: { N: '2' }, agreed: { N: '3.0' }, fresh: { S: 'x' } };
  const list = differences(before, yours, theirs);
  assert.deepEqual(
    list.map((each) => [each.name, each.conflict, each.suggested]),
    [['both', true, 'yours'], ['mine', false, 'yours'], ['other', false, 'theirs'], ['agreed', false, 'yours'], ['fresh', false, 'theirs']],
  );
  assert.deepEqual({ ...merged(theirs, list, { both: 'theirs' }) }, { ...theirs, mine: { N: '2' }, agreed: { N: '3' } });
  // Dropping what they added.
  assert.equal(merged(theirs, list, { fresh: 'yours' }).fresh, undefined);
});

test('the attribute that a message of the server is about', () => {
  const names = ['timestamp', 'DeviceID', 'GSI1PK'];
  assert.equal(attributeAtFault('One or more parameter values were invalid: Type mismatch for key timestamp expected: N actual: S', names), 'timestamp');
  assert.equal(attributeAtFault('One or more parameter values were invalid: Type mismatch for Index Key GSI1PK Expected: S Actual: N IndexName: GSI1', names), 'GSI1PK');
  assert.equal(attributeAtFault('One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: DeviceID', names), 'DeviceID');
  assert.equal(attributeAtFault('One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: GSI1, IndexKey: GSI1PK', names), 'GSI1PK');
  assert.equal(attributeAtFault('One or more parameter values were invalid: Missing the key DeviceID in the item', names), 'DeviceID');
  assert.equal(attributeAtFault('Item size has exceeded the maximum allowed size', names), undefined);
});

test('an item with very many attributes is not compared by one condition', () => {
  const wide = (count: number): Item => Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, { S: 'x' }]));
  for (const [count, expected] of [[100, true], [150, false]] as const) {
    assert.equal(comparable({ id: { S: 'k' }, ...wide(count) }, ['id']), expected);
    assert.equal(deleteRequest('T', { id: { S: 'k' }, ...wide(count) }, ['id']).ConditionExpression!.includes(' AND '), expected);
  }
});
