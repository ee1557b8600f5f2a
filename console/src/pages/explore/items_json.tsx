/** Items as text, in DynamoDB's JSON or in plain JSON. Long results are shown in parts. */
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMemo, useState } from 'react';
import { CodeBlock, formatCount } from '../../components/index.ts';
import { type Item, type Json, printItem, printJson, toPlain } from '../../values/index.ts';

const PART = 200;

interface Props {
  form: 'dynamodb' | 'plain';
  items: (first: number, last: number) => Item[];
  count: number;
  /** Changes with each page. */
  turn: number;
}

export function itemsText(items: Item[], form: 'dynamodb' | 'plain'): string {
  if (form === 'dynamodb') return `[${items.map((each) => printItem(each)).join(', ')}]`;
  return printJson(items.map((each) => toPlain(each).json as Json), 2);
}

export function ItemsJson({ form, items, count, turn }: Props) {
  const [shown, setShown] = useState(PART);
  const text = useMemo(() => itemsText(items(0, shown), form), [form, shown, turn]);
  const lossy = useMemo(() => (form === 'plain' ? [...new Set(items(0, shown).flatMap((each) => toPlain(each).lossy))] : []), [form, shown, turn]);
  return (
    <SpaceBetween size="xs">
      <CodeBlock text={text} label={form === 'plain' ? 'Items as JSON' : 'Items as DynamoDB JSON'} />
      {lossy.length > 0 && (
        <small className="explore-note">
          Plain JSON has no sets and no binary values: {lossy.slice(0, 8).join(', ')}
          {lossy.length > 8 ? ', …' : ''} {lossy.length === 1 ? 'loses its' : 'lose their'} type here. DynamoDB JSON keeps it.
        </small>
      )}
      {count > shown && (
        <Button onClick={() => setShown(shown + PART)}>
          {`Show more: ${formatCount(shown)} of ${formatCount(count)} are shown`}
        </Button>
      )}
    </SpaceBetween>
  );
}
