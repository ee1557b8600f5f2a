/**
 * Where a statement is at fault. DynamoDB gives a position for some faults ("at 1:8:5"); a statement that is not well
 * formed gets a message only, so the place is found here: by the tokens around it.
 */
export type TokenKind = 'word' | 'quoted' | 'string' | 'number' | 'operator' | 'punctuation' | 'parameter' | 'unknown' | 'open';

export interface Token {
  kind: TokenKind;
  /** Words in upper case, quoted names and strings without quotes. */
  text: string;
  offset: number;
  length: number;
}

const PARTS: [TokenKind | 'space', RegExp][] = [
  ['space', /\s+|--[^\n]*|\/\*[\s\S]*?\*\//y],
  ['string', /'(?:[^']|'')*'/y],
  ['quoted', /"(?:[^"]|"")*"/y],
  ['open', /'[\s\S]*|"[\s\S]*|\/\*[\s\S]*/y],
  ['number', /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['word', /[A-Za-z_$][\w$]*/y],
  ['operator', /<>|<=|>=|!=|\|\||[=<>+\-*/%]/y],
  ['punctuation', /<<|>>|[()[\]{},:;.]/y],
  ['parameter', /\?/y],
];

export function tokensOf(statement: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < statement.length) {
    let found: Token | undefined;
    for (const [kind, form] of PARTS) {
      form.lastIndex = at;
      const match = form.exec(statement)?.[0];
      if (!match) continue;
      if (kind === 'space') found = { kind: 'unknown', text: '', offset: at, length: match.length };
      else {
        const text = kind === 'word' ? match.toUpperCase() : kind === 'string' || kind === 'quoted' ? match.slice(1, -1).replaceAll(match[0]! + match[0]!, match[0]!) : match;
        found = { kind, text, offset: at, length: match.length };
        tokens.push(found);
      }
      break;
    }
    if (!found) {
      found = { kind: 'unknown', text: statement[at]!, offset: at, length: 1 };
      tokens.push(found);
    }
    at += found.length;
  }
  return tokens;
}

export interface Place {
  offset: number;
  /** 0 at the end of the statement. */
  length: number;
}

const CLAUSES = new Set(['SELECT', 'FROM', 'WHERE', 'ORDER', 'BY', 'SET', 'REMOVE', 'VALUE', 'RETURNING', 'INSERT', 'INTO', 'UPDATE', 'DELETE', 'GROUP', 'HAVING', 'LIMIT', 'ON']);
const INFIX_WORDS = new Set(['AND', 'OR', 'IN', 'BETWEEN', 'LIKE', 'IS', 'NOT', 'AS', 'ASC', 'DESC']);

const isOperand = (token: Token | undefined) =>
  token !== undefined &&
  (token.kind === 'string' || token.kind === 'number' || token.kind === 'parameter' || token.kind === 'quoted' ||
    (token.kind === 'word' && !CLAUSES.has(token.text) && !INFIX_WORDS.has(token.text)));
const isClause = (token: Token | undefined) => token?.kind === 'word' && CLAUSES.has(token.text);
const isInfix = (token: Token | undefined) =>
  (token?.kind === 'operator' && token.text !== '*') || (token?.kind === 'word' && ['AND', 'OR', 'IN', 'BETWEEN', 'LIKE', 'IS'].includes(token.text));
const is = (token: Token | undefined, text: string) => token?.kind === 'punctuation' && token.text === text;
const closes = (token: Token | undefined) => is(token, ')') || is(token, ']') || is(token, '}');

/** The place of the fault that a message tells of, or undefined where it says nothing of a place. */
export function locate(statement: string, message: string): Place | undefined {
  const given = /\bat (\d+):(\d+):(\d+)/.exec(message);
  if (given) return { offset: offsetOf(statement, Number(given[1]), Number(given[2])), length: Number(given[3]) };
  const reason = /^(?:[A-Za-z]*Error: )?Statement wasn't well formed, can't be processed: ?(.*)$/s.exec(message)?.[1];
  if (reason === undefined) return undefined;
  const tokens = tokensOf(statement);
  const odd = tokens.find((each) => each.kind === 'unknown' || each.kind === 'open');
  if (odd) return odd;
  return among(tokens, reason, { offset: statement.trimEnd().length, length: 0 });
}

function among(tokens: Token[], reason: string, end: Place): Place | undefined {
  const where = (fits: (token: Token, before: Token | undefined, after: Token | undefined) => boolean): Place | undefined =>
    tokens.find((token, at) => fits(token, tokens[at - 1], tokens[at + 1]));
  const behind = (word: string): Place => tokens[tokens.findIndex((each) => each.text === word) + 1] ?? end;
  const first = tokens[0] ?? end;
  if (/^Expected data manipulation/.test(reason)) return ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].includes(tokens[0]?.text ?? '') ? (tokens[1] ?? end) : first;
  if (/^Missing right-hand side/.test(reason) || /after AND$/.test(reason)) return where((token, _, after) => isInfix(token) && (!after || isClause(after) || closes(after))) ?? end;
  if (/^Unexpected operator/.test(reason)) return where((token, before) => isInfix(token) && !['*', '-', '+'].includes(token.text) && (!before || isInfix(before) || isClause(before)));
  if (/^Unexpected term/.test(reason)) return where((token, before) => isClause(token) && (isInfix(before) || before?.text === 'WHERE')) ?? where((token, before) => token.kind === 'punctuation' && (isInfix(before) || isClause(before)) && !'([{<<'.includes(token.text)) ?? end;
  if (/^Unexpected token after semicolon/.test(reason)) return tokens[tokens.findIndex((each) => is(each, ';')) + 1] ?? end;
  if (/^Unexpected token after expression/.test(reason)) return where((token, before) => isOperand(token) && (isOperand(before) || closes(before))) ?? where((token) => closes(token)) ?? end;
  if (/^Unexpected keyword/.test(reason)) return where((token, before) => isClause(token) && (isInfix(before) || is(before, ',') || is(before, '('))) ?? tokens[1] ?? end;
  if (/^Expected FROM after DELETE/.test(reason)) return behind('DELETE');
  if (/^Expected FROM after SELECT/.test(reason)) {
    return where((token, before) => (isOperand(token) && (isOperand(before) || before?.text === '*')) || (isClause(token) && token.text !== 'FROM' && token.text !== 'SELECT' && token.text !== 'VALUE')) ?? end;
  }
  if (/^Expected COLON/.test(reason)) return where((token, before) => isOperand(token) && isOperand(before)) ?? end;
  if (/^Expected '='/.test(reason)) return where((token, before) => isOperand(token) && isOperand(before)) ?? behind('SET');
  if (/dot component/.test(reason)) return where((_, before) => is(before, '.')) ?? end;
  return /^Expected/.test(reason) ? end : undefined;
}

/** Lines and columns count from 1; columns count characters, not UTF-16 units. */
function offsetOf(statement: string, line: number, column: number): number {
  let offset = 0;
  for (let at = 1; at < line; at++) offset = statement.indexOf('\n', offset) + 1;
  for (let at = 1; at < column && offset < statement.length; at++) offset += statement.codePointAt(offset)! > 0xffff ? 2 : 1;
  return offset;
}

/** The line at fault, and blanks up to the place, for showing a mark below it. */
export function markOf(statement: string, place: Place): { line: number; text: string; lead: string; mark: string } {
  const start = statement.lastIndexOf('\n', place.offset - 1) + 1;
  const stop = statement.indexOf('\n', start);
  const text = statement.slice(start, stop < 0 ? undefined : stop);
  const before = statement.slice(start, place.offset);
  return {
    line: statement.slice(0, start).split('\n').length,
    text,
    lead: before.replace(/[^\t]/gu, ' '),
    mark: '^'.repeat(Math.max(1, Math.min(place.length, start + text.length - place.offset))),
  };
}
