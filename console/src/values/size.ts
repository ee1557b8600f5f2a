/** Sizes in bytes and capacity units, as DynamoDB (and Partita) charge them. */
import { numberBytes } from './number.ts';
import { type AttributeValue, type Item, typeOf } from './types.ts';

export const MAX_ITEM_BYTES = 400 * 1024;
const READ_UNIT = 4096;
const WRITE_UNIT = 1024;
const CONTAINER = 3;
const MEMBER = 1;

export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length) {
      bytes += 4;
      at++;
    } else bytes += 3;
  }
  return bytes;
}

export function base64Bytes(text: string): number {
  return Math.floor((text.replace(/=+$/, '').length * 3) / 4);
}

export function valueSize(value: AttributeValue): number {
  switch (typeOf(value)) {
    case 'S':
      return utf8Bytes((value as { S: string }).S);
    case 'N':
      return numberBytes((value as { N: string }).N);
    case 'B':
      return base64Bytes((value as { B: string }).B);
    case 'BOOL':
    case 'NULL':
      return 1;
    case 'M': {
      const map = (value as { M: Item }).M;
      return CONTAINER + MEMBER * Object.keys(map).length + itemSize(map);
    }
    case 'L': {
      const list = (value as { L: AttributeValue[] }).L;
      return list.reduce((sum, each) => sum + MEMBER + valueSize(each), CONTAINER);
    }
    case 'SS':
      return (value as { SS: string[] }).SS.reduce((sum, each) => sum + utf8Bytes(each), 0);
    case 'NS':
      return (value as { NS: string[] }).NS.reduce((sum, each) => sum + numberBytes(each), 0);
    case 'BS':
      return (value as { BS: string[] }).BS.reduce((sum, each) => sum + base64Bytes(each), 0);
  }
}

export function itemSize(item: Item): number {
  let size = 0;
  for (const name in item) size += utf8Bytes(name) + valueSize(item[name]!);
  return size;
}

export function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / READ_UNIT)) * (consistent ? 1 : 0.5);
}

export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT));
}
