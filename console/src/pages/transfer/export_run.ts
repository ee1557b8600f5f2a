/** Reads a table or an index, several segments at a time, into a file. */
import { call } from '../../aws/client.ts';
import { toPlain } from '../../values/convert.ts';
import { printJson } from '../../values/json.ts';
import type { Item } from '../../values/types.ts';
import { CsvColumns } from './csv.ts';
import { dynamoLine } from './formats.ts';
import type { ExportFormat, ExportJob, ExportProgress } from './messages.ts';

const SEGMENTS = 4;
const PART = 1 << 20;

export const TYPES: Record<ExportFormat, string> = { 'dynamodb-lines': 'application/x-ndjson', json: 'application/json', csv: 'text/csv' };

/** Text that grows into a blob without being held as one string. */
class Parts {
  private readonly blobs: Blob[] = [];
  private texts: string[] = [];
  private length = 0;

  add(text: string): void {
    this.texts.push(text);
    this.length += text.length;
    if (this.length > PART) this.flush();
  }

  private flush(): void {
    this.blobs.push(new Blob(this.texts));
    this.texts = [];
    this.length = 0;
  }

  blob(type: string): Blob {
    this.flush();
    return new Blob(this.blobs, { type });
  }
}

export interface Exported {
  blob: Blob;
  progress: Omit<ExportProgress, 'seconds'>;
  /** Attributes whose type plain JSON does not keep. */
  lossy: string[];
  /** Not all was read. */
  stopped: boolean;
}

/** `onProgress` returns true to stop. */
export async function exportTable(job: ExportJob, onProgress: (progress: Omit<ExportProgress, 'seconds'>) => boolean): Promise<Exported> {
  const parts = new Parts();
  const columns = new CsvColumns(job.keys);
  const lossy = new Set<string>();
  const progress = { items: 0, bytes: 0, units: 0 };
  const write = (item: Item) => {
    let text: string;
    if (job.format === 'json') {
      const plain = toPlain(item);
      for (const name of plain.lossy) lossy.add(name);
      text = `${progress.items ? ',\n' : '[\n'}${printJson(plain.json, 0)}`;
    } else {
      // CSV needs all columns first: it is made of these lines afterwards.
      if (job.format === 'csv') columns.add(item);
      text = dynamoLine(item);
    }
    progress.items++;
    progress.bytes += text.length;
    parts.add(text);
  };
  let stopped = false;
  let ended = 0;
  const scan = async (Segment: number) => {
    let start: Item | undefined;
    do {
      const page = await call('Scan', {
        TableName: job.table, IndexName: job.index, Segment, TotalSegments: SEGMENTS, ExclusiveStartKey: start, ReturnConsumedCapacity: 'TOTAL',
      } as never);
      progress.units += page.ConsumedCapacity?.CapacityUnits ?? 0;
      for (const item of (page.Items ?? []) as Item[]) write(item);
      start = page.LastEvaluatedKey as Item | undefined;
      stopped ||= onProgress(progress);
    } while (start && !stopped);
    if (!start) ended++;
  };
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => scan(segment)));
  if (job.format === 'json') parts.add(progress.items ? '\n]\n' : '[]\n');
  const blob = parts.blob(TYPES[job.format]);
  return { blob: job.format === 'csv' ? await csvOf(blob, columns, job.escapeFormulas) : blob, progress, lossy: [...lossy].sort(), stopped: ended < SEGMENTS };
}

async function csvOf(lines: Blob, columns: CsvColumns, escapeFormulas: boolean): Promise<Blob> {
  const parts = new Parts();
  parts.add(columns.header(escapeFormulas));
  const reader = lines.stream().pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const all = (rest + value).split('\n');
    rest = all.pop()!;
    for (const line of all) parts.add(columns.row((JSON.parse(line) as { Item: Item }).Item, escapeFormulas));
  }
  return parts.blob(TYPES.csv);
}
