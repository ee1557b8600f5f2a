/** What one types for a value of a chosen type, and the attribute value that it means. */
import {
  type AttributeValue, base64Bytes, contentOf, fromPlain, type Item, type Json, JsonNumber, numberFault, parseJson, parseValue, printJson, toPlain,
  type TypeTag, typeOf, ValueError,
} from '../../values/index.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Text stays as it is, numbers are digits, binary is base64, the rest is plain JSON. Throws Error with what is wrong. */
export function parseOperand(type: TypeTag, text: string): AttributeValue {
  switch (type) {
    case 'S':
      return { S: text };
    case 'N': {
      const digits = text.trim();
      const fault = digits === '' ? 'A number is expected.' : numberFault(digits);
      if (fault) throw new ValueError('', fault);
      return { N: digits };
    }
    case 'B':
      if (!BASE64.test(text.trim())) throw new ValueError('', 'Binary values are base64, padded with "=".');
      return { B: text.trim() };
    case 'BOOL':
      if (text !== 'true' && text !== 'false') throw new ValueError('', 'true or false is expected.');
      return { BOOL: text === 'true' };
    case 'NULL':
      return { NULL: true };
    case 'M':
    case 'L':
      return container(type, text);
    default:
      return set(type, text);
  }
}

function container(type: 'M' | 'L', text: string): AttributeValue {
  const json = parseJson(text);
  const tagged = Object.create(null) as Item;
  tagged.value = fromPlain({ value: json }).value!;
  if (typeOf(tagged.value) !== type) throw new ValueError('', type === 'M' ? 'A map is JSON such as {"a": 1}.' : 'A list is JSON such as [1, "a"].');
  return tagged.value;
}

function set(type: 'SS' | 'NS' | 'BS', text: string): AttributeValue {
  const json = parseJson(text);
  if (!Array.isArray(json)) throw new ValueError('', `A set is a JSON array such as ${type === 'NS' ? '[1, 2]' : '["a", "b"]'}.`);
  const members = json.map((each) => (type === 'NS' && each instanceof JsonNumber ? each.text : each));
  return parseValue(printJson({ [type]: members as Json }, 0));
}

/** The text that parseOperand turns into this value. */
export function printOperand(value: AttributeValue): string {
  switch (typeOf(value)) {
    case 'S':
    case 'N':
    case 'B':
      return contentOf(value) as string;
    case 'BOOL':
      return String(contentOf(value));
    case 'NULL':
      return '';
    default:
      return printJson(toPlain({ value }).json.value!, 0);
  }
}

/** A hint for the field. */
export const PLACEHOLDERS: Record<TypeTag, string> = {
  S: 'Text',
  N: '42',
  B: 'Base64',
  BOOL: '',
  NULL: '',
  M: '{"a": 1}',
  L: '[1, "a"]',
  SS: '["a", "b"]',
  NS: '[1, 2]',
  BS: '["AQID"]',
};

/** A value in a few words, for descriptions of queries: text in quotes, long values cut. */
export function brief(value: AttributeValue): string {
  const tag = typeOf(value);
  const text = tag === 'B' ? `${base64Bytes(contentOf(value) as string)} bytes` : tag === 'NULL' ? 'null' : printOperand(value);
  const cut = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  return tag === 'S' ? `“${cut}”` : cut;
}
