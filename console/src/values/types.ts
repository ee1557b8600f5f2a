/**
 * Attribute values in the form that DynamoDB's JSON has on the wire. Numbers stay text: JavaScript's Number holds 17
 * digits, DynamoDB's 38. Binary values stay base64 text.
 */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { M: Item }
  | { L: AttributeValue[] }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] };

export interface Item {
  [name: string]: AttributeValue;
}

export const TYPES = ['S', 'N', 'B', 'BOOL', 'NULL', 'M', 'L', 'SS', 'NS', 'BS'] as const;
export type TypeTag = (typeof TYPES)[number];

export const TYPE_NAMES: Record<TypeTag, string> = {
  S: 'String',
  N: 'Number',
  B: 'Binary',
  BOOL: 'Boolean',
  NULL: 'Null',
  M: 'Map',
  L: 'List',
  SS: 'String set',
  NS: 'Number set',
  BS: 'Binary set',
};

/** The tag of a value, such as 'S'. */
export function typeOf(value: AttributeValue): TypeTag {
  for (const tag in value) return tag as TypeTag;
  throw new TypeError('an attribute value without a type');
}

/** What is behind the tag. */
export function contentOf(value: AttributeValue): string | boolean | Item | AttributeValue[] | string[] {
  return (value as unknown as Record<TypeTag, never>)[typeOf(value)];
}

/** An object without a prototype, so that attributes named `__proto__` or `constructor` are attributes like others. */
export function emptyItem(): Item {
  return Object.create(null) as Item;
}

/** An attribute of an item that may have a prototype, as replies have: `constructor` is absent unless it is there. */
export function own(item: Item | undefined, name: string): AttributeValue | undefined {
  return item && Object.hasOwn(item, name) ? item[name] : undefined;
}
