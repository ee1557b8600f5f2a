/** What the page shows, as the form holds it and as the address spells it; and the request that it means. */
import type { InputOf, TableDescription } from '../../aws/operations.ts';
import { parsePaths } from '../../values/index.ts';
import { Placeholders } from './expression.ts';
import { decodeFilter, emptyGroup, encodeFilter, faultsOf, filterExpression, type Group, isBlank } from './filter.ts';
import { brief, parseOperand } from './operand.ts';
import { emptySearch, faultsOfSearch, type Search, searchInput } from './search.ts';
import { keyAttributes, type KeyAttribute, type ReadTarget } from './target.ts';

export const SORT_OPERATORS = ['=', '<', '<=', '>', '>=', 'between', 'begins_with'] as const;
export type SortOperator = (typeof SORT_OPERATORS)[number];

export interface SortCondition {
  op: SortOperator;
  values: string[];
}

export type Shape = 'grid' | 'dynamodb' | 'plain' | 'picture';
export const SHAPES: Shape[] = ['grid', 'dynamodb', 'plain', 'picture'];

export interface View {
  mode: 'query' | 'scan' | 'search';
  /** '' is the table itself. */
  index: string;
  /** A value for each attribute of the partition key, as text. */
  partition: string[];
  /** Conditions on the attributes of the sort key, in order; all but the last are equalities. */
  sort: SortCondition[];
  filter: Group;
  /** Paths separated by commas; '' is all attributes. */
  projection: string;
  descending: boolean;
  /** Items that one request reads at most; '' leaves it to the server (1 MB). */
  limit: string;
  consistent: boolean;
  count: boolean;
  shape: Shape;
  /** Of a search. */
  search?: Search;
  /** Attributes without a column in the grid. */
  hidden?: string[];
}

export const initialView = (): View => ({
  mode: 'scan',
  index: '',
  partition: [],
  sort: [],
  filter: emptyGroup(),
  projection: '',
  descending: false,
  limit: '',
  consistent: false,
  count: false,
  shape: 'grid',
});

// --- the address ---

export function viewFromQuery(query: URLSearchParams): View {
  const view = initialView();
  view.partition = query.getAll('pk');
  view.sort = query.getAll('sk').map(sortFromText).filter((each) => each !== undefined);
  view.mode = query.get('mode') === 'query' || (view.partition.length > 0 && query.get('mode') !== 'scan') ? 'query' : 'scan';
  view.index = query.get('index') ?? '';
  const filter = jsonOf(query.get('filter'));
  const node = decodeFilter(filter);
  if (node) view.filter = node.kind === 'group' ? node : { ...emptyGroup(), children: [node] };
  view.projection = query.get('attributes') ?? '';
  view.descending = query.get('order') === 'desc';
  view.limit = query.get('limit') ?? '';
  view.consistent = query.get('consistent') === '1';
  view.count = query.get('select') === 'count';
  const shape = query.get('show') as Shape;
  if (SHAPES.includes(shape)) view.shape = shape;
  const hidden = query.getAll('hide');
  if (hidden.length) view.hidden = hidden;
  if (query.get('mode') === 'search') {
    view.mode = 'search';
    const where = jsonOf(query.get('where'));
    view.search = { vector: query.get('vector') ?? '', top: query.get('top') ?? '10', where: isWhere(where) ? where : [] };
  }
  return view;
}

export function queryOfView(view: View): URLSearchParams {
  const query = new URLSearchParams();
  if (view.mode !== 'scan') query.set('mode', view.mode);
  if (view.index) query.set('index', view.index);
  if (view.mode === 'query') {
    for (const value of view.partition) query.append('pk', value);
    for (const { op, values } of view.sort) query.append('sk', JSON.stringify([op, ...values]));
  }
  if (!isBlank(view.filter)) query.set('filter', JSON.stringify(encodeFilter(view.filter)));
  if (view.projection) query.set('attributes', view.projection);
  if (view.descending) query.set('order', 'desc');
  if (view.limit) query.set('limit', view.limit);
  if (view.consistent) query.set('consistent', '1');
  if (view.count) query.set('select', 'count');
  if (view.shape !== 'grid') query.set('show', view.shape);
  for (const name of view.hidden ?? []) query.append('hide', name);
  if (view.mode === 'search' && view.search) {
    const { vector, top, where } = view.search;
    query.set('vector', vector);
    query.set('top', top);
    const given = where.filter(([, value]) => value !== '');
    if (given.length) query.set('where', JSON.stringify(given));
  }
  return query;
}

const isWhere = (json: unknown): json is Search['where'] =>
  Array.isArray(json) && json.every((each) => Array.isArray(each) && each.length === 2 && each.every((text) => typeof text === 'string'));

function jsonOf(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sortFromText(text: string): SortCondition | undefined {
  const json = jsonOf(text);
  if (!Array.isArray(json) || !json.every((each) => typeof each === 'string')) return undefined;
  const [op, ...values] = json as [SortOperator, ...string[]];
  return SORT_OPERATORS.includes(op) && values.length === (op === 'between' ? 2 : 1) ? { op, values } : undefined;
}

// --- faults ---

/** Fields and what is wrong with them: 'pk0', 'sk0.1', 'limit', 'attributes', 'filter'. */
export type Faults = Map<string, string>;

/** begins_with is for text and binary. */
export function sortOperatorsOf(type: KeyAttribute['type']): SortOperator[] {
  return SORT_OPERATORS.filter((op) => op !== 'begins_with' || type !== 'N');
}

export function faultsOfView(view: View, target: ReadTarget): Faults {
  const faults: Faults = view.mode === 'search' ? faultsOfSearch(view, target) : new Map();
  const attempt = (field: string, run: () => unknown) => {
    try {
      run();
    } catch (error) {
      faults.set(field, (error as Error).message);
    }
  };
  if (view.mode === 'query') {
    target.partition.forEach(({ type }, at) => {
      const text = view.partition[at] ?? '';
      if (text === '') faults.set(`pk${at}`, 'A value is needed: a query reads one partition.');
      else attempt(`pk${at}`, () => parseOperand(type, text));
    });
    sortOf(view, target).forEach(({ values }, at) =>
      values.forEach((text, operand) => {
        if (text === '') faults.set(`sk${at}.${operand}`, 'A value is expected.');
        else attempt(`sk${at}.${operand}`, () => parseOperand(target.sort[at]!.type, text));
      }),
    );
  }
  if (view.mode === 'search') {
    if (view.projection) attempt('attributes', () => parsePaths(view.projection));
    return faults;
  }
  if (view.limit && !/^[1-9]\d{0,8}$/.test(view.limit)) faults.set('limit', 'A whole number above 0 is expected.');
  if (view.projection) attempt('attributes', () => parsePaths(view.projection));
  if (faultsOf(view.filter).length) faults.set('filter', 'A condition of the filter is not complete.');
  return faults;
}

/** The conditions that count: on the attributes before the last one only equalities. */
function sortOf(view: View, target: ReadTarget): SortCondition[] {
  const conditions: SortCondition[] = [];
  for (const condition of view.sort.slice(0, target.sort.length)) {
    conditions.push(condition);
    if (condition.op !== '=') break;
  }
  return conditions;
}

// --- the request ---

export interface ReadRequest {
  operation: 'Query' | 'Scan' | 'SearchVectors';
  input: InputOf<'Query'>;
}

/**
 * The request of the first page; undefined while something is wrong. The console reads the keys too, without which no item
 * could be opened, and the cost; a program does not (`exact`).
 */
export function requestOf(view: View, table: TableDescription, target: ReadTarget, exact = false): ReadRequest | undefined {
  if (faultsOfView(view, target).size) return undefined;
  if (view.mode === 'search') return { operation: 'SearchVectors', input: searchInput(view, table, target, exact) as InputOf<'Query'> };
  const into = new Placeholders();
  const input: InputOf<'Query'> = { TableName: table.TableName };
  if (target.index) input.IndexName = target.index;
  if (view.mode === 'query') input.KeyConditionExpression = keyCondition(view, target, into);
  const filter = filterExpression(view.filter, into);
  if (filter) input.FilterExpression = filter;
  if (view.count) input.Select = 'COUNT';
  else if (view.projection.trim()) input.ProjectionExpression = projection(view.projection, exact ? [] : keyAttributes(table), into);
  Object.assign(input, into.members());
  if (view.descending && view.mode === 'query') input.ScanIndexForward = false;
  if (view.limit) input.Limit = Number(view.limit);
  if (view.consistent && target.kind !== 'global') input.ConsistentRead = true;
  if (!exact) input.ReturnConsumedCapacity = 'TOTAL';
  return { operation: view.mode === 'query' ? 'Query' : 'Scan', input };
}

function keyCondition(view: View, target: ReadTarget, into: Placeholders): string {
  const parts = target.partition.map(({ name, type }, at) => `${into.name(name)} = ${into.value(parseOperand(type, view.partition[at]!))}`);
  sortOf(view, target).forEach(({ op, values }, at) => {
    const { name, type } = target.sort[at]!;
    const [first, second] = values.map((text) => into.value(parseOperand(type, text)));
    const path = into.name(name);
    if (op === 'between') parts.push(`${path} BETWEEN ${first} AND ${second}`);
    else if (op === 'begins_with') parts.push(`begins_with(${path}, ${first})`);
    else parts.push(`${path} ${op} ${first}`);
  });
  return parts.join(' AND ');
}

export function projection(text: string, keys: KeyAttribute[], into: Placeholders): string {
  return [...new Set([...keys.map(({ name }) => [name]), ...parsePaths(text)].map((path) => into.path(path)))].join(', ');
}

/** The view in words: 'PK = “ORG#A” and SK begins with “USER#”'. */
export function describeView(view: View, target: ReadTarget): string {
  if (view.mode === 'search') {
    const { vector, where } = view.search ?? emptySearch();
    const near = vector.trim().replace(/^\[/, '').slice(0, 24);
    return [`${target.index}: near ${near}…`, ...where.filter(([, text]) => text !== '').map(([name, text]) => `${name} = ${text}`)].join(', ');
  }
  if (view.mode === 'scan') return target.index ? `Scan of index ${target.index}` : 'Scan';
  const value = (attribute: KeyAttribute | undefined, text: string) => {
    try {
      return brief(parseOperand(attribute?.type ?? 'S', text));
    } catch {
      return text;
    }
  };
  const parts = target.partition.map((attribute, at) => `${attribute.name} = ${value(attribute, view.partition[at] ?? '')}`);
  parts.push(...sortOf(view, target).map((condition, at) => describeSort(target.sort[at]!, condition, value)));
  return (target.index ? `${target.index}: ` : '') + parts.join(', ');
}

function describeSort(attribute: KeyAttribute, { op, values }: SortCondition, value: (of: KeyAttribute, text: string) => string): string {
  const [first = '', second = ''] = values.map((text) => value(attribute, text));
  if (op === 'between') return `${attribute.name} between ${first} and ${second}`;
  if (op === 'begins_with') return `${attribute.name} begins with ${first}`;
  return `${attribute.name} ${op.replace('<=', '≤').replace('>=', '≥')} ${first}`;
}
