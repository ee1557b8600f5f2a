/** One table: what it is, its indexes with their progress, its settings, and all of it as code. */
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Spinner from '@cloudscape-design/components/spinner';
import Tabs from '@cloudscape-design/components/tabs';
import { lazy, Suspense, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { follow, href, navigate, segment, useQueryState } from '../../app/router.ts';
import type { PageProps } from '../../app/routes.ts';
import { call, codeOf, type TableDescription, useReadOnly } from '../../aws/index.ts';
import {
  ErrorBox, Page, RequestPreview, tablesChanged, useAsync, usePolling, useTable, WriteButton,
} from '../../components/index.ts';
import { Backups } from './backups.tsx';
import { ChangeCapacity } from './change_capacity.tsx';
import { ChangeInsights, ChangeSettings } from './change_settings.tsx';
import { ChangePolicy, ChangeStream, ChangeTags, ChangeTtl } from './changes.tsx';
import { DeleteTable } from './delete_table.tsx';
import { createInputOf } from './from_description.ts';
import { Indexes } from './indexes.tsx';
import { type Dialog, type Extras, NOTHING_KNOWN, Overview, TagsAndPolicy } from './overview.tsx';
import { KnownOfTable } from './table_dialog.tsx';
import { templateAfter } from './template.ts';

// Most tables have no sinks.
const TableSinks = lazy(() => import('./sinks.tsx').then((each) => ({ default: each.TableSinks })));

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
  const [ttl, tags, policy, insights, backups] = await Promise.all([
    attempt('ttl', call('DescribeTimeToLive', { TableName: table.TableName }, { signal })),
    attempt('tags', call('ListTagsOfResource', { ResourceArn }, { signal })),
    attempt('policy', call('GetResourcePolicy', { ResourceArn }, { signal }), ['PolicyNotFoundException']),
    attempt('insights', call('ListContributorInsights', { TableName: table.TableName, MaxResults: 100 }, { signal })),
    attempt('backups', call('DescribeContinuousBackups', { TableName: table.TableName }, { signal })),
  ]);
  const description = ttl?.TimeToLiveDescription;
  const on = description?.TimeToLiveStatus === 'ENABLED' || description?.TimeToLiveStatus === 'ENABLING';
  return {
    ttl: on ? description?.AttributeName : undefined,
    tags: tags?.Tags ?? [],
    policy: policy?.Policy,
    insights: (insights?.ContributorInsightsSummaries ?? [])
      .filter((each) => /^ENABL/.test(each.ContributorInsightsStatus ?? ''))
      .map((each) => ({ index: each.IndexName, mode: each.ContributorInsightsMode! })),
    backups: backups?.ContinuousBackupsDescription,
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
    <KnownOfTable.Provider value={extras ?? NOTHING_KNOWN}>
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
                { id: 'settings', text: 'Deletion protection, table class, encryption' },
                { id: 'insights', text: 'Contributor Insights' },
              ]}
              onItemClick={({ detail }) => setDialog(detail.id as Dialog)}
            >
              Change
            </ButtonDropdown>
            <Button href={href('import', { table: name })} onFollow={follow}>
              Import
            </Button>
            <Button href={href('export', { table: name })} onFollow={follow}>
              Export
            </Button>
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
            {
              id: 'sinks',
              label: 'Sinks',
              content: (
                <Suspense fallback={<Spinner />}>
                  <TableSinks table={name} />
                </Suspense>
              ),
            },
            { id: 'policy', label: 'Tags and policy', content: <TagsAndPolicy extras={extras} change={setDialog} /> },
            { id: 'backups', label: 'Backups', content: <Backups extras={extras} /> },
            {
              id: 'code',
              label: 'As code',
              content: (
                <Container header={<Header variant="h2" description="Makes a table like this one.">CreateTable</Header>}>
                  <RequestPreview
                    request={{ operation: 'CreateTable', input: createInputOf(table, extras?.tags) }}
                    template={templateAfter(table, extras ?? NOTHING_KNOWN, [])}
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
        {dialog === 'insights' && <ChangeInsights table={table} onClose={close} onDone={reloadExtras} />}
        {dialog === 'delete' && <DeleteTable name={name} onClose={close} onDeleted={() => navigate(href('tables'))} />}
      </Page>
    </KnownOfTable.Provider>
  );
}
