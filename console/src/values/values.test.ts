import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  canonical, compareNumbers, equalItems, fromPlain, itemSize, JsonError, numberBytes, numberFault, parseItem, parseJson,
  printItem, printJson, readUnits, sameNumber, toPlain, utf8Bytes, ValueError, valueSize, writeUnits,
} from './index.ts';

const DIGITS = '12345678901234567890123456789012345678';
const ALL = `{
  "pk": {"S": ""}, "#": {"N": "${DIGITS}"}, "a.b": {"B": "AAEC"}, "_version": {"BOOL": false},
  "__proto__": {"NULL": true}, "size": {"M": {"x": {"L": [{"N": "-1e-3"}, {"S": "😀"}]}}},
  "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2.50"]}, "bs": {"BS": ["AA=="]}, "l": {"L": []}
}`;

test('an item of all ten types survives text and back', () => {
  const item = parseItem(ALL);
  assert.deepEqual(Object.keys(item).sort(), ['#', '__proto__', '_version', 'a.b', 'bs', 'l', 'ns', 'pk', 'size', 'ss']);
  assert.deepEqual(item['#'], { N: DIGITS });
  const again = parseItem(printItem(item));
  assert.ok(equalItems(item, again));
  assert.equal(JSON.stringify(again), JSON.stringify(item));
});

test('plain JSON and back keeps the types of sets, binary and 38 digits', () => {
  const item = parseItem(ALL);
  const { json, lossy } = toPlain(item);
  const text = printJson(json);
  assert.match(text, new RegExp(`"#": ${DIGITS}`));
  assert.deepEqual(lossy.sort(), ['a.b', 'bs', 'ns', 'ss']);
  assert.ok(equalItems(item, fromPlain(parseJson(text), item)));
  assert.deepEqual(fromPlain(parseJson('{"tags":["a"]}')).tags, { L: [{ S: 'a' }] });
});

test('a set that gets a number among texts, or a member twice, becomes a list', () => {
  const before = parseItem('{"t":{"SS":["a"]}}');
  assert.deepEqual(fromPlain(parseJson('{"t":["a",1]}'), before).t, { L: [{ S: 'a' }, { N: '1' }] });
  assert.deepEqual(fromPlain(parseJson('{"t":["a","a"]}'), before).t, { L: [{ S: 'a' }, { S: 'a' }] });
});

test('faults say where', () => {
  assert.throws(() => parseJson('{\n "a": 1,\n "a": 2}'), (error: JsonError) => error.line === 3 && error.column === 2);
  assert.throws(() => parseJson('{"a": 01}'), JsonError);
  assert.throws(() => parseJson('{"a": "\u0001"}'), JsonError);
  assert.throws(() => parseJson('[1,]'), JsonError);
  assert.throws(() => parseJson('{} x'), JsonError);
  assert.throws(() => parseItem('{"a":{"M":{"b":{"L":[{"N":1}]}}}}'), (error: ValueError) => error.at === 'a.b[0]');
  assert.throws(() => parseItem('{"a":{"SS":[]}}'), ValueError);
  assert.throws(() => parseItem('{"a":{"B":"abc"}}'), ValueError);
  assert.throws(() => parseItem('{"a":{"S":"x","N":"1"}}'), ValueError);
});

test('numbers: limits, order, equality', () => {
  assert.equal(numberFault('1e125'), undefined);
  assert.match(numberFault('1e126')!, /too large/);
  assert.equal(numberFault('1E-130'), undefined);
  assert.match(numberFault('1E-131')!, /too small/);
  assert.equal(numberFault(DIGITS), undefined);
  assert.match(numberFault(`${DIGITS}9`)!, /39/);
  assert.equal(numberFault(`${DIGITS}000`), undefined);
  for (const text of ['', 'abc', '1,5', '0x10', '--1', '1e', '.', 'Infinity', ' 1']) assert.match(numberFault(text)!, /not a number/);
  const sorted = ['-1e3', '-10', '-9', '-0.5', '0', '0.001', '9', '10', '1000', '1e10', '1e125'];
  for (let i = 0; i < sorted.length; i++) {
    for (let j = 0; j < sorted.length; j++) {
      assert.equal(Math.sign(compareNumbers(sorted[i]!, sorted[j]!)), Math.sign(i - j), `${sorted[i]} ${sorted[j]}`);
    }
  }
  assert.ok(sameNumber('1e3', '1000.00'));
  assert.ok(sameNumber('-0', '0'));
  assert.equal(canonical({ NS: ['2', '1e0'] }), canonical({ NS: ['1', '2.0'] }));
});

test('sizes are the server\'s', () => {
  // The same figures as src/model/size_test.cc.
  assert.equal(valueSize({ S: '' }), 0);
  assert.equal(valueSize({ S: 'café' }), 5);
  assert.equal(valueSize({ B: 'AAAAAAAAAA==' }), 7);
  assert.equal(valueSize({ N: '-42' }), 3);
  assert.equal(valueSize({ BOOL: false }), 1);
  assert.equal(valueSize({ NULL: true }), 1);
  assert.equal(valueSize({ SS: ['a', 'bcd'] }), 4);
  assert.equal(valueSize({ BS: ['YQ==', 'YmNk'] }), 4);
  assert.equal(valueSize({ NS: ['1', '123'] }), 5);
  assert.equal(valueSize({ L: [] }), 3);
  assert.equal(valueSize({ L: [{ NULL: true }, { S: 'ab' }] }), 3 + 2 + 1 + 2);
  assert.equal(valueSize({ M: { name: { S: 'xy' }, inner: { L: [] } } }), 3 + 2 + 4 + 2 + 5 + 3);
  assert.equal(itemSize({ pk: { S: 'abc' }, n: { N: '7' } }), 2 + 3 + 1 + 2);
  assert.equal(numberBytes('0'), 1);
  assert.equal(numberBytes('1e100'), 2);
  assert.equal(utf8Bytes('😀'), 4);
  assert.equal(readUnits(0, false), 0.5);
  assert.equal(readUnits(4097, true), 2);
  assert.equal(writeUnits(1025), 2);
});
