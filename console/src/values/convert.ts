/** Attribute values ↔ DynamoDB JSON text ↔ plain JSON. Nothing here passes a number through JavaScript's Number. */
import { isObject, type Json, JsonNumber, type JsonObject, parseJson, printJson } from './json.ts';
import { numberFault, parseDecimal } from './number.ts';
import { type AttributeValue, contentOf, emptyItem, type Item, TYPES, type TypeTag, typeOf } from './types.ts';

/** A value that cannot be an attribute, and where it is: `at` is a document path such as `address.zip` or `tags[2]`. */
export class ValueError extends Error {
  readonly at: string;
  constructor(at: string, message: string) {
    super(at ? `${at}: ${message}` : message);
    this.name = 'ValueError';
    this.at = at;
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const below = (at: string, name: string) => (at ? `${at}.${name}` : name);

// --- DynamoDB JSON ---

/** Checks a parsed text and makes an attribute value of it. */
export function valueFromDynamoJson(json: Json, at = ''): AttributeValue {
  const names = isObject(json) ? Object.keys(json) : [];
  const tag = names[0] as TypeTag | undefined;
  if (names.length !== 1 || !TYPES.includes(tag!)) {
    throw new ValueError(at, 'DynamoDB JSON expects an object with one type, such as {"S": "text"}');
  }
  const inner = (json as JsonObject)[tag!]!;
  switch (tag!) {
    case 'S':
      return { S: text(inner, at, 'S') };
    case 'N':
      return { N: number(inner, at) };
    case 'B':
      return { B: binary(inner, at) };
    case 'BOOL':
      if (typeof inner !== 'boolean') throw new ValueError(at, 'BOOL expects true or false');
      return { BOOL: inner };
    case 'NULL':
      if (inner !== true) throw new ValueError(at, 'NULL expects true');
      return { NULL: true };
    case 'M':
      return { M: itemFromDynamoJson(inner, at) };
    case 'L':
      return { L: members(inner, at, 'L').map((each, index) => valueFromDynamoJson(each, `${at}[${index}]`)) };
    case 'SS':
      return { SS: set(inner, at, 'SS', (each) => text(each, at, 'SS')) };
    case 'NS':
      return { NS: set(inner, at, 'NS', (each) => number(each, at)) };
    case 'BS':
      return { BS: set(inner, at, 'BS', (each) => binary(each, at)) };
  }
}

/** The same for the whole of an item: names with tagged values. */
export function itemFromDynamoJson(json: Json, at = ''): Item {
  if (!isObject(json)) throw new ValueError(at, 'An object of attributes is expected');
  const item = emptyItem();
  for (const [name, value] of Object.entries(json)) item[name] = valueFromDynamoJson(value, below(at, name));
  return item;
}

/** An item of a reply as one without prototypes, at any depth. */
export function bare(item: unknown): Item | undefined {
  return item === undefined ? undefined : itemFromDynamoJson(item as Json);
}

function text(json: Json, at: string, tag: string): string {
  if (typeof json !== 'string') throw new ValueError(at, `${tag} expects text in double quotes`);
  return json;
}

function number(json: Json, at: string): string {
  if (typeof json !== 'string') throw new ValueError(at, 'N expects the number as text: {"N": "42"}');
  const fault = numberFault(json);
  if (fault) throw new ValueError(at, fault);
  return json;
}

function binary(json: Json, at: string): string {
  const value = text(json, at, 'B');
  if (!BASE64.test(value)) throw new ValueError(at, 'Binary values are base64, padded with "="');
  return value;
}

function members(json: Json, at: string, tag: string): Json[] {
  if (!Array.isArray(json)) throw new ValueError(at, `${tag} expects an array`);
  return json;
}

function set<T>(json: Json, at: string, tag: string, read: (each: Json) => T): T[] {
  const result = members(json, at, tag).map(read);
  if (!result.length) throw new ValueError(at, 'A set must have a member');
  return result;
}

/** {"name": {"S": "text"}} of a text; throws JsonError or ValueError. */
export function parseItem(source: string): Item {
  return itemFromDynamoJson(parseJson(source));
}

export function parseValue(source: string): AttributeValue {
  return valueFromDynamoJson(parseJson(source));
}

export function printItem(item: Item, indent = 2): string {
  return printJson(item as unknown as Json, indent);
}

// --- plain JSON ---

/** Plain JSON, for reading: sets become arrays and binary values text. `lossy` names the attributes that lost their type. */
export function toPlain(item: Item): { json: JsonObject; lossy: string[] } {
  const lossy: string[] = [];
  const value = (of: AttributeValue, at: string): Json => {
    const tag = typeOf(of);
    switch (tag) {
      case 'N':
        return plainNumber((of as { N: string }).N, () => lossy.push(at));
      case 'NULL':
        return null;
      case 'M':
        return map((of as { M: Item }).M, at);
      case 'L':
        return (of as { L: AttributeValue[] }).L.map((each, index) => value(each, `${at}[${index}]`));
      case 'NS':
        lossy.push(at);
        return (of as { NS: string[] }).NS.map((each) => plainNumber(each, () => {}));
      case 'B':
      case 'SS':
      case 'BS':
        lossy.push(at);
        return contentOf(of) as Json;
      default:
        return contentOf(of) as Json;
    }
  };
  const map = (of: Item, at: string): JsonObject => {
    const result = Object.create(null) as JsonObject;
    for (const name in of) result[name] = value(of[name]!, below(at, name));
    return result;
  };
  return { json: map(item, ''), lossy };
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function plainNumber(source: string, odd: () => void): Json {
  if (JSON_NUMBER.test(source)) return new JsonNumber(source);
  const decimal = parseDecimal(source);
  if (!decimal) {
    odd();
    return source;
  }
  return new JsonNumber(`${decimal.negative ? '-' : ''}${decimal.digits || '0'}${decimal.digits && decimal.exponent ? `e${decimal.exponent}` : ''}`);
}

/**
 * An item from plain JSON. `before`, the item as it was, gives back the types that plain JSON cannot say: an array stays
 * a set, and text stays binary, where the attribute was one and the new value can be one.
 */
export function fromPlain(json: Json, before?: Item): Item {
  if (!isObject(json)) throw new ValueError('', 'An object of attributes is expected');
  const item = emptyItem();
  for (const [name, value] of Object.entries(json)) item[name] = plainValue(value, before?.[name], name);
  return item;
}

function plainValue(json: Json, before: AttributeValue | undefined, at: string): AttributeValue {
  const was = before && typeOf(before);
  if (json === null) return { NULL: true };
  if (typeof json === 'boolean') return { BOOL: json };
  if (json instanceof JsonNumber) {
    const fault = numberFault(json.text);
    if (fault) throw new ValueError(at, fault);
    return { N: json.text };
  }
  if (typeof json === 'string') {
    if (was === 'B' && BASE64.test(json)) return { B: json };
    return { S: json };
  }
  if (Array.isArray(json)) return plainArray(json, before, at);
  const was_map = was === 'M' ? (before as { M: Item }).M : undefined;
  const map = emptyItem();
  for (const [name, value] of Object.entries(json)) map[name] = plainValue(value, was_map?.[name], below(at, name));
  return { M: map };
}

function plainArray(json: Json[], before: AttributeValue | undefined, at: string): AttributeValue {
  const was = before && typeOf(before);
  const distinct = new Set(json.map((each) => (each instanceof JsonNumber ? each.text : each))).size === json.length;
  const texts = json.every((each) => typeof each === 'string');
  if (json.length && distinct) {
    if (was === 'SS' && texts) return { SS: json as string[] };
    if (was === 'BS' && texts && json.every((each) => BASE64.test(each as string))) return { BS: json as string[] };
    if (was === 'NS' && json.every((each) => each instanceof JsonNumber && !numberFault(each.text))) {
      return { NS: json.map((each) => (each as JsonNumber).text) };
    }
  }
  const list = was === 'L' ? (before as { L: AttributeValue[] }).L : undefined;
  return { L: json.map((each, index) => plainValue(each, list?.[index], `${at}[${index}]`)) };
}

/** One line for a cell: text as it is, containers as {3} and [5], binary as its length. */
export function summary(value: AttributeValue): string {
  const tag = typeOf(value);
  const inner = contentOf(value);
  switch (tag) {
    case 'BOOL':
      return String(inner);
    case 'NULL':
      return 'null';
    case 'M':
      return `{${Object.keys(inner as Item).length}}`;
    case 'L':
      return `[${(inner as unknown[]).length}]`;
    case 'SS':
    case 'NS':
    case 'BS':
      return `{ ${(inner as string[]).join(', ')} }`;
    default:
      return inner as string;
  }
}

/** Equal as DynamoDB compares: numbers by value, sets without order, maps without order. */
export function equalValues(left: AttributeValue, right: AttributeValue): boolean {
  return canonical(left) === canonical(right);
}

export function equalItems(left: Item, right: Item): boolean {
  return canonical({ M: left }) === canonical({ M: right });
}

/** A text that is the same for equal values. */
export function canonical(value: AttributeValue): string {
  const tag = typeOf(value);
  const inner = contentOf(value);
  const decimal = (source: string) => {
    const parsed = parseDecimal(source);
    return parsed ? `${parsed.negative ? '-' : ''}${parsed.digits}e${parsed.exponent}` : source;
  };
  switch (tag) {
    case 'N':
      return `N${decimal(inner as string)}`;
    case 'M': {
      const map = inner as Item;
      return `M{${Object.keys(map).sort().map((name) => `${JSON.stringify(name)}:${canonical(map[name]!)}`).join(',')}}`;
    }
    case 'L':
      return `L[${(inner as AttributeValue[]).map(canonical).join(',')}]`;
    case 'NS':
      return `NS${JSON.stringify((inner as string[]).map(decimal).sort())}`;
    case 'SS':
    case 'BS':
      return `${tag}${JSON.stringify([...(inner as string[])].sort())}`;
    default:
      return tag + JSON.stringify(inner);
  }
}
