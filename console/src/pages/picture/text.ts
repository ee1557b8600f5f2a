/** Texts of a picture. Names and values may be 400 kB long: they are cut, never inside of a character. */
import { type AttributeValue, contentOf, summary, typeOf } from '../../values/index.ts';
import type { PictureTable } from './schema.ts';

const MAX_TEXT = 34;
const LOOKED_AT = 400; // of a long value, before blanks are joined

export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.max(0, most - 1);
  const last = text.charCodeAt(end - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)}…`;
}

/** One line of at most `most` characters. */
export const oneLine = (text: string, most = MAX_TEXT): string => cutText(text.slice(0, LOOKED_AT).replace(/\s+/g, ' '), most);

/** 'in 3 d', '2 h ago'. */
export function timeLeft(seconds: number, now: number): string {
  const left = seconds - now / 1000;
  const size = Math.abs(left);
  const units: [number, string][] = [[31_557_600, 'y'], [86_400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const [length, unit] = units.find(([each]) => size >= each) ?? [1, 's'];
  const text = `${Math.floor(size / length)} ${unit}`;
  return left >= 0 ? `in ${text}` : `${text} ago`;
}

export function textOf(name: string, value: AttributeValue, table: PictureTable, now: number): string {
  const tag = typeOf(value);
  if (name === table.ttl && tag === 'N') return timeLeft(Number((value as { N: string }).N), now);
  return tag === 'S' && contentOf(value) === '' ? '""' : oneLine(summary(value));
}
