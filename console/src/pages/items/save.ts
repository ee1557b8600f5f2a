/** Saving an item without losing what others wrote meanwhile. */
import type { InputOf } from '../../aws/operations.ts';
import { canonical, emptyItem, equalValues, type Item } from '../../values/index.ts';
import { Placeholders } from '../explore/expression.ts';

export interface Changes {
  set: string[];
  removed: string[];
}

export function changesOf(before: Item, after: Item): Changes {
  return {
    set: Object.keys(after).filter((name) => !before[name] || !equalValues(before[name], after[name]!)),
    removed: Object.keys(before).filter((name) => !after[name]),
  };
}

const MAX_EXPRESSION = 4096;
const MAX_OPERATORS = 280; // DynamoDB takes 300 in one request

/** What the console asks for besides, to show a conflict and the cost; programs do without. */
export const REPORTED = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD', ReturnConsumedCapacity: 'TOTAL' } as const;

/** A new item: refused if there is one with its key. */
export function createRequest(table: string, item: Item, keys: string[]): InputOf<'PutItem'> {
  const into = new Placeholders();
  const ConditionExpression = `attribute_not_exists(${into.name(keys[0]!)})`;
  return {
    TableName: table,
    Item: item,
    ConditionExpression,
    ...into.members(),
  };
}

/**
 * Writes the changed attributes only, if the item is as it was read. Attributes that others added stay. An item with too
 * many attributes for one expression is compared in the changed ones.
 */
export function updateRequest(table: string, before: Item, after: Item, keys: string[]): InputOf<'UpdateItem'> {
  const { set, removed } = changesOf(before, after);
  const into = new Placeholders();
  const sets = set.map((name) => `${into.name(name)} = ${into.value(after[name]!)}`);
  const removes = removed.map((name) => into.name(name));
  const UpdateExpression = [sets.length && `SET ${sets.join(', ')}`, removes.length && `REMOVE ${removes.join(', ')}`].filter(Boolean).join(' ');
  const ConditionExpression = asRead(before, [...set, ...removed], keys, into, set.length + removed.length);
  return {
    TableName: table,
    Key: pick(before, keys),
    UpdateExpression,
    ConditionExpression,
    ...into.members(),
  };
}

/** What saving sends, with REPORTED; `before` is undefined for a new item. */
export function saveRequest(table: string, before: Item | undefined, item: Item, keys: string[]): { operation: 'PutItem' | 'UpdateItem'; input: object } {
  return before
    ? { operation: 'UpdateItem', input: updateRequest(table, before, item, keys) }
    : { operation: 'PutItem', input: createRequest(table, item, keys) };
}

/** Whether one condition can compare all attributes of an item. */
export const comparable = (before: Item, keys: string[]): boolean => fits(Object.keys(before).filter((name) => !keys.includes(name)), 0);

/** Deletes the item if it is as it was read, as far as it is comparable(). */
export function deleteRequest(table: string, before: Item, keys: string[]): InputOf<'DeleteItem'> {
  const into = new Placeholders();
  const ConditionExpression = asRead(before, [], keys, into, 0);
  return {
    TableName: table,
    Key: pick(before, keys),
    ConditionExpression,
    ...into.members(),
  };
}

/** The condition that the item is as it was read; and that changed attributes which were not there are still not there. */
function asRead(before: Item, changed: string[], keys: string[], into: Placeholders, operators: number): string {
  const first = `attribute_exists(${into.name(keys[0]!)})`;
  const part = (name: string) => (before[name] ? `${into.name(name)} = ${into.value(before[name])}` : `attribute_not_exists(${into.name(name)})`);
  const names = [...new Set([...changed, ...Object.keys(before).filter((name) => !keys.includes(name))])];
  return [first, ...(fits(names, operators) ? names : changed).map(part)].join(' AND ');
}

function fits(names: string[], operators: number): boolean {
  return names.length * 2 + operators * 2 < MAX_OPERATORS && names.length * 20 < MAX_EXPRESSION;
}

export function pick(item: Item, names: string[]): Item {
  const picked = emptyItem();
  for (const name of names) if (item[name]) picked[name] = item[name];
  return picked;
}

// --- conflicts ---

export type Side = 'yours' | 'theirs';

export interface Difference {
  name: string;
  before?: Item[string];
  yours?: Item[string];
  theirs?: Item[string];
  /** Both changed it, to different values: one must choose. */
  conflict: boolean;
  /** Who changed it, where one did. */
  suggested: Side;
}

/** What differs between an item as it was read, as one wants it, and as it is now. */
export function differences(before: Item, yours: Item, theirs: Item): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(yours), ...Object.keys(theirs)])];
  const text = (value: Item[string] | undefined) => (value ? canonical(value) : '');
  return names
    .map((name) => {
      const [b, y, t] = [text(before[name]), text(yours[name]), text(theirs[name])];
      const conflict = b !== y && b !== t && y !== t;
      const suggested: Side = b === y ? 'theirs' : 'yours';
      return { name, before: before[name], yours: yours[name], theirs: theirs[name], conflict, suggested, changed: b !== y || b !== t };
    })
    .filter((each) => each.changed)
    .map(({ changed: _changed, ...each }) => each);
}

/** Their item with what was chosen of yours. */
export function merged(theirs: Item, list: Difference[], chosen: Record<string, Side>): Item {
  const item = Object.assign(emptyItem(), theirs);
  for (const { name, yours, suggested } of list) {
    if ((Object.hasOwn(chosen, name) ? chosen[name] : suggested) === 'theirs') continue;
    if (yours) item[name] = yours;
    else delete item[name];
  }
  return item;
}

// --- errors of the server that belong to a field ---

/** The attribute that DynamoDB's message is about: a key of another type, an empty key, a missing key. */
export function attributeAtFault(message: string, names: string[]): string | undefined {
  const patterns = [
    /Type mismatch for (?:Index )?[Kk]ey (.+?) [Ee]xpected:/,
    /(?:Key|key|AttributeName): (.+?)(?:,|$|\s*\))/,
    /Missing the key (.+?) in the item/,
  ];
  for (const pattern of patterns) {
    const found = pattern.exec(message)?.[1];
    if (found !== undefined && names.includes(found)) return found;
  }
  return undefined;
}
