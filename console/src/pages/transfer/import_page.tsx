/** Puts the items of a file into a table: preview, dry run, progress, pause, failed rows as a file. */
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useMemo, useRef, useState } from 'react';
import { guardLeaving, href, navigate, segment, useQueryState } from '../../app/router.ts';
import type { TableDescription } from '../../aws/index.ts';
import { ErrorBox, formatBytes, keysOf, keyType, Page, tablesChanged, TableSelect, useTable, WriteButton } from '../../components/index.ts';
import type { TypeTag } from '../../values/types.ts';
import type { TableKeys } from './checks.ts';
import { FaultBox } from './fault_box.tsx';
import { FORMAT_NAMES, type Format } from './formats.ts';
import { ImportRun } from './import_run.tsx';
import type { Fault, ImportJob } from './messages.ts';
import { type Preview, PreviewGrid } from './preview_grid.tsx';
import { startWorker } from './start_worker.ts';
import './transfer.css';

export function tableKeys(table: TableDescription): TableKeys {
  const { partition, sort } = keysOf(table.KeySchema);
  const primary = [...partition.map((name) => ({ name, sort: false })), ...sort.map((name) => ({ name, sort: true }))].map((each) => ({ ...each, type: keyType(table, each.name) }));
  const own = new Set(primary.map((each) => each.name));
  const names = new Set(
    [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])]
      .flatMap((index) => (index.KeySchema ?? []).map((each) => each.AttributeName!))
      .filter((name) => !own.has(name)),
  );
  return { primary, others: [...names].map((name) => ({ name, type: keyType(table, name) })) };
}

export default function ImportPage() {
  const [tableName, setTable] = useQueryState('table', '');
  const table = useTable(tableName || undefined);
  const [file, setFile] = useState<File>();
  const [format, setFormat] = useState<Format>();
  const [guess, setGuess] = useState(false);
  const [chosen, setChosen] = useState<Record<string, TypeTag>>({});
  const [keepExisting, setKeepExisting] = useState(false);
  const [preview, setPreview] = useState<Preview>();
  const [fault, setFault] = useState<Fault>();
  // A run keeps its job: what is chosen or loaded later does not touch it.
  const [run, setRun] = useState<{ number: number; job: Omit<ImportJob, 'caller'> }>();
  const [busy, setBusy] = useState(false);
  // By content: the description is loaded anew after an import, with the same keys.
  const known = useRef<{ table: string; keys: string }>(undefined);
  if (table.data) known.current = { table: tableName, keys: JSON.stringify(tableKeys(table.data)) };
  const keysText = known.current?.table === tableName ? known.current.keys : undefined;
  const keys = useMemo(() => keysText && (JSON.parse(keysText) as TableKeys), [keysText]) || undefined;
  const declared = useMemo((): Record<string, TypeTag> => Object.fromEntries([...(keys?.primary ?? []), ...(keys?.others ?? [])].map((each) => [each.name, each.type])), [keys]);
  const keyTypes = useMemo(() => ({ ...chosen, ...declared }), [chosen, declared]);

  useEffect(() => {
    setFault(undefined);
    if (!file) return;
    const worker = startWorker({ kind: 'preview', file, format, guess, keys, keyTypes }, (answer) => {
      if (answer.kind === 'preview') setPreview(answer);
      if (answer.kind === 'fault') {
        setPreview(undefined);
        setFault(answer.fault);
      }
      worker.end();
    });
    return () => worker.end();
  }, [file, format, guess, keys, keyTypes]);
  useEffect(() => {
    if (!busy) return;
    return guardLeaving(() => 'The import is not finished. Leave the page and stop it?');
  }, [busy]);

  const choose = (next: File | undefined) => {
    if (!next || busy) return;
    setPreview(undefined);
    setFile(next);
    setFormat(undefined);
    setRun(undefined);
  };
  const used = format ?? preview?.format;
  const ready = !!(file && used && keys && preview?.rows.length);
  const start = (dryRun: boolean) => {
    if (!file || !used || !keys) return;
    const job = { kind: 'import' as const, file, format: used, guess, table: tableName, keys, keyTypes, dryRun, keepExisting };
    setRun((before) => ({ number: (before?.number ?? 0) + 1, job }));
  };
  return (
    <Page title="Import" description="Items of a file are put into a table. DynamoDB JSON lines, JSON and CSV are read, also packed with gzip.">
      <Container>
        <SpaceBetween size="m">
          <FormField label="Table">
            <TableSelect value={tableName || undefined} onChange={setTable} />
          </FormField>
          <ErrorBox error={table.error} header="The table could not be read" />
          <FileField file={file} onChoose={choose} disabled={busy} />
          {file && (
            <SpaceBetween direction="horizontal" size="l" alignItems="end">
              <FormField label="Format">
                <Select
                  selectedOption={used ? { value: used, label: FORMAT_NAMES[used] } : null}
                  placeholder="Reading"
                  options={(Object.keys(FORMAT_NAMES) as Format[]).map((value) => ({ value, label: FORMAT_NAMES[value] }))}
                  disabled={busy}
                  onChange={({ detail }) => setFormat(detail.selectedOption.value as Format)}
                />
              </FormField>
              {used === 'csv' && (
                <Checkbox checked={guess} disabled={busy} onChange={({ detail }) => setGuess(detail.checked)}>
                  Columns without a type: take numbers, true and false as such
                </Checkbox>
              )}
              <Checkbox checked={keepExisting} disabled={busy} onChange={({ detail }) => setKeepExisting(detail.checked)}>
                Keep items that exist
              </Checkbox>
            </SpaceBetween>
          )}
        </SpaceBetween>
      </Container>
      <FaultBox fault={fault} header="The file could not be read" />
      {ready && (
        <SpaceBetween direction="horizontal" size="xs">
          <Button disabled={busy} onClick={() => start(true)}>
            Dry run
          </Button>
          <WriteButton variant="primary" disabled={busy} onClick={() => start(false)}>
            Import
          </WriteButton>
        </SpaceBetween>
      )}
      {run && (
        <ImportRun
          key={run.number}
          job={run.job}
          onBusy={setBusy}
          onDone={() => !run.job.dryRun && tablesChanged()}
          onExplore={() => navigate(href(`explore/${segment(run.job.table)}`))}
        />
      )}
      {preview && (
        <PreviewGrid
          preview={preview}
          known={!!keys}
          declared={declared}
          chosen={chosen}
          onType={busy ? undefined : (name, type) => setChosen((before) => ({ ...before, [name]: type }))}
        />
      )}
    </Page>
  );
}

function FileField({ file, onChoose, disabled }: { file: File | undefined; onChoose: (file: File | undefined) => void; disabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  return (
    <div
      className={over ? 'transfer-drop over' : 'transfer-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onChoose(event.dataTransfer.files[0]);
      }}
    >
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File"
        data-testid="import-file"
        onChange={(event) => {
          onChoose(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <Button iconName="upload" disabled={disabled} onClick={() => input.current!.click()}>
        Choose a file
      </Button>
      {file ? (
        <strong>
          {file.name}, {formatBytes(file.size)}
        </strong>
      ) : (
        <span>or drop it here</span>
      )}
    </div>
  );
}
