/** The picture of what a request reads from a live table, with indexes beside it. */
import Button from '@cloudscape-design/components/button';
import Spinner from '@cloudscape-design/components/spinner';
import { useMemo, useState } from 'react';
import { useQueryState } from '../../app/router.ts';
import { call, type TableDescription, useSession } from '../../aws/index.ts';
import { ErrorBox, formatBytes, formatCount, plural, useAsync } from '../../components/index.ts';
import type { Item } from '../../values/index.ts';
import { Beside, NAMED_TABLE } from './beside.tsx';
import { type PaneData, Picture } from './picture.tsx';
import { type PictureRequest, readIndex, readPicture, type Reading } from './read.ts';
import { idOf, pictureTable } from './schema.ts';

export interface LivePictureProps {
  table: TableDescription;
  /** Query or Scan. Limit, paging and projection are ignored. A new object reads anew. */
  request: { operation: 'Query' | 'Scan'; input: Record<string, unknown> };
  /** Enter or a double click on an item. */
  onOpen?: (item: Item) => void;
  /** CSS height of the panes. */
  height?: string;
}

const STEP = 5000;

export default function LivePicture({ table: description, request, onOpen, height }: LivePictureProps) {
  const session = useSession();
  const [limit, setLimit] = useState(STEP);
  const [beside, setBeside] = useQueryState('p.panes', '');
  const name = description.TableName!;
  const ttl = useAsync(`${session.namespace} ${name}`, async (signal) => {
    const reply = await call('DescribeTimeToLive', { TableName: name }, { signal });
    return reply.TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED' ? reply.TimeToLiveDescription.AttributeName : undefined;
  });
  const table = useMemo(() => pictureTable(description, ttl.data), [description, ttl.data]);
  const turn = useTurn(request, limit);
  const own = request.input.IndexName as string | undefined;
  const main = useAsync(`${session.namespace} ${name} ${turn}`, (signal) => readPicture(pictureTable(description), request as PictureRequest, limit, signal));
  const shown = beside.split('\n').filter((each) => each && (each === NAMED_TABLE ? own !== undefined : each !== own && table.indexes.some((index) => index.name === each)));
  const others = useAsync(main.data && shown.length ? `${session.namespace} ${name} ${turn} ${beside}` : undefined, async (signal) => {
    const ids = request.operation === 'Query' ? new Set(main.data!.items.map((each) => idOf(each, table))) : undefined;
    return Promise.all(
      shown.map(async (each): Promise<PaneData> => {
        const index = each === NAMED_TABLE ? undefined : each;
        const pages = await readIndex(table, index, limit, ids, signal);
        return { index, items: pages.items, more: pages.more };
      }),
    );
  });
  const panes = useMemo<PaneData[]>(
    () => (main.data ? [{ index: own, items: main.data.items, more: main.data.more }, ...(others.data ?? [])] : []),
    [main.data, others.data, own],
  );

  if (!main.data) {
    if (main.error) return <ErrorBox error={main.error} header="The items could not be read" onRetry={main.reload} />;
    return (
      <div className="centred">
        <Spinner size="large" />
      </div>
    );
  }
  const choices = [...(own ? [NAMED_TABLE] : []), ...table.indexes.map((each) => each.name).filter((each) => each !== own)];
  return (
    <div>
      <ErrorBox error={others.error} header="An index could not be read" onRetry={others.reload} />
      {main.data.read && <QueryLine reading={main.data} operation={request.operation} />}
      <Picture table={table} panes={panes} read={main.data.read} dropped={main.data.dropped} controls={<Beside choices={choices} shown={shown} onChange={setBeside} />} onOpen={onOpen} height={height} />
      {main.data.more && (
        <div className="pic-foot">
          The first {formatCount(main.data.items.length)} items are drawn; there are more.
          <Button variant="inline-link" loading={main.loading} onClick={() => setLimit(limit + STEP)}>
            Read {formatCount(STEP)} more
          </Button>
        </div>
      )}
    </div>
  );
}

function QueryLine({ reading, operation }: { reading: Reading; operation: string }) {
  const dropped = reading.dropped?.size ?? 0;
  return (
    <div className="pic-query" data-testid="query-line">
      <span>
        {operation === 'Query' ? 'The key condition reads' : 'The scan reads'} <b>{plural('item', reading.readItems)}</b>, <b>{formatBytes(reading.readBytes)}</b>,{' '}
        <b>{plural('read unit', reading.units)}</b>
      </span>
      {reading.dropped && (
        <span>
          The filter drops <b>{formatCount(dropped)}</b> of them, which are paid for too
        </span>
      )}
    </div>
  );
}

/** A number that changes with the request and the limit. */
function useTurn(request: object, limit: number): number {
  const [seen] = useState(() => ({ request, limit, turn: 0 }));
  if (seen.request !== request || seen.limit !== limit) Object.assign(seen, { request, limit, turn: seen.turn + 1 });
  return seen.turn;
}
