/** What the generators of code share. A request is an operation and its input in the wire's JSON. */
export interface Request {
  operation: string;
  input: object;
}

export interface Target {
  endpoint: string;
  region: string;
}

export type Node = null | boolean | number | string | Node[] | { [name: string]: Node };

/** {"B": "base64"}: binary values are base64 text on the wire and bytes in the SDKs. */
export function binaryOf(node: Node): string | undefined {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return undefined;
  const names = Object.keys(node);
  return names.length === 1 && names[0] === 'B' && typeof node.B === 'string' ? node.B : undefined;
}

export function binariesOf(node: Node): string[] | undefined {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return undefined;
  const names = Object.keys(node);
  const list = node.BS;
  if (names.length !== 1 || !Array.isArray(list) || !list.every((each) => typeof each === 'string')) return undefined;
  return list as string[];
}

/** Requests sent one after the other. Only the reply of a single one is kept. */
export function listOf(requests: Request | Request[]): Request[] {
  return Array.isArray(requests) ? requests : [requests];
}

/** Members without a value are no part of a request. */
export function clean(input: object): { [name: string]: Node } {
  return JSON.parse(JSON.stringify(input)) as { [name: string]: Node };
}

const STREAMS = new Set(['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams']);
export const isStreams = (operation: string): boolean => STREAMS.has(operation);

/** Whether the program reads on to the last page, as the CLI does by itself: not if a page's size or start is given. */
export function isPaged({ operation, input }: Request): boolean {
  const { Limit, ExclusiveStartKey } = clean(input);
  return (operation === 'Query' || operation === 'Scan') && Limit === undefined && ExclusiveStartKey === undefined;
}

/**
 * Prints nested data in the syntax of a language: one line while it fits in `width` columns, else a line a member.
 */
export function layout(node: Node, write: Syntax, indent = '', width = 96): string {
  const line = flat(node, write);
  if (indent.length + line.length <= width || write.leaf(node) !== undefined) return line;
  const deeper = indent + write.step;
  if (Array.isArray(node)) {
    return `[\n${node.map((each) => deeper + layout(each, write, deeper, width)).join(',\n')}${write.lastComma}\n${indent}]`;
  }
  const lines = Object.entries(node as { [name: string]: Node }).map(
    ([name, value]) => `${deeper}${write.name(name)}: ${layout(value, write, deeper, width)}`,
  );
  return `{\n${lines.join(',\n')}${write.lastComma}\n${indent}}`;
}

export interface Syntax {
  step: string;
  lastComma: string;
  pad: string; // inside of braces on one line
  name(name: string): string;
  /** The text of what is not taken apart, or undefined. */
  leaf(node: Node): string | undefined;
}

function flat(node: Node, write: Syntax): string {
  const leaf = write.leaf(node);
  if (leaf !== undefined) return leaf;
  if (Array.isArray(node)) return `[${node.map((each) => flat(each, write)).join(', ')}]`;
  const members = Object.entries(node as { [name: string]: Node }).map(([name, value]) => `${write.name(name)}: ${flat(value, write)}`);
  return members.length ? `{${write.pad}${members.join(', ')}${write.pad}}` : '{}';
}
