/** Writes a table's items into a file. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import RadioGroup from '@cloudscape-design/components/radio-group';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useRef, useState } from 'react';
import { useQueryState } from '../../app/router.ts';
import { ErrorBox, formatBytes, formatCount, Page, TableSelect, useTable } from '../../components/index.ts';
import { download } from '../picture/export.ts';
import { FaultBox } from './fault_box.tsx';
import { Figures } from './figures.tsx';
import { tableKeys } from './import_page.tsx';
import type { Answer, ExportFormat, ExportProgress, Fault } from './messages.ts';
import { caller, type Running, startWorker } from './start_worker.ts';
import './transfer.css';

type End = Extract<Answer, { kind: 'export-end' }>;

const ENDINGS: Record<ExportFormat, string> = { 'dynamodb-lines': 'jsonl', json: 'json', csv: 'csv' };
const FORMATS = [
  { value: 'dynamodb-lines', label: 'DynamoDB JSON lines', description: 'Keeps every type. The form of DynamoDB’s own exports.' },
  { value: 'csv', label: 'CSV with types in the header', description: 'Keeps every type: price:N, tags:SS.' },
  { value: 'json', label: 'JSON', description: 'Plain and easy to read. Sets become lists, binary becomes text.' },
];
const WHOLE = { value: '', label: 'The table' };

export default function ExportPage() {
  const [tableName, setTable] = useQueryState('table', '');
  const [index, setIndex] = useQueryState('index', '');
  const table = useTable(tableName || undefined);
  const [format, setFormat] = useState<ExportFormat>('dynamodb-lines');
  const [escapeFormulas, setEscape] = useState(false);
  const [progress, setProgress] = useState<ExportProgress>();
  const [end, setEnd] = useState<End>();
  const [fault, setFault] = useState<Fault>();
  const [busy, setBusy] = useState(false);
  const worker = useRef<Running>(undefined);
  useEffect(() => () => worker.current?.end(), []);

  const indexes = [...(table.data?.GlobalSecondaryIndexes ?? []), ...(table.data?.LocalSecondaryIndexes ?? [])].map((each) => ({ value: each.IndexName!, label: `Index ${each.IndexName}` }));
  const start = () => {
    setBusy(true);
    setEnd(undefined);
    setFault(undefined);
    setProgress(undefined);
    const keys = tableKeys(table.data!).primary.map(({ name, type }) => ({ name, type }));
    const running = startWorker({ kind: 'export', table: tableName, index: index || undefined, format, escapeFormulas, keys, caller: caller() }, (answer) => {
      if (answer.kind === 'export-progress') return setProgress(answer.progress);
      if (answer.kind === 'export-end') {
        setProgress(answer.progress);
        setEnd(answer);
        download(`${tableName}${answer.stopped ? '-part' : ''}.${ENDINGS[format]}`, answer.blob);
      }
      if (answer.kind === 'fault') setFault(answer.fault);
      running.end();
      setBusy(false);
    });
    worker.current = running;
  };
  const total = index ? undefined : table.data?.ItemCount;
  return (
    <Page title="Export" description="Saves all items of a table or an index as a file. The file may miss changes that are made during the export.">
      <Container>
        <SpaceBetween size="m">
          <FormField label="Table">
            <TableSelect
              value={tableName || undefined}
              onChange={(name) => {
                setIndex('');
                setTable(name);
              }}
            />
          </FormField>
          <ErrorBox error={table.error} header="The table could not be read" />
          {indexes.length > 0 && (
            <FormField label="From">
              <Select
                selectedOption={[WHOLE, ...indexes].find((each) => each.value === index) ?? WHOLE}
                options={[WHOLE, ...indexes]}
                onChange={({ detail }) => setIndex(detail.selectedOption.value!)}
              />
            </FormField>
          )}
          <FormField label="Format">
            <RadioGroup value={format} items={FORMATS} onChange={({ detail }) => setFormat(detail.value as ExportFormat)} />
          </FormField>
          {format === 'csv' && (
            <Checkbox
              checked={escapeFormulas}
              description="Text that begins with = + - or @ gets an apostrophe in front. The file then no longer holds the items as they are."
              onChange={({ detail }) => setEscape(detail.checked)}
            >
              Keep spreadsheets from running formulas
            </Checkbox>
          )}
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="primary" disabled={!table.data} loading={busy} onClick={start}>
              Export
            </Button>
            {busy && <Button onClick={() => worker.current?.send({ kind: 'stop' })}>Stop</Button>}
          </SpaceBetween>
        </SpaceBetween>
      </Container>
      <FaultBox fault={fault} header="The export stopped" />
      {progress && (
        <Container data-testid="export-run" header={<Header variant="h2">{tableName}</Header>}>
          <SpaceBetween size="m">
            <ProgressBar
              value={end ? 100 : total ? Math.min(99, (progress.items / total) * 100) : 50}
              status={end ? (end.stopped ? 'error' : 'success') : 'in-progress'}
              resultText={end?.stopped ? 'Stopped: the file holds a part of the items' : 'Saved'}
              ariaLabel="Export"
            />
            <Figures
              figures={[
                ['Items', formatCount(progress.items)],
                ['Items a second', formatCount(Math.round(progress.items / Math.max(0.001, progress.seconds)))],
                ['File', formatBytes(end?.blob.size ?? progress.bytes)],
                ['Read units', formatCount(Math.round(progress.units * 10) / 10)],
              ]}
            />
            {end && end.lossy.length > 0 && (
              <Alert type="warning">
                JSON does not keep the type of {end.lossy.slice(0, 10).join(', ')}
                {end.lossy.length > 10 ? ` and ${end.lossy.length - 10} more` : ''}. Export DynamoDB JSON lines or CSV to import the items again as they are.
              </Alert>
            )}
          </SpaceBetween>
        </Container>
      )}
    </Page>
  );
}
