import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePath, parsePaths, printPath } from './path.ts';

test('paths, plain and quoted', () => {
  assert.deepEqual(parsePath('a'), ['a']);
  assert.deepEqual(parsePath(' address.zip '), ['address', 'zip']);
  assert.deepEqual(parsePath('l[0][12].x'), ['l', 0, 12, 'x']);
  assert.deepEqual(parsePath('"a.b"."#\\"\\\\"[1]'), ['a.b', '#"\\', 1]);
  assert.deepEqual(parsePath('🦊.#'), ['🦊', '#']);
  assert.deepEqual(parsePaths('a, "b,c".d ,e[1]'), [['a'], ['b,c', 'd'], ['e', 1]]);
  assert.deepEqual(parsePaths(''), []);
});

test('what is no path is refused', () => {
  for (const text of ['', '.', 'a.', 'a[', 'a[x]', 'a[-1]', '"a', '""', 'a]', 'a"b"', 'a,b']) assert.throws(() => parsePath(text), text);
  for (const text of [',', 'a,,b', 'a b"c"']) assert.throws(() => parsePaths(text), text);
});

test('a printed path is read as the same', () => {
  for (const path of [['a'], ['a.b', 'c d', 0], ['"', 3, '\\'], ['#', '_version', 'select']]) assert.deepEqual(parsePath(printPath(path)), path);
  assert.equal(printPath(['a', 0, 'b']), 'a[0].b');
});
