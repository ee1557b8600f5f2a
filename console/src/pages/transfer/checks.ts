/** Whether a table would take an item: its keys and its size. */
import { canonical } from '../../values/convert.ts';
import { itemSize, MAX_ITEM_BYTES, utf8Bytes, valueSize } from '../../values/size.ts';
import { type Item, typeOf } from '../../values/types.ts';

export interface TableKeys {
  /** Attributes of the primary key, with their types. */
  primary: { name: string; type: 'S' | 'N' | 'B'; sort: boolean }[];
  /** Attributes of indexes' keys: an item may lack them, but not have them otherwise. */
  others: { name: string; type: 'S' | 'N' | 'B' }[];
}

const MAX_PARTITION = 2048;
const MAX_SORT = 1024;

/** Why the server would refuse the item, as far as it can be told here. */
export function itemFault(item: Item, keys: TableKeys, size = itemSize(item)): string | undefined {
  for (const { name, type, sort } of keys.primary) {
    const value = item[name];
    if (!value) return `${name}: the key attribute is missing`;
    if (typeOf(value) !== type) return `${name}: the key is of type ${type}, not ${typeOf(value)}`;
    const size = valueSize(value);
    if (!size) return `${name}: a key must not be empty`;
    if (size > (sort ? MAX_SORT : MAX_PARTITION)) return `${name}: the key has ${size} bytes; at most ${sort ? MAX_SORT : MAX_PARTITION} are allowed`;
  }
  for (const { name, type } of keys.others) {
    const value = item[name];
    if (value && typeOf(value) !== type) return `${name}: the key of an index is of type ${type}, not ${typeOf(value)}`;
  }
  for (const name in item) if (!name || utf8Bytes(name) > 65535) return 'the name of an attribute has 1 to 65,535 bytes';
  if (size > MAX_ITEM_BYTES) return `the item has ${size} bytes; at most ${MAX_ITEM_BYTES} are allowed`;
  return undefined;
}

/** The same text for the same primary key: 1.0 is 1. */
export function primaryKey(item: Item, keys: TableKeys): string {
  return keys.primary.map(({ name }) => item[name] && canonical(item[name])).join(' ');
}
