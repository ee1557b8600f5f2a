/** All tables. Names are listed once; descriptions are loaded for the rows that are shown. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { PersistedStore, useStore } from '../../app/store.ts';
import { useKeys } from '../../app/keys.ts';
import { follow, href, navigate, segment, useQueryState } from '../../app/router.ts';
import { codeOf, type TableDescription } from '../../aws/index.ts';
import { describeTable, ErrorBox, formatBytes, formatCount, keysOf, plural, tablesChanged, usePolling, useTables, WriteButton } from '../../components/index.ts';
import { Status } from './status.tsx';
import { billingOf, keyText } from './describe.ts';

// Not a part of the first view.
const DeleteTable = lazy(() => import('./delete_table.tsx').then((each) => ({ default: each.DeleteTable })));
const EmptyTables = lazy(() => import('./empty.tsx').then((each) => ({ default: each.EmptyTables })));

const PAGE = 50;
const AT_ONCE = 6;
const lastFilter = new PersistedStore('tables.filter', '');

interface Row {
  name: string;
  table?: TableDescription;
}

const columns: TableProps.ColumnDefinition<Row>[] = [
  {
    id: 'name',
    header: 'Name',
    sortingField: 'name',
    isRowHeader: true,
    minWidth: 180,
    cell: ({ name }) => (
      <a className="plain-link" href={href(`tables/${segment(name)}`)} onClick={(event) => go(event, `tables/${segment(name)}`)}>
        {name}
      </a>
    ),
  },
  {
    id: 'explore',
    header: 'Open',
    cell: ({ name }) => (
      <a className="plain-link" href={href(`explore/${segment(name)}`)} onClick={(event) => go(event, `explore/${segment(name)}`)}>
        Explore
      </a>
    ),
  },
  { id: 'status', header: 'Status', cell: ({ table }) => table && <Status status={table.TableStatus} /> },
  { id: 'partition', header: 'Partition key', cell: ({ table }) => table && keyText(table, keysOf(table.KeySchema).partition) },
  { id: 'sort', header: 'Sort key', cell: ({ table }) => table && keyText(table, keysOf(table.KeySchema).sort) },
  {
    id: 'indexes',
    header: 'Indexes',
    cell: ({ table }) => table && formatCount((table.GlobalSecondaryIndexes?.length ?? 0) + (table.LocalSecondaryIndexes?.length ?? 0) + (table.VectorIndexes?.length ?? 0)),
  },
  { id: 'items', header: 'Items', cell: ({ table }) => table && <span className="tabular">{formatCount(table.ItemCount)}</span> },
  { id: 'size', header: 'Size', cell: ({ table }) => table && <span className="tabular">{formatBytes(table.TableSizeBytes)}</span> },
  { id: 'billing', header: 'Capacity', cell: ({ table }) => table && billingOf(table) },
  { id: 'stream', header: 'Stream', cell: ({ table }) => table && (table.StreamSpecification?.StreamEnabled ? 'On' : '–') },
];

function go(event: React.MouseEvent, path: string) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  follow(Object.assign(event, { detail: { href: href(path) } }) as never);
}

/** Descriptions of these names, as they come in, and what kept one from coming. */
function useDescriptions(names: string[], turn: number): [Map<string, TableDescription>, unknown] {
  const [found, setFound] = useState(new Map<string, TableDescription>());
  const [error, setError] = useState<unknown>();
  const key = names.join('\n');
  useEffect(() => {
    let gone = false;
    const waiting = [...names];
    let fault: unknown;
    const work = async () => {
      for (let name = waiting.shift(); name !== undefined && !gone; name = waiting.shift()) {
        try {
          const table = await describeTable(name);
          if (!gone) setFound((before) => new Map(before).set(name!, table));
        } catch (problem) {
          // A table that was deleted meanwhile goes with the next list.
          if (codeOf(problem) !== 'ResourceNotFoundException') fault = problem;
        }
      }
      if (!gone) setError(fault);
    };
    for (let worker = 0; worker < AT_ONCE; worker++) void work();
    return () => {
      gone = true;
    };
  }, [key, turn]);
  return [found, error];
}

export default function TablesList() {
  const tables = useTables();
  const kept = useStore(lastFilter);
  const [asked, setFilter] = useQueryState('filter', '');
  // Without one in the address, the filter is as it was left.
  const filter = asked || kept;
  const [page, setPage] = useState(1);
  const [descending, setDescending] = useState(false);
  const [selected, setSelected] = useState<Row[]>([]);
  const [deleting, setDeleting] = useState<string>();
  const [turn, setTurn] = useState(0);

  const change = (text: string) => {
    lastFilter.set(text);
    setFilter(text);
    setPage(1);
  };

  const names = useMemo(() => {
    const found = (tables.data ?? []).filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
    return descending ? found.reverse() : found;
  }, [tables.data, filter, descending]);
  const shown = names.slice((page - 1) * PAGE, page * PAGE);
  const [descriptions, fault] = useDescriptions(shown, turn);
  const rows: Row[] = shown.map((name) => ({ name, table: descriptions.get(name) }));
  const changing = rows.some((row) => row.table && row.table.TableStatus !== 'ACTIVE');
  usePolling(
    () => {
      tables.reload();
      setTurn((before) => before + 1);
    },
    changing ? 1500 : 15000,
  );
  const chosen = selected[0] && shown.includes(selected[0].name) ? selected[0].name : undefined;

  useKeys([
    { keys: 'n', does: 'Create a table', run: () => navigate(href('tables/new')) },
    { keys: 'r', does: 'Load the tables again', run: tablesChanged },
  ]);

  if (tables.error && !tables.data) return <ErrorBox error={tables.error} header="The tables could not be listed" onRetry={tables.reload} />;
  if (tables.data?.length === 0) return <EmptyTables />;
  return (
    <>
      <ErrorBox error={fault} header="Not all tables could be described" />
      <Table
        variant="full-page"
        stickyHeader
        items={rows}
        columnDefinitions={columns}
        trackBy="name"
        loading={tables.loading && !tables.data}
        loadingText="Listing tables"
        selectionType="single"
        selectedItems={chosen ? [{ name: chosen }] : []}
        onSelectionChange={({ detail }) => setSelected(detail.selectedItems)}
        onRowClick={({ detail }) => setSelected([detail.item])}
        sortingColumn={{ sortingField: 'name' }}
        sortingDescending={descending}
        onSortingChange={({ detail }) => setDescending(!!detail.isDescending)}
        ariaLabels={{
          tableLabel: 'Tables',
          selectionGroupLabel: 'Choose a table',
          itemSelectionLabel: (_, row) => row.name,
        }}
        header={
          <Header
            variant="awsui-h1-sticky"
            counter={tables.data && (filter ? `(${formatCount(names.length)}/${formatCount(tables.data.length)})` : `(${formatCount(tables.data.length)})`)}
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button iconName="refresh" ariaLabel="Load again" onClick={tablesChanged} />
                <Button disabled={!chosen} onClick={() => navigate(href(`explore/${segment(chosen!)}`))}>
                  Explore items
                </Button>
                <WriteButton disabled={!chosen} onClick={() => setDeleting(chosen)}>
                  Delete
                </WriteButton>
                <WriteButton variant="primary" onClick={() => navigate(href('tables/new'))}>
                  Create table
                </WriteButton>
              </SpaceBetween>
            }
          >
            Tables
          </Header>
        }
        filter={
          <div data-filter>
            <TextFilter
              filteringText={filter}
              filteringPlaceholder="Find tables by name"
              filteringAriaLabel="Find tables"
              countText={filter && plural('match', names.length, 'matches')}
              onChange={({ detail }) => change(detail.filteringText)}
            />
          </div>
        }
        pagination={
          names.length > PAGE && (
            <Pagination
              currentPageIndex={page}
              pagesCount={Math.ceil(names.length / PAGE)}
              onChange={({ detail }) => setPage(detail.currentPageIndex)}
              ariaLabels={{ nextPageLabel: 'Next page', previousPageLabel: 'Previous page', pageLabel: (number) => `Page ${number}` }}
            />
          )
        }
        empty={
          <Box textAlign="center" padding="l">
            <SpaceBetween size="s">
              <div>No table has “{filter}” in its name.</div>
              <Button onClick={() => change('')}>Clear the filter</Button>
            </SpaceBetween>
          </Box>
        }
      />
      <Suspense fallback={null}>{deleting && <DeleteTable name={deleting} onClose={() => setDeleting(undefined)} />}</Suspense>
    </>
  );
}
