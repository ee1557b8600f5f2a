/** An attribute value in one line: numbers to the right, containers as {3} and [5], its type in the tooltip. */
import { type AttributeValue, base64Bytes, summary, TYPE_NAMES, type TypeTag, typeOf } from '../values/index.ts';

/** The first characters of the first line, and never half of one. */
function cut(text: string, most: number): string {
  const line = text.indexOf('\n');
  const end = Math.min(most, line < 0 ? text.length : line);
  if (end === text.length) return text;
  return `${text.slice(0, end && text.codePointAt(end - 1)! > 0xffff ? end - 1 : end)}…`;
}

/** The class that aligns and colours a value's cell. */
export function valueClass(tag: TypeTag): string {
  return `value value-${tag.toLowerCase()}`;
}

/** `most` characters are given to the browser, which would shape all of a long text to show its beginning. */
export function ValueCell({ value, most = 100 }: { value: AttributeValue | undefined; most?: number }) {
  if (!value) return <span className="value value-absent" aria-label="absent" />;
  const tag = typeOf(value);
  const text = tag === 'B' ? `${base64Bytes((value as { B: string }).B)} bytes` : summary(value);
  return (
    <span className={valueClass(tag)} title={TYPE_NAMES[tag]}>
      {tag === 'S' && text === '' ? <i>empty</i> : cut(text, most)}
    </span>
  );
}
