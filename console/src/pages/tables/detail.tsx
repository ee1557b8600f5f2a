/** One table: what it is, its indexes with their progress, its settings, and all of it as code. */
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import Tabs from '@cloudscape-design/components/tabs';
import { useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { href, navigate, segment, useQueryState } from '../../app/router.ts';
import type { PageProps } from '../../app/routes.ts';
import { call, codeOf, type TableDescription, useReadOnly } from '../../aws/index.ts';
import {
  CodeBlock, CopyButton, ErrorBox, formatBytes, formatCount, formatTime, keysOf, Page, RequestPreview, tablesChanged, useAsync, usePolling,
  useTable, WriteButton,
} from '../../components/index.ts';
import { ChangeCapacity, ChangePolicy, ChangeSettings, ChangeStream, ChangeTags, ChangeTtl } from './changes.tsx';
import { DeleteTable } from './delete_table.tsx';
import { billingOf, isOnDemand, keyText } from './describe.ts';
import { createInputOf } from './from_description.ts';
import { Indexes } from './indexes.tsx';
import { Status } from './status.tsx';

type Dialog = 'capacity' | 'stream' | 'ttl' | 'tags' | 'policy' | 'settings' | 'delete';

interface Extras {
  ttl?: string;
  ttlStatus: string;
  tags: { Key?: string; Value?: string }[];
  policy?: string;
  /** What could not be loaded, as for want of permission. */
  faults: Record<string, unknown>;
}

/** What other calls say of the table. Each may be refused by itself. */
async function loadExtras(table: TableDescription, signal: AbortSignal): Promise<Extras> {
  const faults: Record<string, unknown> = {};
  const attempt = async <T,>(name: string, work: Promise<T>, absent: string[] = []): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!absent.includes(codeOf(error))) faults[name] = error;
      return undefined;
    }
  };
  const ResourceArn = table.TableArn!;
  const [ttl, tags, policy] = await Promise.all([
    attempt('ttl', call('DescribeTimeToLive', { TableName: table.TableName }, { signal })),
    attempt('tags', call('ListTagsOfResource', { ResourceArn }, { signal })),
    attempt('policy', call('GetResourcePolicy', { ResourceArn }, { signal }), ['PolicyNotFoundException']),
  ]);
  const description = ttl?.TimeToLiveDescription;
  const on = description?.TimeToLiveStatus === 'ENABLED' || description?.TimeToLiveStatus === 'ENABLING';
  return {
    ttl: on ? description?.AttributeName : undefined,
    ttlStatus: description?.TimeToLiveStatus ?? 'DISABLED',
    tags: tags?.Tags ?? [],
    policy: policy?.Policy,
    faults,
  };
}

export default function TableDetail({ params }: PageProps) {
  const name = params.table!;
  const table = useTable(name);
  const [seen, setSeen] = useState<TableDescription>();
  const current = table.data ?? seen;
  if (table.data && table.data !== seen) setSeen(table.data);
  const extras = useAsync(table.data ? `${table.data.TableId ?? ''}${table.data.TableStatus}${table.data.TableArn}` : undefined, (signal) =>
    loadExtras(table.data!, signal),
  );
  const [shownExtras, setShownExtras] = useState<Extras>();
  if (extras.data && extras.data !== shownExtras) setShownExtras(extras.data);

  const changing =
    current !== undefined &&
    (current.TableStatus !== 'ACTIVE' ||
      [...(current.GlobalSecondaryIndexes ?? []), ...(current.VectorIndexes ?? [])].some((index) => index.IndexStatus !== 'ACTIVE'));
  usePolling(table.reload, changing ? 1000 : 15000);

  if (table.error && (!current || codeOf(table.error) === 'ResourceNotFoundException')) {
    const gone = codeOf(table.error) === 'ResourceNotFoundException';
    return (
      <Page title={name} actions={<Button onClick={() => navigate(href('tables'))}>All tables</Button>}>
        <ErrorBox
          error={table.error}
          header={gone ? (current ? `Table ${name} was deleted meanwhile` : `There is no table ${name}`) : 'The table could not be described'}
          onRetry={table.reload}
        />
      </Page>
    );
  }
  if (!current) {
    return (
      <div className="centred">
        <Spinner size="large" />
      </div>
    );
  }
  return <Detail table={current} extras={shownExtras} reloadExtras={extras.reload} />;
}

interface Props {
  table: TableDescription;
  extras: Extras | undefined;
  reloadExtras: () => void;
}

function Detail({ table, extras, reloadExtras }: Props) {
  const name = table.TableName!;
  const locked = useReadOnly();
  const [tab, setTab] = useQueryState('tab', 'overview');
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const explore = () => navigate(href(`explore/${segment(name)}`));
  const tags = (extras?.tags ?? []).map((tag) => ({ key: tag.Key!, value: tag.Value ?? '' }));
  const indexCount = (table.GlobalSecondaryIndexes?.length ?? 0) + (table.LocalSecondaryIndexes?.length ?? 0) + (table.VectorIndexes?.length ?? 0);
  useKeys([{ keys: 'e', does: 'Explore the items', run: explore }]);

  return (
    <Page
      title={name}
      actions={
        <>
          <Button iconName="refresh" ariaLabel="Load again" onClick={tablesChanged} />
          <WriteButton disabled={table.DeletionProtectionEnabled} disabledReason="Deletion protection is on." onClick={() => setDialog('delete')}>
            Delete
          </WriteButton>
          <ButtonDropdown
            disabled={locked}
            disabledReason="Read-only is on (at the top right)."
            items={[
              { id: 'capacity', text: 'Capacity' },
              { id: 'stream', text: 'Stream' },
              { id: 'ttl', text: 'Time to live' },
              { id: 'tags', text: 'Tags' },
              { id: 'policy', text: 'Resource policy' },
              { id: 'settings', text: 'Deletion protection, table class' },
            ]}
            onItemClick={({ detail }) => setDialog(detail.id as Dialog)}
          >
            Change
          </ButtonDropdown>
          <Button variant="primary" onClick={explore}>
            Explore items
          </Button>
        </>
      }
    >
      <Tabs
        activeTabId={tab}
        onChange={({ detail }) => setTab(detail.activeTabId)}
        ariaLabel="Parts of the table"
        tabs={[
          { id: 'overview', label: 'Overview', content: <Overview table={table} extras={extras} change={setDialog} /> },
          { id: 'indexes', label: indexCount ? `Indexes (${indexCount})` : 'Indexes', content: <Indexes table={table} /> },
          { id: 'policy', label: 'Tags and policy', content: <TagsAndPolicy extras={extras} change={setDialog} /> },
          {
            id: 'code',
            label: 'As code',
            content: (
              <Container header={<Header variant="h2" description="Makes a table like this one.">CreateTable</Header>}>
                <RequestPreview
                  request={{ operation: 'CreateTable', input: createInputOf(table, extras?.tags) }}
                  extras={{ timeToLive: extras?.ttl ? { AttributeName: extras.ttl, Enabled: true } : undefined, resourcePolicy: extras?.policy }}
                />
              </Container>
            ),
          },
        ]}
      />
      {dialog === 'capacity' && <ChangeCapacity table={table} onClose={close} />}
      {dialog === 'stream' && <ChangeStream table={table} onClose={close} />}
      {dialog === 'ttl' && <ChangeTtl table={table} attribute={extras?.ttl} onClose={close} onDone={reloadExtras} />}
      {dialog === 'tags' && <ChangeTags table={table} tags={tags} onClose={close} onDone={reloadExtras} />}
      {dialog === 'policy' && <ChangePolicy table={table} policy={extras?.policy} onClose={close} onDone={reloadExtras} />}
      {dialog === 'settings' && <ChangeSettings table={table} onClose={close} />}
      {dialog === 'delete' && <DeleteTable name={name} onClose={close} onDeleted={() => navigate(href('tables'))} />}
    </Page>
  );
}

interface PartProps {
  table: TableDescription;
  extras: Extras | undefined;
  change: (dialog: Dialog) => void;
}

function Overview({ table, extras, change }: PartProps) {
  const keys = keysOf(table.KeySchema);
  const warm = table.WarmThroughput;
  const limits = table.OnDemandThroughput;
  const edit = (dialog: Dialog) => (
    <WriteButton variant="inline-link" onClick={() => change(dialog)} ariaLabel={`Change: ${dialog}`}>
      Change
    </WriteButton>
  );
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2">Table</Header>}>
        <KeyValuePairs
          columns={4}
          items={[
            { label: 'Status', value: <Status status={table.TableStatus} /> },
            { label: 'Partition key', value: keyText(table, keys.partition) },
            { label: 'Sort key', value: keyText(table, keys.sort) },
            { label: 'Created', value: formatTime(table.CreationDateTime) },
            { label: 'Items', value: <span className="tabular" data-testid="item-count">{formatCount(table.ItemCount)}</span> },
            { label: 'Size', value: <span className="tabular">{formatBytes(table.TableSizeBytes)}</span> },
            { label: 'Average item', value: table.ItemCount ? formatBytes(Math.round((table.TableSizeBytes ?? 0) / table.ItemCount)) : '–' },
            { label: 'Deletion protection', value: <>{table.DeletionProtectionEnabled ? 'On' : 'Off'} {edit('settings')}</> },
            {
              label: 'ARN',
              value: (
                <span className="prewrap">
                  {table.TableArn} <CopyButton text={table.TableArn!} label="Copy the ARN" />
                </span>
              ),
            },
          ]}
        />
      </Container>
      <Container header={<Header variant="h2">Capacity, stream, expiry</Header>}>
        <KeyValuePairs
          columns={4}
          items={[
            {
              label: 'Capacity',
              value: (
                <>
                  {billingOf(table)} {edit('capacity')}
                </>
              ),
            },
            {
              label: 'Most units a second',
              value: isOnDemand(table) ? limitsText(limits?.MaxReadRequestUnits, limits?.MaxWriteRequestUnits) : '–',
            },
            {
              label: 'Warm throughput',
              value: warm ? `${formatCount(warm.ReadUnitsPerSecond)} read, ${formatCount(warm.WriteUnitsPerSecond)} write` : '–',
            },
            {
              label: 'Stream',
              value: (
                <>
                  {table.StreamSpecification?.StreamEnabled ? viewText(table.StreamSpecification.StreamViewType) : 'Off'} {edit('stream')}
                </>
              ),
            },
            {
              label: 'Time to live',
              value: extras ? (
                <>
                  {extras.faults.ttl ? 'unknown' : extras.ttl ?? 'Off'} {edit('ttl')}
                </>
              ) : (
                '…'
              ),
            },
            { label: 'Encryption', value: table.SSEDescription?.Status === 'ENABLED' ? 'KMS key' : 'Key of the service' },
            { label: 'Table class', value: table.TableClassSummary?.TableClass === 'STANDARD_INFREQUENT_ACCESS' ? 'Infrequent access' : 'Standard' },
            ...(table.LatestStreamArn
              ? [
                  {
                    label: 'Stream ARN',
                    value: (
                      <span className="prewrap">
                        {table.LatestStreamArn} <CopyButton text={table.LatestStreamArn} label="Copy the stream’s ARN" />
                      </span>
                    ),
                  },
                ]
              : []),
          ]}
        />
      </Container>
      {Object.entries(extras?.faults ?? {}).map(([what, error]) => (
        <ErrorBox key={what} error={error} header={`Not shown: ${WHAT[what]}`} />
      ))}
    </SpaceBetween>
  );
}

const WHAT: Record<string, string> = { ttl: 'time to live', tags: 'tags', policy: 'the resource policy' };

function limitsText(read: number | undefined, write: number | undefined): string {
  if (!(read! >= 0) && !(write! >= 0)) return 'No limit';
  const one = (value: number | undefined) => (value === undefined || value < 0 ? 'no limit' : formatCount(value));
  return `${one(read)} read, ${one(write)} write`;
}

function viewText(view: string | undefined): string {
  return (view ?? '').replace(/_/g, ' ').toLowerCase().replace(/^./, (first) => first.toUpperCase());
}

function TagsAndPolicy({ extras, change }: Omit<PartProps, 'table'>) {
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2" counter={`(${extras?.tags.length ?? 0})`} actions={<WriteButton onClick={() => change('tags')}>Change tags</WriteButton>}>Tags</Header>}>
        {extras?.tags.length ? (
          <SpaceBetween direction="horizontal" size="xs">
            {extras.tags.map((tag) => (
              <Badge key={tag.Key}>
                {tag.Key}: {tag.Value}
              </Badge>
            ))}
          </SpaceBetween>
        ) : (
          <Box color="text-body-secondary">No tags.</Box>
        )}
      </Container>
      <Container header={<Header variant="h2" actions={<WriteButton onClick={() => change('policy')}>Change policy</WriteButton>}>Resource policy</Header>}>
        {extras?.policy ? <CodeBlock text={pretty(extras.policy)} label="Resource policy" /> : <Box color="text-body-secondary">No policy.</Box>}
      </Container>
    </SpaceBetween>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
