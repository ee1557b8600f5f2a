/**
 * An item while it is edited: fields that may hold, for a moment, what no item can hold. Everything is text as it was
 * typed, so that numbers keep their digits.
 */
import {
  type AttributeValue, contentOf, emptyItem, type Item, numberFault, sameNumber, type TypeTag, typeOf,
} from '../../values/index.ts';

export interface Field {
  id: number;
  /** Of a member of a list: unused. */
  name: string;
  type: TypeTag;
  /** Of S, N, B. */
  text: string;
  /** Of BOOL. */
  on: boolean;
  /** Of M and L; of a set, each member is a field with text. */
  children: Field[];
}

let last = 0;

export function newField(name: string, type: TypeTag = 'S'): Field {
  return { id: ++last, name, type, text: '', on: false, children: [] };
}

export const isSet = (type: TypeTag): boolean => type === 'SS' || type === 'NS' || type === 'BS';
const memberType = (type: TypeTag): TypeTag => type[0] as TypeTag;

export function fieldOf(name: string, value: AttributeValue): Field {
  const type = typeOf(value);
  const content = contentOf(value);
  const field = newField(name, type);
  if (type === 'M') field.children = fieldsOf(content as Item);
  else if (type === 'L') field.children = (content as AttributeValue[]).map((each) => fieldOf('', each));
  else if (isSet(type)) field.children = (content as string[]).map((text) => ({ ...newField('', memberType(type)), text }));
  else if (type === 'BOOL') field.on = content as boolean;
  else if (type !== 'NULL') field.text = content as string;
  return field;
}

/** The key's attributes first, in their order; the others as they come. */
export function fieldsOf(item: Item, first: string[] = []): Field[] {
  const names = [...first.filter((name) => item[name]), ...Object.keys(item).filter((name) => !first.includes(name))];
  return names.map((name) => fieldOf(name, item[name]!));
}

export type FieldFaults = Map<number, string>;

/** The item that the fields mean. Where there are faults it lacks the attributes at fault. */
export function itemOf(fields: Field[]): { item: Item; faults: FieldFaults } {
  const faults: FieldFaults = new Map();
  return { item: mapOf(fields, faults), faults };
}

function mapOf(fields: Field[], faults: FieldFaults): Item {
  const item = emptyItem();
  for (const field of fields) {
    const value = valueOf(field, faults);
    if (field.name === '') faults.set(field.id, 'The attribute needs a name.');
    else if (item[field.name]) faults.set(field.id, `There is another attribute ${field.name}.`);
    else if (value) item[field.name] = value;
  }
  return item;
}

function valueOf(field: Field, faults: FieldFaults): AttributeValue | undefined {
  switch (field.type) {
    case 'S':
      return { S: field.text };
    case 'N':
    case 'B': {
      const fault = textFault(field.type, field.text);
      if (fault) faults.set(field.id, fault);
      return fault ? undefined : field.type === 'N' ? { N: field.text.trim() } : { B: field.text.trim() };
    }
    case 'BOOL':
      return { BOOL: field.on };
    case 'NULL':
      return { NULL: true };
    case 'M':
      return { M: mapOf(field.children, faults) };
    case 'L':
      return { L: field.children.map((each) => valueOf(each, faults)).filter((each) => each !== undefined) };
    default:
      return setOf(field, faults);
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function textFault(type: TypeTag, text: string): string | undefined {
  if (type === 'N') return text.trim() === '' ? 'A number is expected.' : numberFault(text.trim());
  if (type === 'B' && !BASE64.test(text.trim())) return 'Binary values are base64, padded with "=".';
  return undefined;
}

function setOf(field: Field, faults: FieldFaults): AttributeValue | undefined {
  const type = memberType(field.type);
  const before = faults.size;
  if (!field.children.length) faults.set(field.id, 'A set must have a member.');
  const texts: string[] = [];
  for (const child of field.children) {
    const text = type === 'S' ? child.text : child.text.trim();
    const fault = textFault(type, text);
    if (fault) faults.set(child.id, fault);
    else if (texts.some((each) => (type === 'N' ? sameNumber(each, text) : each === text))) faults.set(child.id, 'The set has this member already.');
    else texts.push(text);
  }
  return faults.size > before ? undefined : ({ [field.type]: texts } as unknown as AttributeValue);
}

/** A field with another type; what can be kept is kept. */
export function withType(field: Field, type: TypeTag): Field {
  const next: Field = { ...field, type };
  if (isSet(type)) {
    const texts = isSet(field.type) || field.type === 'L' ? field.children.map((each) => each.text) : field.text === '' ? [] : [field.text];
    next.children = texts.map((text) => ({ ...newField('', memberType(type)), text }));
    if (!next.children.length) next.children = [newField('', memberType(type))];
  } else if (type === 'L' && !(field.type === 'L')) {
    next.children = field.children.map((each) => ({ ...each, name: '' }));
  } else if (type === 'M' && field.type !== 'M') {
    next.children = field.children.map((each, at) => ({ ...each, name: each.name || String(at) }));
  } else if (type !== 'M' && type !== 'L') next.children = [];
  return next;
}

/** Replaces the field of this id at any depth; undefined removes it. */
export function replaceField(fields: Field[], id: number, change: (field: Field) => Field | undefined): Field[] {
  let changed = false;
  const next = fields.flatMap((field) => {
    if (field.id === id) {
      changed = true;
      const replaced = change(field);
      return replaced ? [replaced] : [];
    }
    const children = field.children.length ? replaceField(field.children, id, change) : field.children;
    if (children === field.children) return [field];
    changed = true;
    return [{ ...field, children }];
  });
  return changed ? next : fields;
}

/** Characters that a text field of the browser changes: such text is edited as JSON. */
export const needsJson = (text: string): boolean => /[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])/.test(text);
