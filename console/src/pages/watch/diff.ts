/** What changed between two images of an item, attribute by attribute; maps are compared member by member. */
import { equalValues } from '../../values/convert.ts';
import { type AttributeValue, type Item, typeOf } from '../../values/types.ts';

export interface Change {
  /** A document path, such as `address.zip`. */
  path: string;
  kind: 'added' | 'removed' | 'changed' | 'same';
  before?: AttributeValue;
  after?: AttributeValue;
}

export function changesOf(before: Item | undefined, after: Item | undefined, at = ''): Change[] {
  const changes: Change[] = [];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  for (const name of names) {
    const path = at ? `${at}.${name}` : name;
    const old = before?.[name];
    const fresh = after?.[name];
    if (old === undefined) changes.push({ path, kind: 'added', after: fresh });
    else if (fresh === undefined) changes.push({ path, kind: 'removed', before: old });
    else if (equalValues(old, fresh)) changes.push({ path, kind: 'same', before: old, after: fresh });
    else if (typeOf(old) === 'M' && typeOf(fresh) === 'M') {
      changes.push(...changesOf((old as { M: Item }).M, (fresh as { M: Item }).M, path).filter((each) => each.kind !== 'same'));
    } else changes.push({ path, kind: 'changed', before: old, after: fresh });
  }
  return changes;
}
