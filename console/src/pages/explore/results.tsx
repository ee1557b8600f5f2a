/** What was read: as a grid, as JSON, or as a picture; with what was scanned and what it cost. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Container from '@cloudscape-design/components/container';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { notify } from '../../app/notices.ts';
import { href, navigate, segment } from '../../app/router.ts';
import { call, messageOf, type TableDescription } from '../../aws/index.ts';
import { copyText, ErrorBox, formatCount, plural, WriteButton } from '../../components/index.ts';
import { type Item, own, printItem, printJson, toPlain } from '../../values/index.ts';
import { ColumnChooser } from './column_chooser.tsx';
import { orderedColumns } from './columns.ts';
import { DeleteItems } from './delete_items.tsx';
import { ItemsGrid } from './items_grid.tsx';
import { ItemsJson } from './items_json.tsx';
import { printOperand } from './operand.ts';
import { emptySearch, whereOfItem } from './search.ts';
import { Empty, ReadOn, Summary } from './summary.tsx';
import { keyAttributes, keyOf, type ReadTarget, vectorTargets } from './target.ts';
import type { Results } from './use_results.ts';
import { type Shape, type View } from './view.ts';

const LivePicture = lazy(() => import('../picture/live_picture.tsx'));

/** The column of scores; no attribute has this name. */
const SCORE = '\0score';

/** The row that was opened last, and where: Back returns to it. */
let left: { address: string; row: number } | undefined;

type PictureRequest = { operation: 'Query' | 'Scan'; input: Record<string, unknown> };

interface Props {
  table: TableDescription;
  target: ReadTarget;
  view: View;
  results: Results;
  onChange: (change: Partial<View>) => void;
  /** Shows and runs another query. */
  onView: (change: Partial<View>) => void;
  onRerun: () => void;
  onCreate: () => void;
}

export function ResultsView({ table, target, view, results, onChange, onView, onRerun, onCreate }: Props) {
  const name = table.TableName!;
  const { pages, error, request } = results;
  const keys = useMemo(() => keyAttributes(table), [table]);
  const [selected, setSelected] = useState(new Set<number>());
  const [active, setActive] = useState({ row: 0, column: '' });
  const [deleting, setDeleting] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const vectors = useMemo(() => vectorTargets(table), [table]);
  const keyNames = keys.map((each) => each.name);
  const firstColumn = pages.scores ? SCORE : keyNames.find((each) => results.columns.seen.has(each)) ?? '';
  const box = useRef<HTMLDivElement>(null);
  const rows = pages.itemCount;
  const item = useCallback((row: number) => pages.item(row), [pages, results.turn]);
  useEffect(() => {
    setSelected(new Set());
    setActive({ row: back.current ?? 0, column: '' });
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
  const chosen = () => (selected.size ? [...selected].sort((a, b) => a - b) : rows ? [active.row] : []);
  const chosenItems = () => chosen().map((row) => pages.item(row)).filter((each) => each !== undefined);
  const chosenKeys = () =>
    chosen().map((row) => {
      const item = pages.item(row);
      return item && keyOf(item, keys);
    });
  const put = async (text: string, what: string) =>
    notify((await copyText(text)) ? { type: 'success', content: `${what}.` } : { type: 'error', content: 'The browser refused to copy.' });
  const copy = (form: 'dynamodb' | 'plain') => {
    const items = chosenItems();
    const texts = items.map((each) => (form === 'plain' ? printJson(toPlain(each).json) : printItem(each)));
    const text = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
    if (items.length) void put(text, `${plural('item', items.length)} copied as ${form === 'plain' ? 'JSON' : 'DynamoDB JSON'}`);
  };
  const copyValue = (row: number, column: string) => {
    const value = own(pages.item(row), column);
    if (value) void put(printOperand(value), 'Value copied');
    else if (column === SCORE && pages.scores) void put(String(pages.scores[row]), 'Score copied');
  };
  const similar = async () => {
    const to = target.vector ? target : vectors[0]!;
    const item = chosenItems()[0];
    const Key = item && keyOf(item, keys);
    const { attribute } = to.vector!;
    const full = item && own(item, attribute) ? item : Key && (await call('GetItem', { TableName: name, Key })).Item;
    const value = own(full, attribute) as { L?: { N: string }[] } | undefined;
    if (!value?.L) return notify({ type: 'warning', content: `The item has no vector ${attribute}.` });
    onView({ mode: 'search', index: to.index, search: { ...emptySearch(), vector: `[${value.L.map((each) => each.N).join(', ')}]`, where: whereOfItem(full!, to) } });
  };
  const focusGrid = () => box.current?.querySelector<HTMLElement>('[role=grid]')?.focus();
  useKeys([
    { keys: 'j', does: 'Down in the results', run: focusGrid },
    { keys: 'k', does: 'Up in the results', run: focusGrid },
    { keys: 'e', does: 'Open the item', run: () => rows && open(active.row) },
    { keys: 'c', does: 'Copy the selected items as DynamoDB JSON', run: () => copy('dynamodb') },
    { keys: 'C', does: 'Copy the selected items as JSON', run: () => copy('plain') },
    // The grid itself selects with x and opens with Enter; on a button, Enter is the button's.
    { keys: 'x', does: 'Select the item', run: focusGrid },
  ]);

  if (error && !pages.started) return <ErrorBox error={error} header="The request was refused" onRetry={onRerun} />;
  // A search has no picture.
  const shape = view.shape === 'picture' && (view.mode === 'search' || request?.operation === 'SearchVectors') ? 'grid' : view.shape;
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
                    { id: 'duplicate', text: 'Duplicate', disabled: selected.size !== 1 },
                    ...(vectors.length ? [{ id: 'similar', text: 'Find items with similar vectors', disabled: selected.size !== 1 }] : []),
                  ]}
                  onItemClick={({ detail }) => {
                    if (detail.id === 'similar') similar().catch((fault: unknown) => notify({ type: 'error', content: messageOf(fault) }));
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
            {rows > 0 && shape !== 'picture' && (
              <ButtonDropdown
                items={[
                  { id: 'value', text: 'Value of the cell (Ctrl+C)', disabled: shape !== 'grid' },
                  { id: 'dynamodb', text: `${selected.size > 1 ? plural('item', selected.size) : 'Item'} as DynamoDB JSON (c)` },
                  { id: 'plain', text: `${selected.size > 1 ? plural('item', selected.size) : 'Item'} as JSON (C)` },
                ]}
                onItemClick={({ detail }) => (detail.id === 'value' ? copyValue(active.row, active.column || firstColumn) : copy(detail.id as 'dynamodb' | 'plain'))}
              >
                Copy
              </ButtonDropdown>
            )}
            {rows > 0 && shape === 'grid' && (
              <Button onClick={() => setChoosing(true)}>{view.hidden?.length ? `Columns (${formatCount(view.hidden.length)} hidden)` : 'Columns'}</Button>
            )}
            <SegmentedControl
              selectedId={shape}
              label="Show as"
              options={[
                { id: 'grid', text: 'Grid' },
                { id: 'dynamodb', text: 'DynamoDB JSON' },
                { id: 'plain', text: 'JSON' },
                ...(view.mode === 'search' ? [] : [{ id: 'picture', text: 'Picture' }]),
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
            item={item}
            onMissing={results.restore}
            keys={keyNames}
            first={[...target.partition, ...target.sort].map((each) => each.name)}
            more={pages.more}
            selected={selected}
            onSelected={setSelected}
            onOpen={open}
            onActive={(row, column) => setActive({ row, column })}
            onCopy={copyValue}
            hidden={view.hidden}
            lead={pages.scores && { id: SCORE, header: 'Score', width: 180, render: (row) => <span className="value">{pages.scores![row]}</span> }}
            focusRow={back.current}
            empty={empty}
          />
        ) : (
          <ItemsJson form={shape as 'dynamodb' | 'plain'} items={(first, last) => pages.slice(first, last)} count={rows} turn={results.turn} />
        )}
        {rows > 0 && pages.more && shape !== 'picture' && <ReadOn results={results} />}
      </div>
      {choosing && (
        <ColumnChooser
          names={orderedColumns(results.columns, keyNames).map((each) => each.name)}
          keys={keyNames}
          hidden={view.hidden ?? []}
          onChange={(hidden) => onChange({ hidden: hidden.length ? hidden : undefined })}
          onClose={() => setChoosing(false)}
        />
      )}
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
