/** Filters that could be key conditions: a filter is paid for by what it drops, a key condition is not. */
import type { FilterNode, Group, Test } from './filter.ts';
import { isBlank } from './filter.ts';
import type { KeyAttribute, ReadTarget } from './target.ts';
import { SORT_OPERATORS, type SortOperator, type View } from './view.ts';
import { parsePath } from '../../values/index.ts';

export interface Hint {
  text: string;
  /** The view with the condition in place of the filter. */
  better: View;
}

/** The tests that each item must pass: those of the outermost AND. */
function required(filter: Group): Test[] {
  const children = filter.children.filter((each) => !isBlank(each));
  if (filter.not || (filter.join === 'OR' && children.length > 1)) return [];
  return children.flatMap((each) => (each.kind === 'test' ? (each.not ? [] : [each]) : required(each)));
}

/** The attribute of a test, if it is no path into a map or list. */
function attributeOf(test: Test): string | undefined {
  try {
    const path = parsePath(test.path);
    return path.length === 1 ? (path[0] as string) : undefined;
  } catch {
    return undefined;
  }
}

function without(node: FilterNode, tests: Set<Test>): FilterNode | undefined {
  if (node.kind === 'test') return tests.has(node) ? undefined : node;
  return { ...node, children: node.children.map((each) => without(each, tests)).filter((each) => each !== undefined) };
}

export function hintOf(view: View, targets: ReadTarget[]): Hint | undefined {
  const tests = required(view.filter);
  if (!tests.length || view.mode === 'search') return undefined;
  const current = targets.find((each) => each.index === view.index);
  const on = (attribute: KeyAttribute, fits: (test: Test) => boolean) =>
    tests.find((test) => test.type === attribute.type && attributeOf(test) === attribute.name && fits(test));
  const sortTest = (attribute: KeyAttribute) => on(attribute, (test) => (SORT_OPERATORS as readonly string[]).includes(test.op));
  const equality = (attribute: KeyAttribute) => on(attribute, (test) => test.op === '=');

  if (view.mode === 'query') {
    const next = current?.sort[view.sort.length];
    const test = next && view.sort.every((each) => each.op === '=') ? sortTest(next) : undefined;
    if (!next || !test) return undefined;
    return {
      text: `${next.name} is part of the key, so this test can be a key condition: only what matches is then read and paid for.`,
      better: moved(view, view.index, view.partition, [...view.sort, { op: test.op as SortOperator, values: test.values }], [test]),
    };
  }
  for (const target of [...targets].sort((a, b) => Number(b.index === view.index) - Number(a.index === view.index))) {
    if (target.status && target.status !== 'ACTIVE') continue;
    // An index without all attributes would answer something else.
    if (target.index !== view.index && target.projection !== 'ALL') continue;
    const partition = target.partition.map(equality);
    if (!partition.length || !partition.every((each) => each !== undefined)) continue;
    const sort: Test[] = [];
    for (const attribute of target.sort) {
      const test = sortTest(attribute);
      if (!test) break;
      sort.push(test);
      if (test.op !== '=') break;
    }
    const names = target.partition.map((each) => each.name).join(', ');
    return {
      text: `${names} ${target.partition.length > 1 ? 'are' : 'is'} the partition key of ${target.index ? `index ${target.index}` : 'the table'}: a query reads and pays for what matches, instead of everything.`,
      better: moved(
        { ...view, mode: 'query', consistent: view.consistent && target.kind !== 'global' },
        target.index,
        partition.map((each) => each.values[0]!),
        sort.map((each) => ({ op: each.op as SortOperator, values: each.values })),
        [...partition, ...sort],
      ),
    };
  }
  return undefined;
}

function moved(view: View, index: string, partition: string[], sort: View['sort'], tests: Test[]): View {
  return { ...view, index, partition, sort, filter: without(view.filter, new Set(tests)) as Group };
}
