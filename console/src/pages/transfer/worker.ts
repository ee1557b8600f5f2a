/** Imports and exports beside the page, so that the page stays quick. Signs its own calls. */
import { callDirectly } from '../../aws/client.ts';
import { ServiceError } from '../../aws/errors.ts';
import { session } from '../../aws/session.ts';
import { itemSize, writeUnits } from '../../values/size.ts';
import { itemFault, primaryKey } from './checks.ts';
import { type CsvColumn, headerOf } from './csv.ts';
import { detectFormat, type Format, type ReadOptions, readRows } from './formats.ts';
import { exportTable } from './export_run.ts';
import type { Answer, Control, ExportJob, FailedRow, Fault, ImportJob, ImportProgress, Job, PreviewJob, PreviewRow } from './messages.ts';
import { Writer } from './writer.ts';

const PREVIEW_ROWS = 100;
const MAX_FAILED = 100_000;
const REPORT_EVERY = 250;

const post = (answer: Answer) => postMessage(answer);
const control = { paused: false, stopped: false, resume: () => {}, stop: () => {} };

export function faultOf(error: unknown): Fault {
  if (error instanceof ServiceError) return { message: error.message, code: error.code, operation: error.operation, status: error.status };
  return { message: error instanceof Error ? error.message : String(error) };
}

async function isGzip(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** The text of a file piece by piece, unpacked if it is gzip. `onBytes` counts what was read of the file. */
async function* textOf(file: File, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      onBytes(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
  let bytes: ReadableStream<BufferSource> = file.stream().pipeThrough(counted);
  if (await isGzip(file)) bytes = (bytes as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new DecompressionStream('gzip'));
  const reader = bytes.pipeThrough(new TextDecoderStream('utf-8', { fatal: true })).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw error instanceof TypeError ? new Error('The file is not UTF-8 text, or is damaged.') : error;
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function formatOf(file: File): Promise<Format> {
  for await (const text of textOf(file, () => {})) return detectFormat(file.name, text);
  return detectFormat(file.name, '');
}

const optionsOf = (job: ImportJob | PreviewJob, format: Format): ReadOptions => ({ format, csv: { keys: job.keyTypes, guess: job.guess } });

async function preview(job: PreviewJob): Promise<void> {
  const format = job.format ?? (await formatOf(job.file));
  const rows: PreviewRow[] = [];
  let columns: CsvColumn[] | undefined;
  const text = async function* () {
    for await (const piece of textOf(job.file, () => {})) {
      if (format === 'csv') columns ??= headerOf(piece);
      yield piece;
    }
  };
  for await (const some of readRows(text(), optionsOf(job, format))) {
    for (const { row, item, fault } of some) {
      rows.push({ row, item, fault: fault ?? (item && job.keys && itemFault(item, job.keys)) });
      if (rows.length >= PREVIEW_ROWS) break;
    }
    if (rows.length >= PREVIEW_ROWS) break;
  }
  post({ kind: 'preview', format, rows, columns });
}

async function importFile(job: ImportJob): Promise<void> {
  session.set((before) => ({ ...before, ...job.caller }));
  const start = performance.now();
  const progress: ImportProgress = { rows: 0, written: 0, kept: 0, failed: 0, throttled: 0, left: 0, units: 0, bytesRead: 0, bytesTotal: job.file.size, itemBytes: 0, seconds: 0 };
  const failed: FailedRow[] = [];
  const fail = (row: { row: number; text: string }, reason: string) => {
    progress.failed++;
    if (failed.length < MAX_FAILED) failed.push({ row: row.row, reason, text: row.text });
  };
  const seen = new Set<string>();
  let header: string | undefined;
  const writer = new Writer({
    table: job.table,
    keys: job.keys,
    keepExisting: job.keepExisting,
    send: callDirectly,
    onFailed: fail,
  });
  control.stop = () => writer.stop();
  const report = () => {
    progress.seconds = (performance.now() - start) / 1000;
    if (!job.dryRun) Object.assign(progress, writer.counts);
    return { ...progress };
  };
  const timer = setInterval(() => post({ kind: 'import-progress', progress: report() }), REPORT_EVERY);
  const text = async function* () {
    for await (const piece of textOf(job.file, (bytes) => (progress.bytesRead += bytes))) {
      if (header === undefined && job.format === 'csv') header = piece.split(/\r?\n/, 1)[0];
      yield piece;
    }
  };
  let fault: Fault | undefined;
  try {
    for await (const rows of readRows(text(), optionsOf(job, job.format))) {
      for (const row of rows) {
        while (control.paused && !control.stopped) await new Promise<void>((resolve) => (control.resume = resolve));
        if (control.stopped) break;
        progress.rows++;
        const bytes = row.item ? itemSize(row.item) : 0;
        const reason = row.fault ?? itemFault(row.item!, job.keys, bytes);
        if (reason) {
          fail(row, reason);
          continue;
        }
        progress.itemBytes += bytes;
        if (job.dryRun) {
          progress.units += writeUnits(bytes);
          const key = primaryKey(row.item!, job.keys);
          // Rows that replace an earlier one of the same file.
          if (seen.has(key)) progress.kept++;
          else progress.written++;
          seen.add(key);
        } else await writer.add({ row: row.row, item: row.item!, text: row.text });
      }
      if (control.stopped) break;
    }
  } catch (error) {
    fault = faultOf(error);
  }
  // Also after a fault: what was sent is counted.
  await writer.end().catch((error: unknown) => (fault ??= faultOf(error)));
  control.stop = () => {};
  clearInterval(timer);
  post({ kind: 'import-end', progress: report(), failed, header, stopped: control.stopped, fault });
}

async function exportItems(job: ExportJob): Promise<void> {
  session.set((before) => ({ ...before, ...job.caller }));
  const start = performance.now();
  let last = 0;
  const result = await exportTable(job, (progress) => {
    const seconds = (performance.now() - start) / 1000;
    if (seconds - last > REPORT_EVERY / 1000) {
      last = seconds;
      post({ kind: 'export-progress', progress: { ...progress, seconds } });
    }
    return control.stopped;
  });
  post({ kind: 'export-end', ...result, progress: { ...result.progress, seconds: (performance.now() - start) / 1000 } });
}

onmessage = (event: MessageEvent<Job | Control>) => {
  const message = event.data;
  switch (message.kind) {
    case 'pause':
      control.paused = true;
      return;
    case 'resume':
    case 'stop':
      control.paused = false;
      control.stopped ||= message.kind === 'stop';
      control.resume();
      if (control.stopped) control.stop();
      return;
    case 'preview':
      preview(message).catch((error: unknown) => post({ kind: 'fault', fault: faultOf(error) }));
      return;
    case 'import':
      importFile(message).catch((error: unknown) => post({ kind: 'fault', fault: faultOf(error) }));
      return;
    case 'export':
      exportItems(message).catch((error: unknown) => post({ kind: 'fault', fault: faultOf(error) }));
  }
};
