/**
 * JSON that keeps what JSON.parse loses: the text of numbers, attributes named `__proto__`, duplicate names (refused),
 * and the position of a fault.
 */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

export class JsonError extends Error {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  constructor(message: string, text: string, offset: number) {
    const before = text.slice(0, offset).split('\n');
    const line = before.length;
    const column = before[before.length - 1]!.length + 1;
    super(`${message} (line ${line}, column ${column})`);
    this.name = 'JsonError';
    this.offset = offset;
    this.line = line;
    this.column = column;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Record<string, string> = {
  '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t',
};
const MAX_DEPTH = 200;

class Parser {
  private at = 0;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  document(): Json {
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.fail('There is text behind the end of the JSON');
    return value;
  }

  private fail(message: string, at = this.at): never {
    throw new JsonError(message, this.text, at);
  }

  private space() {
    while (this.at < this.text.length && ' \t\n\r'.includes(this.text[this.at]!)) this.at++;
  }

  private value(depth: number): Json {
    if (depth > MAX_DEPTH) this.fail('The JSON is nested too deeply');
    this.space();
    const first = this.text[this.at];
    if (first === undefined) this.fail('The JSON ends too early');
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    if (first === '"') return this.string();
    for (const [word, value] of [['true', true], ['false', false], ['null', null]] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.at;
    const number = NUMBER.exec(this.text);
    if (!number) this.fail('A value is expected here');
    this.at += number[0].length;
    return new JsonNumber(number[0]);
  }

  private object(depth: number): JsonObject {
    const result = Object.create(null) as JsonObject;
    this.at++;
    this.space();
    if (this.text[this.at] === '}') {
      this.at++;
      return result;
    }
    for (;;) {
      this.space();
      const start = this.at;
      if (this.text[this.at] !== '"') this.fail('A name in double quotes is expected here');
      const name = this.string();
      if (name in result) this.fail(`The name ${JSON.stringify(name)} is there twice`, start);
      this.space();
      if (this.text[this.at] !== ':') this.fail('A colon is expected here');
      this.at++;
      result[name] = this.value(depth + 1);
      this.space();
      const next = this.text[this.at];
      if (next !== ',' && next !== '}') this.fail('A comma or } is expected here');
      this.at++;
      if (next === '}') return result;
    }
  }

  private array(depth: number): Json[] {
    const result: Json[] = [];
    this.at++;
    this.space();
    if (this.text[this.at] === ']') {
      this.at++;
      return result;
    }
    for (;;) {
      result.push(this.value(depth + 1));
      this.space();
      const next = this.text[this.at];
      if (next !== ',' && next !== ']') this.fail('A comma or ] is expected here');
      this.at++;
      if (next === ']') return result;
    }
  }

  private string(): string {
    let result = '';
    this.at++;
    for (;;) {
      PLAIN.lastIndex = this.at;
      const plain = PLAIN.exec(this.text)![0];
      result += plain;
      this.at += plain.length;
      const next = this.text[this.at];
      if (next === '"') {
        this.at++;
        return result;
      }
      if (next === undefined) this.fail('The closing double quote is missing');
      if (next !== '\\') this.fail('Control characters in a string must be escaped');
      const escape = this.text[this.at + 1] ?? '';
      if (escape === 'u') {
        const hex = this.text.slice(this.at + 2, this.at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('Four hexadecimal digits are expected after \\u');
        result += String.fromCharCode(parseInt(hex, 16));
        this.at += 6;
      } else {
        const char = ESCAPES[escape];
        if (char === undefined) this.fail('This escape does not exist in JSON');
        result += char;
        this.at += 2;
      }
    }
  }
}

/** Parses a text; throws JsonError, whose message says where. */
export function parseJson(text: string): Json {
  return new Parser(text).document();
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

/** Prints a value. Short arrays and objects of scalars stay on one line, up to `width` columns. */
export function printJson(value: Json, indent = 2, width = 80): string {
  const print = (inner: Json, before: string, room: number): string => {
    const line = printLine(inner);
    if (indent === 0 || line.length <= room || typeof inner !== 'object' || inner === null || inner instanceof JsonNumber) {
      return line;
    }
    const pad = before + ' '.repeat(indent);
    if (Array.isArray(inner)) {
      return `[\n${inner.map((each) => pad + print(each, pad, width - pad.length)).join(',\n')}\n${before}]`;
    }
    const lines = Object.entries(inner).map(([name, each]) => {
      const head = `${pad}${JSON.stringify(name)}: `;
      return head + print(each, pad, width - head.length);
    });
    return `{\n${lines.join(',\n')}\n${before}}`;
  };
  const whole = print(value, '', isObject(value) && Object.keys(value).length ? 0 : width);
  return whole;
}

function printLine(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(printLine).join(', ')}]`;
  const entries = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${printLine(each)}`);
  return entries.length ? `{ ${entries.join(', ')} }` : '{}';
}
