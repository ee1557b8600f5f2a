import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../aws/errors.ts';
import { faultsOf } from './execute.ts';
import { locate, markOf, tokensOf } from './locate.ts';
import { decodeStatements, emptyStatement, encodeStatements, isRead, parameterCount, requestOf, tableOf, withText } from './statements.ts';

const UNFORMED = "Statement wasn't well formed, can't be processed: ";

/** The statement with its fault in brackets. */
function marked(statement: string, message: string): string | undefined {
  const place = locate(statement, message);
  return place && `${statement.slice(0, place.offset)}[${statement.slice(place.offset, place.offset + place.length)}]${statement.slice(place.offset + place.length)}`;
}

test('a position that the server gives', () => {
  assert.equal(marked('SELECT a[*] FROM x', 'Unexpected path component at 1:8:4'), 'SELECT [a[*]] FROM x');
  assert.equal(marked("SELECT *\nFROM x WHERE a = '🦊' AND zz", 'Unsupported clause: zz at 2:26:2'), "SELECT *\nFROM x WHERE a = '🦊' AND [zz]");
});

test('the place of a fault without a position', () => {
  for (const [statement, reason, wanted] of [
    ['SELEC * FROM x', 'Expected data manipulation', '[SELEC] * FROM x'],
    ['SELECT FROM x', 'Expected data manipulation', 'SELECT [FROM] x'],
    ['SELECT * x', 'Expected FROM after SELECT list', 'SELECT * [x]'],
    ['SELECT a b FROM x', 'Expected FROM after SELECT list', 'SELECT a [b] FROM x'],
    ['SELECT * FROM x WHERE', 'Unexpected term', 'SELECT * FROM x WHERE[]'],
    ['SELECT * FROM x WHERE SELECT', 'Unexpected term', 'SELECT * FROM x WHERE [SELECT]'],
    ['SELECT * FROM x WHERE a == 1', 'Unexpected operator', 'SELECT * FROM x WHERE a =[=] 1'],
    ['SELECT * FROM x WHERE a = 1 AND AND b', 'Unexpected operator', 'SELECT * FROM x WHERE a = 1 AND [AND] b'],
    ['SELECT * FROM x WHERE a = ', 'Missing right-hand side expression of infix operator', 'SELECT * FROM x WHERE a [=] '],
    ["SELECT * FROM x WHERE a = 1 b", 'Unexpected token after expression', 'SELECT * FROM x WHERE a = 1 [b]'],
    ["SELECT * FROM x WHERE a = 'q", '', "SELECT * FROM x WHERE a = ['q]"],
    ['SELECT * FROM x WHERE a ~ 1', '', 'SELECT * FROM x WHERE a [~] 1'],
    ['SELECT * FROM x WHERE (a = 1', 'Expected RIGHT_PAREN', 'SELECT * FROM x WHERE (a = 1[]'],
    ["INSERT INTO x VALUE {'a' 1}", 'Expected COLON', "INSERT INTO x VALUE {'a' [1]}"],
    ['UPDATE x SET a 1', "Expected '='", 'UPDATE x SET a [1]'],
    ['DELETE x', 'Expected FROM after DELETE', 'DELETE [x]'],
    ['SELECT * FROM x; SELECT', 'Unexpected token after semicolon. (Only one query is allowed.)', 'SELECT * FROM x; [SELECT]'],
    ['SELECT a.= FROM x', 'Invalid path dot component', 'SELECT a.[=] FROM x'],
  ] as const) {
    assert.equal(marked(statement, UNFORMED + reason), wanted, `${statement}: ${reason}`);
  }
  assert.equal(locate('SELECT * FROM x', 'Requested resource not found'), undefined);
});

test('the mark stands below the place', () => {
  const statement = 'SELECT *\n\tFROM x WHERE "🦊" = = 1';
  const place = locate(statement, `${UNFORMED}Unexpected operator`)!;
  const { line, text, lead, mark } = markOf(statement, place);
  assert.deepEqual([line, text, lead, mark], [2, '\tFROM x WHERE "🦊" = = 1', `\t${' '.repeat(19)}`, '^']);
});

test('tokens: strings with quotes, comments, parameters', () => {
  assert.deepEqual(tokensOf(`a='it''s' -- ?\n/* ? */ AND "b""c" = ?`).map((each) => [each.kind, each.text]), [
    ['word', 'A'], ['operator', '='], ['string', "it's"], ['word', 'AND'], ['quoted', 'b"c'], ['operator', '='], ['parameter', '?'],
  ]);
  assert.equal(parameterCount(`SELECT * FROM x WHERE a = '?' AND b = ? AND c = ?`), 2);
});

test('a parameter for each question mark', () => {
  const one = withText(emptyStatement(), 'a = ?');
  const two = withText({ ...one, parameters: [{ type: 'N', text: '1' }] }, 'a = ? AND b = ?');
  assert.deepEqual(two.parameters, [{ type: 'N', text: '1' }, { type: 'S', text: '' }]);
});

test('requests of the three kinds', () => {
  const read = { text: 'SELECT * FROM x WHERE a = ?', parameters: [{ type: 'N' as const, text: '12345678901234567890' }] };
  const write = { text: `DELETE FROM x WHERE a = 1`, parameters: [] };
  const options = { consistent: true, limit: '5' };
  assert.deepEqual(requestOf('single', [read, write], options), {
    operation: 'ExecuteStatement',
    input: { Statement: read.text, Parameters: [{ N: '12345678901234567890' }], ConsistentRead: true, Limit: 5, ReturnConsumedCapacity: 'TOTAL' },
  });
  assert.deepEqual(requestOf('batch', [read, emptyStatement()], options)!.input, {
    Statements: [{ Statement: read.text, Parameters: [{ N: '12345678901234567890' }], ConsistentRead: true }], ReturnConsumedCapacity: 'TOTAL',
  });
  assert.deepEqual(requestOf('transaction', [write], options)!.input, { TransactStatements: [{ Statement: write.text }], ReturnConsumedCapacity: 'TOTAL' });
  assert.equal(requestOf('single', [emptyStatement()], options), undefined);
  assert.equal(requestOf('single', [{ ...read, parameters: [{ type: 'N', text: 'x' }] }], options), undefined);
});

test('what a statement reads or writes', () => {
  assert.deepEqual(tableOf('SELECT * FROM "My.Table"."by-city" WHERE a = 1'), { table: 'My.Table', index: 'by-city' });
  assert.deepEqual(tableOf('insert into Music value {}'), { table: 'Music', index: undefined });
  assert.equal(tableOf('SELECT 1'), undefined);
  assert.ok(isRead(' -- comment\n select * from x') && isRead('EXISTS(SELECT * FROM x)') && !isRead('DELETE FROM x') && !isRead(''));
});

test('the address holds the statements', () => {
  const statements = [{ text: 'a = ?\n"é"', parameters: [{ type: 'NS' as const, text: '[1]' }] }, emptyStatement()];
  assert.deepEqual(decodeStatements(encodeStatements(statements)), statements);
  assert.equal(encodeStatements([emptyStatement()]), '');
  for (const text of ['', '{', '[]', '[1]', '[["a",["Q","1"]]]', '[["a",["S"]]]']) assert.deepEqual(decodeStatements(text), [emptyStatement()]);
});

test('faults are told at their statements', () => {
  const transaction = requestOf('transaction', [{ text: 'DELETE FROM x', parameters: [] }], { consistent: false, limit: '' })!;
  const error = new ServiceError('ExecuteTransaction', 400, 'TransactionCanceledException', 'cancelled', {
    CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' }],
  });
  assert.deepEqual([...faultsOf(error, transaction)], [[1, 'ConditionalCheckFailed: The conditional request failed']]);
});
