/** What was read: as a grid, as JSON, or as a picture; with what was scanned and what it cost. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Container from '@cloudscape-design/components/container';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { notify } from '../../app/notices.ts';
import { href, navigate, segment } from '../../app/router.ts';
import type { TableDescription } from '../../aws/index.ts';
import { copyText, ErrorBox, formatCount, plural, WriteButton } from '../../components/index.ts';
import { type Item, printItem, printJson, toPlain } from '../../values/index.ts';
import { DeleteItems } from './delete_items.tsx';
import { ItemsGrid } from './items_grid.tsx';
import { ItemsJson } from './items_json.tsx';
import { keyAttributes, keyOf, type ReadTarget } from './target.ts';
import type { Results } from './use_results.ts';
import { type Shape, type View } from './view.ts';

const LivePicture = lazy(() => import('../picture/live_picture.tsx'));

/** The row that was opened last, and where: Back returns to it. */
let left: { address: string; row: number } | undefined;

type PictureRequest = { operation: 'Query' | 'Scan'; input: Record<string, unknown> };

interface Props {
  table: TableDescription;
  target: ReadTarget;
  view: View;
  results: Results;
  onChange: (change: Partial<View>) => void;
  onRerun: () => void;
  onCreate: () => void;
}

export function ResultsView({ table, target, view, results, onChange, onRerun, onCreate }: Props) {
  const name = table.TableName!;
  const { pages, error, request } = results;
  const keys = useMemo(() => keyAttributes(table), [table]);
  const [selected, setSelected] = useState(new Set<number>());
  const [active, setActive] = useState(0);
  const [deleting, setDeleting] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const rows = pages.itemCount;
  useEffect(() => {
    setSelected(new Set());
    setActive(back.current ?? 0);
    if (!pages.started) return;
    left = undefined;
    back.current = undefined;
  }, [pages]);

  // A page that was read again may hold other items in its rows than those that were selected.
  const { restored } = results;
  useEffect(() => {
    if (restored) setSelected((before) => new Set([...before].filter((row) => row < restored.first || row >= restored.first + restored.count)));
  }, [restored]);

  const back = useRef(left?.address === location.href ? left.row : undefined);
  const open = (row: number) => {
    const item = pages.item(row);
    if (!item) return;
    left = { address: location.href, row };
    openItem(item);
  };
  const openItem = (item: Item) => {
    const key = keyOf(item, keys);
    if (key) navigate(href(`item/${segment(name)}`, { key: JSON.stringify(key) }));
    else notify({ type: 'warning', content: 'The item was read without its key, so it cannot be opened.' });
  };
  const chosen = () => (selected.size ? [...selected].sort((a, b) => a - b) : rows ? [active] : []);
  const chosenItems = () => chosen().map((row) => pages.item(row)).filter((each) => each !== undefined);
  const chosenKeys = () =>
    chosen().map((row) => {
      const item = pages.item(row);
      return item && keyOf(item, keys);
    });
  const copy = async () => {
    const items = chosenItems();
    if (!items.length) return;
    const texts = items.map((each) => (view.shape === 'plain' ? printJson(toPlain(each).json) : printItem(each)));
    const done = await copyText(texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`);
    notify(done ? { type: 'success', content: `${plural('item', items.length)} copied as ${view.shape === 'plain' ? 'JSON' : 'DynamoDB JSON'}.` } : { type: 'error', content: 'The browser refused to copy.' });
  };
  const focusGrid = () => box.current?.querySelector<HTMLElement>('[role=grid]')?.focus();
  useKeys([
    { keys: 'j', does: 'Down in the results', run: focusGrid },
    { keys: 'k', does: 'Up in the results', run: focusGrid },
    { keys: 'e', does: 'Open the item', run: () => rows && open(active) },
    { keys: 'c', does: 'Copy the selected items', run: () => void copy() },
    // The grid itself selects with x and opens with Enter; on a button, Enter is the button's.
    { keys: 'x', does: 'Select the item', run: focusGrid },
  ]);

  if (error && !pages.started) return <ErrorBox error={error} header="The request was refused" onRetry={onRerun} />;
  const { shape } = view;
  const filtered = !!request?.input.FilterExpression;
  const counted = request?.input.Select === 'COUNT';
  const empty = <Empty results={results} filtered={filtered} counted={counted} mode={request?.operation} onCreate={onCreate} />;

  return (
    <Container>
      <div ref={box} className="results">
        <div className="results-head">
          <Summary results={results} filtered={filtered} />
          <SpaceBetween direction="horizontal" size="xs">
            {selected.size > 0 && (
              <>
                <span className="selection">
                  {plural('item', selected.size)} selected{' '}
                  {selected.size < rows && (
                    <Button variant="inline-link" onClick={() => setSelected(new Set(Array.from({ length: rows }, (_, row) => row)))}>
                      {`Select all ${formatCount(rows)}`}
                    </Button>
                  )}{' '}
                  <Button variant="inline-link" onClick={() => setSelected(new Set())}>
                    Clear
                  </Button>
                </span>
                <ButtonDropdown
                  items={[
                    { id: 'copy', text: 'Copy' },
                    { id: 'duplicate', text: 'Duplicate', disabled: selected.size !== 1 },
                  ]}
                  onItemClick={({ detail }) => {
                    if (detail.id === 'copy') void copy();
                    else {
                      const key = chosenItems().map((each) => keyOf(each, keys))[0];
                      if (key) navigate(href(`item/${segment(name)}`, { new: '1', copy: JSON.stringify(key) }));
                    }
                  }}
                >
                  Selected
                </ButtonDropdown>
                <WriteButton onClick={() => setDeleting(true)}>Delete</WriteButton>
              </>
            )}
            <SegmentedControl
              selectedId={shape}
              label="Show as"
              options={[
                { id: 'grid', text: 'Grid' },
                { id: 'dynamodb', text: 'DynamoDB JSON' },
                { id: 'plain', text: 'JSON' },
                { id: 'picture', text: 'Picture' },
              ]}
              onChange={({ detail }) => onChange({ shape: detail.selectedId as Shape })}
            />
          </SpaceBetween>
        </div>
        {pages.started && error !== undefined && <ErrorBox error={error} header="The next page was refused" onRetry={() => void results.readOn()} />}
        {shape === 'picture' && request ? (
          <Suspense fallback={<Box padding="l">Drawing…</Box>}>
            <LivePicture table={table} request={request as PictureRequest} onOpen={openItem} height="max(420px, calc(100vh - 340px))" />
          </Suspense>
        ) : !rows && shape !== 'grid' ? (
          <div className="results-empty">{empty}</div>
        ) : shape === 'grid' ? (
          <ItemsGrid
            label={`Items of ${name}`}
            columns={results.columns}
            rowCount={rows}
            item={(row) => pages.item(row)}
            onMissing={results.restore}
            keys={keys.map((each) => each.name)}
            first={[...target.partition, ...target.sort].map((each) => each.name)}
            more={pages.more}
            selected={selected}
            onSelected={setSelected}
            onOpen={open}
            onActive={setActive}
            focusRow={back.current}
            empty={empty}
          />
        ) : (
          <ItemsJson form={shape as 'dynamodb' | 'plain'} items={(first, last) => pages.slice(first, last)} count={rows} turn={results.turn} />
        )}
        {rows > 0 && pages.more && shape !== 'picture' && <ReadOn results={results} />}
      </div>
      {deleting && (
        <DeleteItems
          table={name}
          keys={chosenKeys()}
          onClose={() => setDeleting(false)}
          onDone={() => {
            setSelected(new Set());
            onRerun();
          }}
        />
      )}
    </Container>
  );
}

function Summary({ results, filtered }: { results: Results; filtered: boolean }) {
  const { pages, busy, request } = results;
  if (!pages.started) return <div className="summary">{busy ? 'Reading…' : request ? '' : 'Nothing was read yet. Run the query (Ctrl+Enter).'}</div>;
  const units = `${formatCount(pages.units)} read ${pages.units === 1 ? 'unit' : 'units'}`;
  return (
    <div className="summary" role="status" data-testid="summary">
      <strong>{filtered ? `${formatCount(pages.count)} of ${formatCount(pages.scanned)} match` : plural('item', pages.count)}</strong>
      {filtered && <span>{formatCount(pages.scanned)} scanned</span>}
      <span>{units}</span>
      {pages.pageCount > 1 && <span>{plural('page', pages.pageCount)}</span>}
      <span>{Math.max(1, Math.round(results.milliseconds))} ms</span>
      <span className={pages.more ? 'more' : 'end'}>{pages.more ? 'there is more' : 'complete'}</span>
    </div>
  );
}

function ReadOn({ results }: { results: Results }) {
  return (
    <div className="read-on">
      {results.busy ? (
        <Button onClick={results.stop}>Stop</Button>
      ) : (
        <SpaceBetween direction="horizontal" size="xs">
          <Button onClick={() => void results.readOn()} data-testid="read-on">
            Read on
          </Button>
          <Button onClick={() => void results.readOn(true)}>Read to the end</Button>
        </SpaceBetween>
      )}
    </div>
  );
}

interface EmptyProps {
  results: Results;
  filtered: boolean;
  counted: boolean;
  mode: 'Query' | 'Scan' | undefined;
  onCreate: () => void;
}

/** An empty page is not the end: it says what was read, and offers the rest. */
function Empty({ results, filtered, counted, mode, onCreate }: EmptyProps) {
  const { pages, busy } = results;
  if (!pages.started) return <>{busy ? 'Reading…' : 'Run the query to see items here.'}</>;
  if (counted) {
    return (
      <div className="empty">
        <strong className="count">{formatCount(pages.count)}</strong>
        <span>{filtered ? `items match, of ${formatCount(pages.scanned)} scanned` : 'items'}{pages.more ? ', so far' : ''}</span>
        {pages.more && <ReadOn results={results} />}
      </div>
    );
  }
  if (pages.more) {
    return (
      <div className="empty" data-testid="empty">
        <strong>{formatCount(pages.scanned)} scanned, {formatCount(pages.count)} match: read on</strong>
        <span>{filtered ? 'The filter dropped all that was read so far. There is more.' : 'This page is empty, but there is more.'}</span>
        <ReadOn results={results} />
      </div>
    );
  }
  if (filtered && pages.scanned) {
    return (
      <div className="empty" data-testid="empty">
        <strong>Nothing matches</strong>
        <span>{formatCount(pages.scanned)} scanned to the end; the filter dropped all.</span>
      </div>
    );
  }
  return (
    <div className="empty" data-testid="empty">
      <strong>{mode === 'Query' ? 'No items for this key condition' : 'No items'}</strong>
      {mode === 'Scan' && <WriteButton onClick={onCreate}>Create item</WriteButton>}
    </div>
  );
}

