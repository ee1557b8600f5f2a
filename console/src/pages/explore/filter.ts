/** Filters: tests in groups, joined by AND or OR, each of which may be negated. */
import { parsePath, TYPES, type TypeTag } from '../../values/index.ts';
import type { Placeholders } from './expression.ts';
import { parseOperand } from './operand.ts';

export const OPERATORS = [
  '=', '<>', '<', '<=', '>', '>=', 'between', 'in', 'begins_with', 'contains', 'exists', 'not_exists', 'type', 'size',
] as const;
export type Operator = (typeof OPERATORS)[number];

export const OPERATOR_NAMES: Record<Operator, string> = {
  '=': '=',
  '<>': '≠',
  '<': '<',
  '<=': '≤',
  '>': '>',
  '>=': '≥',
  between: 'between',
  in: 'in',
  begins_with: 'begins with',
  contains: 'contains',
  exists: 'exists',
  not_exists: 'does not exist',
  type: 'is of type',
  size: 'size',
};

export const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** `PATH`: the operand is another attribute of the item. */
export type OperandType = TypeTag | 'PATH';
export const OPERAND_TYPES: OperandType[] = [...TYPES, 'PATH'];

export interface Test {
  kind: 'test';
  not?: boolean;
  path: string;
  op: Operator;
  /** Of the operands. For `type`, the operand itself is a type. */
  type: OperandType;
  values: string[];
  /** Of `size`: how it compares with the number. */
  compare?: Comparison;
}

export interface Group {
  kind: 'group';
  not?: boolean;
  join: 'AND' | 'OR';
  children: FilterNode[];
}

export type FilterNode = Test | Group;

export const emptyGroup = (join: 'AND' | 'OR' = 'AND'): Group => ({ kind: 'group', join, children: [] });
export const emptyTest = (): Test => ({ kind: 'test', path: '', op: '=', type: 'S', values: [''] });

export function operandCount(op: Operator): number | 'many' {
  if (op === 'exists' || op === 'not_exists') return 0;
  if (op === 'between') return 2;
  return op === 'in' ? 'many' : 1;
}

/** The types that an operator takes. */
export function typesOf(op: Operator): OperandType[] {
  switch (op) {
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'between':
      return ['S', 'N', 'B', 'PATH'];
    case 'begins_with':
      return ['S', 'B', 'PATH'];
    case 'size':
      return ['N'];
    default:
      return OPERAND_TYPES;
  }
}

/** A test with another operator: what still fits stays. */
export function withOperator(test: Test, op: Operator): Test {
  const count = operandCount(op);
  const fits = typesOf(op).includes(test.type);
  let type = fits ? test.type : typesOf(op)[0]!;
  let values = [...test.values];
  if (op === 'type') {
    type = 'S';
    if (!TYPES.includes(values[0] as TypeTag)) values = ['S'];
  } else if (test.op === 'type') values = [''];
  if (count === 'many') values = values.length ? values : [''];
  else values = Array.from({ length: count }, (_, at) => values[at] ?? '');
  return { ...test, op, type, values, ...(op === 'size' ? { compare: test.compare ?? '=' } : { compare: undefined }) };
}

/** What is wrong with a test, and where. */
export interface Fault {
  test: Test;
  /** 'path' or the number of the operand. */
  at: 'path' | number;
  message: string;
}

/** A test whose path is empty is not there yet: it takes no part. */
export const isBlank = (node: FilterNode): boolean =>
  node.kind === 'test' ? node.path.trim() === '' : node.children.every(isBlank);

export function faultsOf(node: FilterNode): Fault[] {
  if (node.kind === 'group') return node.children.flatMap(faultsOf);
  if (isBlank(node)) return [];
  const faults: Fault[] = [];
  const attempt = (at: 'path' | number, run: () => unknown) => {
    try {
      run();
    } catch (error) {
      faults.push({ test: node, at, message: (error as Error).message });
    }
  };
  attempt('path', () => parsePath(node.path));
  node.values.forEach((value, at) => {
    attempt(at, () => (node.type === 'PATH' ? parsePath(value) : node.op === 'type' ? undefined : parseOperand(node.type as TypeTag, value)));
  });
  return faults;
}

/** The FilterExpression; undefined without a test. Throws where faultsOf finds a fault. */
export function filterExpression(node: FilterNode, into: Placeholders): string | undefined {
  if (isBlank(node)) return undefined;
  if (node.kind === 'test') {
    const text = testExpression(node, into);
    return node.not ? `NOT ${text}` : text;
  }
  const parts = node.children
    .filter((each) => !isBlank(each))
    .map((each) => {
      const text = filterExpression(each, into)!;
      return each.kind === 'group' && !each.not && joined(each) && each.join !== node.join ? `(${text})` : text;
    });
  const text = parts.join(` ${node.join} `);
  return node.not ? `NOT (${text})` : text;
}

const joined = (group: Group) => group.children.filter((each) => !isBlank(each)).length > 1;

function testExpression(test: Test, into: Placeholders): string {
  const path = into.path(parsePath(test.path));
  const operand = (at: number) =>
    test.type === 'PATH' ? into.path(parsePath(test.values[at] ?? '')) : into.value(parseOperand(test.type as TypeTag, test.values[at] ?? ''));
  switch (test.op) {
    case 'between':
      return `${path} BETWEEN ${operand(0)} AND ${operand(1)}`;
    case 'in':
      return `${path} IN (${test.values.map((_, at) => operand(at)).join(', ')})`;
    case 'begins_with':
    case 'contains':
      return `${test.op}(${path}, ${operand(0)})`;
    case 'exists':
      return `attribute_exists(${path})`;
    case 'not_exists':
      return `attribute_not_exists(${path})`;
    case 'type':
      return `attribute_type(${path}, ${into.value({ S: test.values[0] ?? 'S' })})`;
    case 'size':
      return `size(${path}) ${test.compare ?? '='} ${operand(0)}`;
    default:
      return `${path} ${test.op} ${operand(0)}`;
  }
}

// --- text for the address: arrays instead of objects, so that it stays short ---

export function encodeFilter(node: FilterNode): unknown {
  if (node.kind === 'group') return [(node.not ? '!' : '') + node.join, ...node.children.map(encodeFilter)];
  const op = node.op === 'size' ? `size${node.compare ?? '='}` : node.op;
  return [(node.not ? '!' : '') + op, node.path, node.type, ...node.values];
}

/** undefined for what is no filter: addresses are typed by anyone. */
export function decodeFilter(json: unknown): FilterNode | undefined {
  if (!Array.isArray(json) || typeof json[0] !== 'string') return undefined;
  const not = json[0].startsWith('!') ? { not: true } : {};
  const word = json[0].replace(/^!/, '');
  if (word === 'AND' || word === 'OR') {
    const children = json.slice(1).map(decodeFilter);
    return children.every((each) => each !== undefined) ? { kind: 'group', ...not, join: word, children } : undefined;
  }
  const [, path, type, ...values] = json as unknown[];
  const size = /^size(=|<>|<=?|>=?)$/.exec(word);
  const op = (size ? 'size' : word) as Operator;
  if (!OPERATORS.includes(op) || typeof path !== 'string' || !OPERAND_TYPES.includes(type as OperandType)) return undefined;
  if (!values.every((each) => typeof each === 'string')) return undefined;
  const test = withOperator({ kind: 'test', ...not, path, op, type: type as OperandType, values: values as string[] }, op);
  return size ? { ...test, compare: size[1] as Comparison } : test;
}
