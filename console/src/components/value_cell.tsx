/** An attribute value in one line: numbers to the right, containers as {3} and [5], its type in the tooltip. */
import { type AttributeValue, base64Bytes, summary, TYPE_NAMES, type TypeTag, typeOf } from '../values/index.ts';

const MAX = 300;

/** The class that aligns and colours a value's cell. */
export function valueClass(tag: TypeTag): string {
  return `value value-${tag.toLowerCase()}`;
}

export function ValueCell({ value }: { value: AttributeValue | undefined }) {
  if (!value) return <span className="value value-absent" aria-label="absent" />;
  const tag = typeOf(value);
  const text = tag === 'B' ? `${base64Bytes((value as { B: string }).B)} bytes` : summary(value);
  return (
    <span className={valueClass(tag)} title={TYPE_NAMES[tag]}>
      {tag === 'S' && text === '' ? <i>empty</i> : text.length > MAX ? `${text.slice(0, MAX)}…` : text}
    </span>
  );
}
