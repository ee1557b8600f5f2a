/** What the editor holds: fields of the form, or text in one of the two forms of JSON. */
import { fromPlain, type Item, JsonError, parseItem, parseJson, printItem, printJson, toPlain, ValueError } from '../../values/index.ts';
import { type Field, type FieldFaults, fieldsOf, itemOf } from './draft.ts';

export type Form = 'form' | 'dynamodb' | 'plain';

export type Content =
  | { form: 'form'; fields: Field[] }
  | { form: 'dynamodb'; text: string }
  /** `before` gives arrays and texts back the types that plain JSON cannot say. */
  | { form: 'plain'; text: string; before: Item };

export interface Read {
  /** Absent where the text is no item. */
  item?: Item;
  /** Of the form. */
  faults: FieldFaults;
  /** Of JSON: what is wrong, and where. */
  error?: { message: string; offset?: number };
}

export function contentOf(item: Item, form: Form, keys: string[]): Content {
  switch (form) {
    case 'form':
      return { form, fields: fieldsOf(item, keys) };
    case 'dynamodb':
      return { form, text: printItem(item) };
    case 'plain':
      return { form, text: printJson(toPlain(item).json), before: item };
  }
}

const none: FieldFaults = new Map();

export function readContent(content: Content): Read {
  if (content.form === 'form') return itemOf(content.fields);
  try {
    const item = content.form === 'dynamodb' ? parseItem(content.text) : fromPlain(parseJson(content.text), content.before);
    return { item, faults: none };
  } catch (error) {
    if (error instanceof JsonError) return { faults: none, error: { message: error.message, offset: error.offset } };
    if (error instanceof ValueError) return { faults: none, error: { message: error.message } };
    throw error;
  }
}

export const isValid = (read: Read): boolean => read.item !== undefined && read.error === undefined && read.faults.size === 0;
