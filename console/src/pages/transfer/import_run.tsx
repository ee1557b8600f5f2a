import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useEffect, useRef, useState } from 'react';
import { formatBytes, formatCount, plural } from '../../components/index.ts';
import { download } from '../picture/export.ts';
import { FaultBox } from './fault_box.tsx';
import { Figures } from './figures.tsx';
import type { Answer, Fault, ImportJob, ImportProgress } from './messages.ts';
import { caller, type Running, startWorker } from './start_worker.ts';

type End = Extract<Answer, { kind: 'import-end' }>;

interface Props {
  job: Omit<ImportJob, 'caller'>;
  onBusy: (busy: boolean) => void;
  onDone: () => void;
  onExplore: () => void;
}

/** One run, from its start to its result. */
export function ImportRun({ job, onBusy, onDone, onExplore }: Props) {
  const [progress, setProgress] = useState<ImportProgress>();
  const [end, setEnd] = useState<End>();
  const [fault, setFault] = useState<Fault>();
  const [paused, setPaused] = useState(false);
  const worker = useRef<Running>(undefined);

  useEffect(() => {
    onBusy(true);
    const running = startWorker({ ...job, caller: caller() }, (answer) => {
      if (answer.kind === 'import-progress') setProgress(answer.progress);
      if (answer.kind === 'import-end') {
        setProgress(answer.progress);
        setEnd(answer);
        setFault(answer.fault);
      }
      if (answer.kind === 'fault') setFault(answer.fault);
      if (answer.kind === 'import-end' || answer.kind === 'fault') {
        running.end();
        onBusy(false);
        onDone();
      }
    });
    worker.current = running;
    return () => {
      running.end();
      onBusy(false);
    };
  }, []);

  const running = !end && !fault;
  const title = job.dryRun ? 'Dry run' : `Import into ${job.table}`;
  const pause = () => {
    worker.current?.send({ kind: paused ? 'resume' : 'pause' });
    setPaused(!paused);
  };
  return (
    <Container
      data-testid="import-run"
      header={
        <Header
          variant="h2"
          actions={
            running && (
              <SpaceBetween direction="horizontal" size="xs">
                <Button onClick={pause}>{paused ? 'Go on' : 'Pause'}</Button>
                <Button onClick={() => worker.current?.send({ kind: 'stop' })}>Stop</Button>
              </SpaceBetween>
            )
          }
        >
          {title}
        </Header>
      }
    >
      <SpaceBetween size="m">
        {progress && (
          <ProgressBar
            value={progress.bytesTotal ? (progress.bytesRead / progress.bytesTotal) * 100 : 100}
            status={running ? 'in-progress' : fault || end?.stopped ? 'error' : 'success'}
            resultText={end?.stopped ? 'Stopped' : fault ? 'Ended by an error' : 'Finished'}
            additionalInfo={`${formatBytes(progress.bytesRead)} of ${formatBytes(progress.bytesTotal)}${paused && running ? ', paused' : ''}`}
            ariaLabel={title}
          />
        )}
        <FaultBox fault={fault} header="The import stopped" />
        {progress && (
          <Figures
            figures={[
              ['Rows', formatCount(progress.rows)],
              [job.dryRun ? 'Would be written' : 'Written', formatCount(progress.written)],
              ...(job.dryRun ? ([['Same key twice', formatCount(progress.kept)]] as [string, string][]) : []),
              ...(job.keepExisting && !job.dryRun ? ([['Existed already', formatCount(progress.kept)]] as [string, string][]) : []),
              ['Failed', formatCount(progress.failed)],
              ...(progress.left ? ([['Not written', formatCount(progress.left)]] as [string, string][]) : []),
              ['Items a second', formatCount(Math.round((job.dryRun ? progress.rows : progress.written) / Math.max(0.001, progress.seconds)))],
              ['Size of items', formatBytes(progress.itemBytes)],
              [job.dryRun && job.keys.others.length ? 'Write units without indexes' : 'Write units', formatCount(Math.round(progress.units * 10) / 10)],
              ...(progress.throttled ? ([['Sent again', formatCount(progress.throttled)]] as [string, string][]) : []),
            ]}
          />
        )}
        {end && !end.fault && !end.stopped && !end.failed.length && (
          <Alert type="success" action={!job.dryRun && <Button onClick={onExplore}>Explore {job.table}</Button>}>
            {job.dryRun ? `All ${plural('row', end.progress.rows)} can be imported.` : `${plural('item', end.progress.written)} ${end.progress.written === 1 ? 'was' : 'were'} written.`}
          </Alert>
        )}
        {end && end.failed.length > 0 && <FailedRows end={end} job={job} />}
      </SpaceBetween>
    </Container>
  );
}

function FailedRows({ end, job }: { end: End; job: Props['job'] }) {
  const base = job.file.name.replace(/\.gz$/, '').replace(/\.\w+$/, '');
  const saveRows = () => {
    const lines = end.failed.map((each) => each.text).join('\n');
    if (job.format === 'csv') download(`${base}-failed.csv`, `${end.header ?? ''}\n${lines}\n`, 'text/csv');
    else if (job.format === 'json') download(`${base}-failed.json`, `[\n${end.failed.map((each) => each.text).join(',\n')}\n]\n`, 'application/json');
    else download(`${base}-failed.jsonl`, `${lines}\n`, 'application/x-ndjson');
  };
  const saveReasons = () =>
    download(`${base}-reasons.jsonl`, end.failed.map((each) => `${JSON.stringify({ Row: each.row, Reason: each.reason, Text: each.text })}\n`).join(''), 'application/x-ndjson');
  return (
    <Table
      variant="embedded"
      contentDensity="compact"
      items={end.failed.slice(0, 100)}
      trackBy={(each) => String(each.row)}
      ariaLabels={{ tableLabel: 'Failed rows' }}
      header={
        <Header
          variant="h3"
          counter={`(${formatCount(end.progress.failed)})`}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button iconName="download" onClick={saveRows}>
                Failed rows
              </Button>
              <Button iconName="download" onClick={saveReasons}>
                With reasons
              </Button>
            </SpaceBetween>
          }
        >
          Failed rows
        </Header>
      }
      columnDefinitions={[
        { id: 'row', header: 'Row', cell: (each) => <span className="tabular">{formatCount(each.row)}</span>, width: 90 },
        { id: 'reason', header: 'Reason', cell: (each) => each.reason },
        { id: 'text', header: 'Text', cell: (each) => <span className="mono">{each.text.length > 120 ? `${each.text.slice(0, 119)}…` : each.text}</span> },
      ]}
    />
  );
}
