import Header from '@cloudscape-design/components/header';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { formatCount } from '../../components/index.ts';
import { usePolled } from './poll.ts';
import { shortFigure } from './samples.ts';
import { Nothing, Trouble } from './states.tsx';

interface Job {
  Kind: string;
  TableName?: string;
  IndexName?: string;
  Description: string;
  Done: number;
  Total?: number;
  RowsPerSecond?: number;
  Here: boolean;
  UntouchedSeconds: number;
}

const KINDS: Record<string, string> = {
  fill_index: 'Backfill of an index',
  drop_index: 'Removal of an index',
  drop_table: 'Removal of a table',
  count: 'Count of items',
  sweep_tokens: 'Removal of old request tokens',
  tend_streams: 'Upkeep of streams',
  fill_expiry: 'Preparation of time to live',
  drop_expiry: 'Removal of time to live',
  expire: 'Time to live',
  carry: 'Sink',
};

function remaining(job: Job): string {
  if (!job.Total || !job.RowsPerSecond) return '–';
  const seconds = Math.max(0, job.Total - job.Done) / job.RowsPerSecond;
  return seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

const columns: TableProps.ColumnDefinition<Job>[] = [
  { id: 'kind', header: 'Job', isRowHeader: true, cell: (job) => <span title={job.Description}>{KINDS[job.Kind] ?? job.Kind}</span>, width: 240 },
  { id: 'table', header: 'Table', cell: (job) => job.TableName ?? 'whole store' },
  { id: 'index', header: 'Index', cell: (job) => job.IndexName ?? '–' },
  {
    id: 'progress',
    header: 'Progress',
    minWidth: 220,
    cell: (job) =>
      job.Total ? (
        <ProgressBar
          value={Math.min(100, (job.Done / job.Total) * 100)}
          additionalInfo={`${formatCount(job.Done)} of ${formatCount(job.Total)} rows`}
          ariaLabel={`Progress: ${job.Description}`}
        />
      ) : (
        <span className="tabular">{job.Done ? `${formatCount(job.Done)} rows` : '–'}</span>
      ),
  },
  { id: 'rate', header: 'Rows/s', cell: (job) => <span className="tabular">{job.RowsPerSecond === undefined ? '–' : shortFigure(job.RowsPerSecond)}</span>, width: 110 },
  { id: 'left', header: 'Time left', cell: (job) => <span className="tabular">{remaining(job)}</span>, width: 110 },
  { id: 'here', header: 'Run by', cell: (job) => (job.Here ? 'this server' : 'another server, or waiting'), width: 190 },
];

export function Jobs() {
  const polled = usePolled<{ Jobs: Job[] }>('ListJobs', 'jobs', () => ({}));
  if (!polled.data) return <Trouble of={polled} header="The jobs could not be read" />;
  return (
    <SpaceBetween size="m">
      <Trouble of={polled} header="The jobs could not be read" />
      <Table
        variant="container"
        contentDensity="compact"
        header={
          <Header variant="h2" counter={`(${formatCount(polled.data.Jobs.length)})`}>
            Background jobs
          </Header>
        }
        items={polled.data.Jobs}
        columnDefinitions={columns}
        trackBy={(job) => `${job.Kind} ${job.TableName ?? ''} ${job.IndexName ?? ''} ${job.Description}`}
        ariaLabels={{ tableLabel: 'Background jobs' }}
        empty={<Nothing title="No jobs">Adding an index, turning on time to live or deleting a table starts one.</Nothing>}
      />
    </SpaceBetween>
  );
}
