/** The indexes of a table: keys, projection, size, and how far one that is being filled has come. */
import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useContext, useState } from 'react';
import { call, callPartita, type TableDescription } from '../../aws/index.ts';
import { ConfirmByName, formatBytes, formatCount, keysOf, plural, RequestPreview, tablesChanged, usePolling, WriteButton } from '../../components/index.ts';
import { ChangeIndexCapacity } from './change_capacity.tsx';
import { AddGlobalIndex, AddVectorIndex } from './changes.tsx';
import { isOnDemand, keyText, limitsText, unitsText } from './describe.ts';
import { Pair } from './pair.tsx';
import { Status } from './status.tsx';
import { KnownOfTable } from './table_dialog.tsx';
import { templateAfter } from './template.ts';

interface Row {
  name: string;
  kind: 'Global' | 'Local' | 'Vector';
  keys: string;
  projection: string;
  status?: string;
  backfilling?: boolean;
  items?: number;
  bytes?: number;
  capacity: string;
  warm?: string;
}

interface Job {
  Kind: string;
  TableName?: string;
  IndexName?: string;
  Done: number;
  Total?: number;
  RowsPerSecond?: number;
}

function projectionText(projection: { ProjectionType?: string; NonKeyAttributes?: string[] } | undefined): string {
  if (projection?.ProjectionType === 'INCLUDE') return `Keys, ${projection.NonKeyAttributes?.join(', ')}`;
  return projection?.ProjectionType === 'KEYS_ONLY' ? 'Keys only' : 'All';
}

function rowsOf(table: TableDescription): Row[] {
  const keys = (schema: { AttributeName?: string; KeyType?: string }[] | undefined) => {
    const { partition, sort } = keysOf(schema);
    return sort.length ? `${keyText(table, partition)} · ${keyText(table, sort)}` : keyText(table, partition);
  };
  return [
    ...(table.GlobalSecondaryIndexes ?? []).map((index): Row => ({
      name: index.IndexName!,
      kind: 'Global',
      keys: keys(index.KeySchema),
      projection: projectionText(index.Projection),
      status: index.IndexStatus,
      backfilling: index.Backfilling,
      items: index.ItemCount,
      bytes: index.IndexSizeBytes,
      capacity: isOnDemand(table)
        ? limitsText(index.OnDemandThroughput?.MaxReadRequestUnits, index.OnDemandThroughput?.MaxWriteRequestUnits)
        : unitsText(index.ProvisionedThroughput?.ReadCapacityUnits, index.ProvisionedThroughput?.WriteCapacityUnits),
      warm: unitsText(index.WarmThroughput?.ReadUnitsPerSecond, index.WarmThroughput?.WriteUnitsPerSecond),
    })),
    ...(table.LocalSecondaryIndexes ?? []).map((index): Row => ({
      name: index.IndexName!,
      kind: 'Local',
      keys: keys(index.KeySchema),
      projection: projectionText(index.Projection),
      items: index.ItemCount,
      bytes: index.IndexSizeBytes,
      capacity: 'The table’s',
    })),
    ...(table.VectorIndexes ?? []).map((index): Row => ({
      name: index.IndexName!,
      kind: 'Vector',
      keys: `${index.VectorAttribute?.AttributeName} (${index.Dimensions}, ${(index.DistanceFunction ?? '').toLowerCase().replace('_', ' ')})`,
      projection: projectionText(index.Projection),
      status: index.IndexStatus,
      backfilling: index.Backfilling,
      items: index.ItemCount,
      bytes: index.IndexSizeBytes,
      capacity: 'No limit',
    })),
  ];
}

export function Indexes({ table }: { table: TableDescription }) {
  const [dialog, setDialog] = useState<'global' | 'vector'>();
  const [deleting, setDeleting] = useState<Row>();
  const [changing, setChanging] = useState<string>();
  const [jobs, setJobs] = useState<Job[]>([]);
  const rows = rowsOf(table);
  const filling = rows.some((row) => row.status && row.status !== 'ACTIVE');
  // Progress is an extra: without the permission for ListJobs the status remains.
  usePolling(
    async () => {
      const reply = await callPartita<{ Jobs: Job[] }>('ListJobs').catch(() => ({ Jobs: [] }));
      setJobs(reply.Jobs.filter((job) => job.TableName === table.TableName));
    },
    1000,
    filling,
  );
  const close = () => setDialog(undefined);
  return (
    <>
      <Table
        items={rows}
        trackBy="name"
        ariaLabels={{ tableLabel: 'Indexes' }}
        header={
          <Header
            variant="h2"
            counter={`(${rows.length})`}
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <WriteButton
                  disabled={!isOnDemand(table)}
                  disabledReason="Vector indexes need capacity on demand."
                  onClick={() => setDialog('vector')}
                >
                  Add vector index
                </WriteButton>
                <WriteButton variant="primary" onClick={() => setDialog('global')}>
                  Add global index
                </WriteButton>
              </SpaceBetween>
            }
          >
            Indexes
          </Header>
        }
        empty={<Box color="text-body-secondary">This table has no indexes.</Box>}
        columnDefinitions={[
          { id: 'name', header: 'Name', isRowHeader: true, cell: (row) => <Pair first={<b>{row.name}</b>} second={row.kind} /> },
          {
            id: 'status',
            header: 'Status',
            minWidth: 140,
            cell: (row) => <IndexStatus row={row} job={jobs.find((job) => job.IndexName === row.name)} />,
          },
          { id: 'keys', header: 'Keys', cell: (row) => row.keys },
          { id: 'projection', header: 'Projection', cell: (row) => row.projection },
          { id: 'items', header: 'Items, size', cell: (row) => <Pair first={formatCount(row.items)} second={formatBytes(row.bytes)} /> },
          { id: 'capacity', header: isOnDemand(table) ? 'Most units a second' : 'Capacity', cell: (row) => <Pair first={row.capacity} second={row.warm && `Warm: ${row.warm}`} /> },
          {
            id: 'actions',
            header: 'Actions',
            minWidth: 130,
            cell: (row) =>
              row.kind !== 'Local' && (
                <span className="index-actions">
                  {row.kind === 'Global' && (
                    <WriteButton variant="inline-link" wrapText={false} ariaLabel={`Change index ${row.name}`} disabled={row.status !== 'ACTIVE'} onClick={() => setChanging(row.name)}>
                      Change
                    </WriteButton>
                  )}
                  <WriteButton variant="inline-link" wrapText={false} ariaLabel={`Delete index ${row.name}`} disabled={row.status !== 'ACTIVE'} onClick={() => setDeleting(row)}>
                    Delete
                  </WriteButton>
                </span>
              ),
          },
        ]}
      />
      {dialog === 'global' && <AddGlobalIndex table={table} onClose={close} />}
      {dialog === 'vector' && <AddVectorIndex table={table} onClose={close} />}
      {changing && <ChangeIndexCapacity table={table} index={changing} onClose={() => setChanging(undefined)} />}
      {deleting && <DeleteIndex table={table} row={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

function IndexStatus({ row, job }: { row: Row; job: Job | undefined }) {
  if (!row.status) return <Status status="ACTIVE" />;
  if (row.status === 'CREATING' && job?.Total) {
    const rate = job.RowsPerSecond ? `, ${formatCount(Math.round(job.RowsPerSecond))} a second` : '';
    return (
      <ProgressBar
        variant="key-value"
        value={Math.min(100, (100 * job.Done) / job.Total)}
        ariaLabel={`Filling ${row.name}`}
        additionalInfo={`${formatCount(job.Done)} of ${formatCount(job.Total)} items${rate}`}
      />
    );
  }
  return (
    <>
      <Status status={row.status} /> {row.backfilling && job && <small>{plural('item', job.Done)} so far</small>}
    </>
  );
}

export function DeleteIndex({ table, row, onClose }: { table: TableDescription; row: Pick<Row, 'name' | 'kind'>; onClose: () => void }) {
  const update = [{ Delete: { IndexName: row.name } }];
  const input = {
    TableName: table.TableName!,
    ...(row.kind === 'Vector' ? { VectorIndexUpdates: update } : { GlobalSecondaryIndexUpdates: update }),
  };
  const request = { operation: 'UpdateTable', input };
  const known = useContext(KnownOfTable);
  return (
    <ConfirmByName
      title={`Delete index ${row.name}`}
      name={row.name}
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await call('UpdateTable', input);
        tablesChanged();
      }}
    >
      <p>The items stay in the table. Queries of this index fail from now on.</p>
      <RequestPreview folded request={request} template={templateAfter(table, known, [request])} />
    </ConfirmByName>
  );
}
