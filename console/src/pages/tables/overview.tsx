/** What a table is: keys, figures, settings, tags and policy, each with a way to change it. */
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableDescription } from '../../aws/index.ts';
import type { OutputOf } from '../../aws/operations.ts';
import { CodeBlock, CopyButton, ErrorBox, formatBytes, formatCount, formatTime, keysOf, WriteButton } from '../../components/index.ts';
import { billingOf, isOnDemand, keyText, limitsText, unitsText } from './describe.ts';
import { Status } from './status.tsx';
import type { Known } from './template.ts';

export type Dialog = 'capacity' | 'stream' | 'ttl' | 'tags' | 'policy' | 'settings' | 'insights' | 'delete';

export interface Extras extends Known {
  backups?: OutputOf<'DescribeContinuousBackups'>['ContinuousBackupsDescription'];
  /** What could not be loaded, as for want of permission. */
  faults: Record<string, unknown>;
}

export const NOTHING_KNOWN: Known = { tags: [], insights: [] };

interface PartProps {
  table: TableDescription;
  extras: Extras | undefined;
  change: (dialog: Dialog) => void;
}

export function Overview({ table, extras, change }: PartProps) {
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
      <Container header={<Header variant="h2">Settings</Header>}>
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
              value: <>{unitsText(warm?.ReadUnitsPerSecond, warm?.WriteUnitsPerSecond)} {edit('capacity')}</>,
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
            { label: 'Encryption', value: <>{table.SSEDescription?.Status === 'ENABLED' ? 'KMS key' : 'Key of the service'} {edit('settings')}</> },
            { label: 'Table class', value: <>{table.TableClassSummary?.TableClass === 'STANDARD_INFREQUENT_ACCESS' ? 'Infrequent access' : 'Standard'} {edit('settings')}</> },
            { label: 'Contributor Insights', value: <>{insightsText(extras)} {edit('insights')}</> },
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

const WHAT: Record<string, string> = { ttl: 'time to live', tags: 'tags', policy: 'the resource policy', insights: 'Contributor Insights', backups: 'continuous backups' };

function insightsText(extras: Extras | undefined): string {
  if (!extras) return '…';
  if (extras.faults.insights) return 'unknown';
  const of = extras.insights.map((each) => (each.index ? `index ${each.index}` : 'table'));
  return of.length ? `On: ${of.join(', ')}` : 'Off';
}

function viewText(view: string | undefined): string {
  return (view ?? '').replace(/_/g, ' ').toLowerCase().replace(/^./, (first) => first.toUpperCase());
}

export function TagsAndPolicy({ extras, change }: Omit<PartProps, 'table'>) {
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
