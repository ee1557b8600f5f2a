/** Rows of an import, in each format: items, or why a row is none. */
import { fromPlain, itemFromDynamoJson } from '../../values/convert.ts';
import { isObject, type Json, parseJson, printJson } from '../../values/json.ts';
import type { Item } from '../../values/types.ts';
import { type CsvCell, type CsvColumn, CsvReader, type CsvTypes, columnsOf, itemOfRow, printRow, separatorOf } from './csv.ts';

/** DynamoDB JSON, a line each; plain JSON, a line each; one JSON document; CSV. */
export type Format = 'dynamodb-lines' | 'json-lines' | 'json' | 'csv';

export const FORMAT_NAMES: Record<Format, string> = {
  'dynamodb-lines': 'DynamoDB JSON lines',
  'json-lines': 'JSON lines',
  json: 'JSON',
  csv: 'CSV',
};

export interface ParsedRow {
  /** From 1; of CSV, without the header. */
  row: number;
  item?: Item;
  fault?: string;
  /** The row as it was read, for the file of failed rows. */
  text: string;
}

export interface ReadOptions {
  format: Format;
  csv: CsvTypes;
}

const TAGS = /^(S|N|B|BOOL|NULL|M|L|SS|NS|BS)$/;

function isTagged(json: Json): boolean {
  if (!isObject(json)) return false;
  const names = Object.keys(json);
  return names.length === 1 && TAGS.test(names[0]!);
}

const isDynamoItem = (json: Json): boolean => isObject(json) && Object.keys(json).length > 0 && Object.values(json).every(isTagged);

/** The format of a file, by its name and its first characters. */
export function detectFormat(name: string, head: string): Format {
  const text = head.replace(/^\ufeff/, '').trimStart();
  const plainName = name.toLowerCase().replace(/\.gz$/, '');
  if (/\.(csv|tsv)$/.test(plainName)) return 'csv';
  if (!text.startsWith('{') && !text.startsWith('[')) return 'csv';
  const line = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n')).trim();
  try {
    const first = parseJson(line);
    if (isObject(first) && !('Items' in first)) return isObject(first.Item) || isDynamoItem(first) ? 'dynamodb-lines' : 'json-lines';
  } catch {
    // The first line is not a whole document.
  }
  return 'json';
}

function lineItem(text: string, format: Format): Item {
  if (format === 'json-lines') return fromPlain(parseJson(text));
  let json: Json;
  try {
    // All numbers of DynamoDB JSON are texts, so nothing is lost, and this is several times as fast.
    json = JSON.parse(text) as Json;
  } catch {
    json = parseJson(text); // throws with the position
  }
  return itemFromDynamoJson(isObject(json) && isObject(json.Item) && !isTagged(json.Item) ? json.Item : json);
}

/** Items of one JSON document: a list, {"Items": […]}, {"TABLE": [{"PutRequest": …}]}, or a single item. */
export function documentItems(text: string): { item?: Item; fault?: string; json: Json }[] {
  const root = parseJson(text.replace(/^\ufeff/, ''));
  const list = listOf(root);
  const dynamo = list.length > 0 && list.every((each) => isDynamoItem(each));
  return list.map((json) => {
    try {
      return { item: dynamo ? itemFromDynamoJson(json) : fromPlain(json), json };
    } catch (error) {
      return { fault: (error as Error).message, json };
    }
  });
}

function listOf(root: Json): Json[] {
  if (Array.isArray(root)) return root.map(unwrap);
  if (!isObject(root)) throw new Error('A list of items is expected.');
  if (Array.isArray(root.Items)) return root.Items.map(unwrap);
  const values = Object.values(root);
  const requests = values.length === 1 && Array.isArray(values[0]) ? values[0] : [];
  if (requests.length && requests.every((each) => isObject(each) && isObject(each.PutRequest))) return requests.map((each) => unwrap((each as { PutRequest: Json }).PutRequest));
  return [unwrap(root)];
}

function unwrap(json: Json): Json {
  return isObject(json) && Object.keys(json).length === 1 && isObject(json.Item) && !isTagged(json.Item) ? json.Item : json;
}

/** Rows of a text that comes in pieces. */
export async function* readRows(chunks: AsyncIterable<string>, options: ReadOptions): AsyncGenerator<ParsedRow[]> {
  if (options.format === 'csv') yield* csvRows(chunks, options.csv);
  else if (options.format === 'json') yield* documentRows(chunks);
  else yield* lineRows(chunks, options.format);
}

async function* lineRows(chunks: AsyncIterable<string>, format: Format): AsyncGenerator<ParsedRow[]> {
  let rest = '';
  let row = 0;
  let first = true;
  const parse = (lines: string[]): ParsedRow[] => {
    const rows: ParsedRow[] = [];
    for (const line of lines) {
      const text = line.trim();
      if (!text) continue;
      row++;
      try {
        rows.push({ row, item: lineItem(text, format), text });
      } catch (error) {
        rows.push({ row, fault: (error as Error).message, text });
      }
    }
    return rows;
  };
  for await (const chunk of chunks) {
    rest += first ? chunk.replace(/^\ufeff/, '') : chunk;
    first = false;
    const end = rest.lastIndexOf('\n');
    if (end < 0) continue;
    const lines = rest.slice(0, end).split('\n');
    rest = rest.slice(end + 1);
    yield parse(lines);
  }
  yield parse([rest]);
}

async function* documentRows(chunks: AsyncIterable<string>): AsyncGenerator<ParsedRow[]> {
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  yield documentItems(parts.join('')).map(({ item, fault, json }, index) => ({ row: index + 1, item, fault, text: printJson(json, 0) }));
}

async function* csvRows(chunks: AsyncIterable<string>, types: CsvTypes): AsyncGenerator<ParsedRow[]> {
  let reader: CsvReader | undefined;
  let columns: CsvColumn[] | undefined;
  let row = 0;
  const parse = (rows: CsvCell[][]): ParsedRow[] => {
    const result: ParsedRow[] = [];
    for (const cells of rows) {
      if (!columns) {
        columns = columnsOf(cells);
        continue;
      }
      row++;
      const text = printRow(cells).trimEnd();
      try {
        result.push({ row, item: itemOfRow(cells, columns, types), text });
      } catch (error) {
        result.push({ row, fault: (error as Error).message, text });
      }
    }
    return result;
  };
  for await (const chunk of chunks) {
    const text = reader ? chunk : chunk.replace(/^\ufeff/, '');
    reader ??= new CsvReader(separatorOf(text.split('\n', 1)[0]!));
    yield parse(reader.push(text));
  }
  if (reader) yield parse(reader.end());
}

/** One line of an export in DynamoDB's own form. */
export const dynamoLine = (item: Item): string => `${JSON.stringify({ Item: item })}\n`;
