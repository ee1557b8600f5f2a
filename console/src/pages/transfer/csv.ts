/**
 * CSV (RFC 4180) without loss: the header names each column's type, as in `price:N`, and an attribute with several types
 * has several columns. An empty cell is an absent attribute; an empty text is `""`.
 */
import { itemFromDynamoJson, ValueError, valueFromDynamoJson } from '../../values/convert.ts';
import type { Json } from '../../values/json.ts';
import { numberFault } from '../../values/number.ts';
import { type AttributeValue, contentOf, emptyItem, type Item, TYPES, type TypeTag, typeOf } from '../../values/types.ts';

/** undefined: an empty cell without quotes. */
export type CsvCell = string | undefined;

export class CsvError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CsvError';
  }
}

const MAX_CELL = 2 * 1024 * 1024;

/** Takes text piece by piece and returns the rows that are complete. */
export class CsvReader {
  private rest = '';
  private readonly separator: string;

  constructor(separator = ',') {
    this.separator = separator;
  }

  push(chunk: string): CsvCell[][] {
    const text = this.rest + chunk;
    const { rows, at } = this.scan(text, false);
    this.rest = text.slice(at);
    if (this.rest.length > MAX_CELL) throw new CsvError('A row is longer than 2 MB: a closing quote is missing, or this is no CSV.');
    return rows;
  }

  end(): CsvCell[][] {
    const { rows } = this.scan(this.rest, true);
    this.rest = '';
    return rows;
  }

  private scan(text: string, last: boolean): { rows: CsvCell[][]; at: number } {
    const rows: CsvCell[][] = [];
    let start = 0;
    let row: CsvCell[] = [];
    let at = 0;
    const end = text.length;
    while (at < end) {
      let cell: CsvCell;
      if (text[at] === '"') {
        let value = '';
        let from = at + 1;
        for (;;) {
          const quote = text.indexOf('"', from);
          if (quote < 0) {
            if (last) throw new CsvError('A quoted cell is not closed.');
            return { rows, at: start };
          }
          value += text.slice(from, quote);
          from = quote + 1;
          if (text[from] !== '"') break;
          value += '"';
          from++;
        }
        at = from;
        cell = value;
        if (at < end && text[at] !== this.separator && text[at] !== '\n' && text[at] !== '\r') {
          throw new CsvError(`There is text behind a closing quote: ${JSON.stringify(text.slice(at, at + 20))}.`);
        }
      } else {
        let to = at;
        while (to < end && text[to] !== this.separator && text[to] !== '\n' && text[to] !== '\r') to++;
        cell = to === at ? undefined : text.slice(at, to);
        at = to;
      }
      row.push(cell);
      if (at >= end) break;
      if (text[at] === this.separator) {
        at++;
        if (at === end && last) row.push(undefined);
        if (at === end) break;
        continue;
      }
      at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
      if (row.length > 1 || row[0] !== undefined) rows.push(row);
      row = [];
      start = at;
    }
    if (last && row.length && (row.length > 1 || row[0] !== undefined)) rows.push(row);
    return { rows, at: last ? end : start };
  }
}

/** ',' ';' or a tab: whichever the first line has most of. */
export function separatorOf(firstLine: string): string {
  const count = (each: string) => firstLine.split(each).length;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best), ',');
}

export interface CsvColumn {
  name: string;
  /** undefined: the header names none. */
  type: TypeTag | undefined;
}

export function columnOf(header: CsvCell): CsvColumn {
  const text = header ?? '';
  const at = text.lastIndexOf(':');
  const type = text.slice(at + 1) as TypeTag;
  return at > 0 && TYPES.includes(type) ? { name: text.slice(0, at), type } : { name: text, type: undefined };
}

export function columnsOf(header: CsvCell[]): CsvColumn[] {
  const columns = header.map(columnOf);
  const seen = new Set<string>();
  for (const [index, { name, type }] of columns.entries()) {
    if (!name) throw new CsvError(`Column ${index + 1} of the header has no name.`);
    const key = `${name}:${type ?? ''}`;
    if (seen.has(key)) throw new CsvError(`The header has two columns ${JSON.stringify(key.replace(/:$/, ''))}.`);
    seen.add(key);
  }
  return columns;
}

/** The columns of a file that begins with `text`. */
export function headerOf(text: string): CsvColumn[] | undefined {
  const header = new CsvReader(separatorOf(text.split('\n', 1)[0]!)).push(text.replace(/^\ufeff/, ''))[0];
  return header && columnsOf(header);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function parsed(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ValueError(name, 'sets, maps and lists are DynamoDB JSON, such as ["a", "b"]');
  }
}

function valueOf(text: string, type: TypeTag, name: string): AttributeValue {
  switch (type) {
    case 'S':
      return { S: text };
    case 'N': {
      const fault = numberFault(text);
      if (fault) throw new ValueError(name, fault);
      return { N: text };
    }
    case 'BOOL': {
      const word = text.toLowerCase();
      if (word !== 'true' && word !== 'false') throw new ValueError(name, 'BOOL expects true or false');
      return { BOOL: word === 'true' };
    }
    case 'NULL':
      return { NULL: true };
    case 'M':
      return { M: itemFromDynamoJson(parsed(text, name), name) };
    case 'B':
      return valueFromDynamoJson({ B: text } as never, name);
    default:
      return valueFromDynamoJson({ [type]: parsed(text, name) } as never, name);
  }
}

/** What an untyped cell means if types are guessed: a number or a truth value that looks like one, else text. */
function guessed(text: string): TypeTag {
  if (NUMBER.test(text) && !numberFault(text)) return 'N';
  return text === 'true' || text === 'false' ? 'BOOL' : 'S';
}

export interface CsvTypes {
  /** Types of columns that name none: of key attributes, and chosen ones. */
  keys: Record<string, TypeTag>;
  /** Whether untyped columns are guessed cell by cell; else they are text. */
  guess: boolean;
}

/** An attribute may be called 'constructor', which every object seems to have. */
const keyType = (types: CsvTypes, name: string) => (Object.hasOwn(types.keys, name) ? types.keys[name] : undefined);

/** The item of a row; throws ValueError. */
export function itemOfRow(row: CsvCell[], columns: CsvColumn[], types: CsvTypes): Item {
  const item = emptyItem();
  if (row.length > columns.length) throw new ValueError('', `the row has ${row.length} cells, the header ${columns.length}`);
  for (const [index, cell] of row.entries()) {
    if (cell === undefined) continue;
    const { name, type } = columns[index]!;
    if (name in item) throw new ValueError(name, 'two columns give it a value');
    item[name] = valueOf(cell, type ?? keyType(types, name) ?? (types.guess ? guessed(cell) : 'S'), name);
  }
  return item;
}

function quoted(text: string): string {
  return text === '' || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function printRow(cells: CsvCell[]): string {
  return `${cells.map((each) => (each === undefined ? '' : quoted(each))).join(',')}\r\n`;
}

export function cellOf(value: AttributeValue): string {
  const content = contentOf(value);
  switch (typeOf(value)) {
    case 'S':
    case 'N':
    case 'B':
      return content as string;
    case 'BOOL':
      return String(content);
    case 'NULL':
      return 'null';
    default:
      return JSON.stringify(content);
  }
}

/** A spreadsheet would run such a cell. Escaping changes the data, so it is done by choice only. */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** Columns for items, in the order in which attributes appear; keys first. */
export class CsvColumns {
  readonly headers: string[] = [];
  private readonly places = new Map<string, number>();

  constructor(keys: { name: string; type: TypeTag }[]) {
    for (const key of keys) this.place(`${key.name}:${key.type}`);
  }

  private place(header: string): number {
    let place = this.places.get(header);
    if (place === undefined) {
      place = this.headers.length;
      this.places.set(header, place);
      this.headers.push(header);
    }
    return place;
  }

  add(item: Item): void {
    for (const name in item) this.place(`${name}:${typeOf(item[name]!)}`);
  }

  /** The header's row. Names of attributes are as hostile as values. */
  header(escapeFormulas: boolean): string {
    return printRow(escapeFormulas ? this.headers.map(withoutFormula) : this.headers);
  }

  row(item: Item, escapeFormulas: boolean): string {
    const cells = new Array<CsvCell>(this.headers.length).fill(undefined);
    for (const name in item) {
      const text = cellOf(item[name]!);
      const isText = typeOf(item[name]!) === 'S';
      cells[this.place(`${name}:${typeOf(item[name]!)}`)] = escapeFormulas && isText ? withoutFormula(text) : text;
    }
    return printRow(cells);
  }
}
