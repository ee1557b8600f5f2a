/** The order in which a server returns items, for models: there is no server to ask. */
import { type AttributeValue, compareNumbers, type Item, typeOf } from '../../values/index.ts';
import { groupOf, type Keys } from './schema.ts';

function bytesOf(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return base64;
  }
}

const encoder = new TextEncoder();

function compareBytes(left: string, right: string): number {
  const a = encoder.encode(left);
  const b = encoder.encode(right);
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return a.length - b.length;
}

export function compareKeys(left: AttributeValue | undefined, right: AttributeValue | undefined): number {
  if (!left || !right) return (left ? 1 : 0) - (right ? 1 : 0);
  const tag = typeOf(left);
  if (tag !== typeOf(right)) return tag < typeOf(right) ? -1 : 1;
  if ('N' in left && 'N' in right) return compareNumbers(left.N, right.N);
  if ('S' in left && 'S' in right) return compareBytes(left.S, right.S);
  if ('B' in left && 'B' in right) {
    const a = bytesOf(left.B);
    const b = bytesOf(right.B);
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return 0;
}

/** Collections in the order in which they appear; in each, items by sort key. */
export function inServerOrder(items: Item[], keys: Keys): Item[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const id = groupOf(item, keys.partition);
    const group = groups.get(id);
    if (group) group.push(item);
    else groups.set(id, [item]);
  }
  const compare = (a: Item, b: Item) => {
    for (const name of keys.sort) {
      const order = compareKeys(a[name], b[name]);
      if (order) return order;
    }
    return 0;
  };
  return [...groups.values()].flatMap((group) => group.sort(compare));
}
