/** One item: read, edited in a form or as JSON, and saved only if it still is as it was read. */
import Button from '@cloudscape-design/components/button';
import Spinner from '@cloudscape-design/components/spinner';
import { useEffect, useState } from 'react';
import { href, navigate, segment, usePlace } from '../../app/router.ts';
import type { PageProps } from '../../app/routes.ts';
import { call, type TableDescription } from '../../aws/index.ts';
import { ErrorBox, Page, useAsync, useTable } from '../../components/index.ts';
import { bare, emptyItem, type Item, parseItem } from '../../values/index.ts';
import { keyAttributes } from '../explore/target.ts';
import { Editor } from './editor.tsx';
import './items.css';

function keyFrom(text: string | null): Item | undefined {
  try {
    return text ? parseItem(text) : undefined;
  } catch {
    return undefined;
  }
}

export default function ItemPage({ params }: PageProps) {
  const name = params.table!;
  const { query } = usePlace();
  const table = useTable(name);
  const isNew = query.get('new') === '1';
  const text = isNew ? query.get('copy') : query.get('key');
  const key = keyFrom(text);
  // The editor of a new item stays when the item is created and has an address: somebody may be typing in it.
  const [created, setCreated] = useState({ editor: '', text: '', count: 0 });
  const stays = !isNew && text !== null && text === created.text;
  useEffect(() => {
    if (!stays) setCreated((was) => (was.text ? { ...was, text: '' } : was));
  }, [stays]);
  const read = useAsync(key && !stays ? `${isNew} ${name} ${text}` : undefined, (signal) => readItem(name, key!, signal));
  const back = <Button onClick={() => navigate(href(`explore/${segment(name)}`))}>{`Explore ${name}`}</Button>;

  if (table.error) {
    return (
      <Page title="Item" actions={back}>
        <ErrorBox error={table.error} header={`Table ${name} cannot be described`} onRetry={table.reload} />
      </Page>
    );
  }
  if (!isNew && !key) {
    return (
      <Page title="Item" actions={back}>
        <ErrorBox error={new Error(text ? 'The key in the address is not DynamoDB JSON.' : 'The address names no key.')} header="There is no item to show" />
      </Page>
    );
  }
  if (read.error && !read.data) {
    return (
      <Page title="Item" actions={back}>
        <ErrorBox error={read.error} header="The item could not be read" onRetry={read.reload} />
      </Page>
    );
  }
  if (!table.data || (key && !stays && !read.data)) {
    return (
      <div className="centred">
        <Spinner size="large" />
      </div>
    );
  }
  const item = read.data?.item;
  if (!isNew && !stays && !item) {
    return (
      <Page title="Item" actions={back}>
        <ErrorBox error={new Error('No item has this key. It may have been deleted.')} header="There is no such item" onRetry={read.reload} />
      </Page>
    );
  }
  if (!isNew && !stays) return <Editor key={text} table={table.data} before={item} start={item!} units={read.data?.units} />;
  const editor = stays ? created.editor : `new ${created.count} ${text ?? ''}`;
  const onCreated = (made: Item) => {
    const address = JSON.stringify(made);
    setCreated((was) => ({ editor, text: address, count: was.count + 1 }));
    navigate(href(`item/${segment(name)}`, { key: address }), { replace: true });
  };
  return <Editor key={editor} table={table.data} before={undefined} start={startOf(table.data, item)} onCreated={onCreated} />;
}

async function readItem(table: string, Key: Item, signal: AbortSignal): Promise<{ item?: Item; units?: number }> {
  const reply = await call('GetItem', { TableName: table, Key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' }, { signal });
  return { item: bare(reply.Item), units: reply.ConsumedCapacity?.CapacityUnits };
}

/** A new item: the key's attributes, empty; or a copy. */
function startOf(table: TableDescription, copy: Item | undefined): Item {
  const item = emptyItem();
  for (const { name, type } of keyAttributes(table)) item[name] = copy?.[name] ?? ({ [type]: '' } as unknown as Item[string]);
  return copy ? Object.assign(item, copy) : item;
}
