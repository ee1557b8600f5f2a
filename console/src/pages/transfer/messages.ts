/** What the page and its worker tell each other. */
import type { Session } from '../../aws/session.ts';
import type { Item, TypeTag } from '../../values/types.ts';
import type { TableKeys } from './checks.ts';
import type { CsvColumn } from './csv.ts';
import type { Format } from './formats.ts';

/** Who calls, for the worker's own client. */
export type Caller = Pick<Session, 'server' | 'credentials' | 'namespace'>;

export interface ImportJob {
  kind: 'import';
  file: File;
  format: Format;
  guess: boolean;
  table: string;
  keys: TableKeys;
  keyTypes: Record<string, TypeTag>;
  /** Checks all rows and writes none. */
  dryRun: boolean;
  keepExisting: boolean;
  caller: Caller;
}

export interface PreviewJob {
  kind: 'preview';
  file: File;
  format?: Format;
  guess: boolean;
  keys?: TableKeys;
  keyTypes: Record<string, TypeTag>;
}

export type ExportFormat = 'dynamodb-lines' | 'json' | 'csv';

export interface ExportJob {
  kind: 'export';
  table: string;
  index?: string;
  format: ExportFormat;
  escapeFormulas: boolean;
  keys: { name: string; type: TypeTag }[];
  caller: Caller;
}

export type Job = ImportJob | PreviewJob | ExportJob;
export type Control = { kind: 'pause' } | { kind: 'resume' } | { kind: 'stop' };

export interface FailedRow {
  row: number;
  reason: string;
  text: string;
}

export interface ImportProgress {
  rows: number;
  written: number;
  kept: number;
  failed: number;
  throttled: number;
  /** Good rows that were read but not written, as the import was stopped. */
  left: number;
  units: number;
  bytesRead: number;
  bytesTotal: number;
  /** Of the items, as DynamoDB counts. */
  itemBytes: number;
  seconds: number;
}

export interface PreviewRow {
  row: number;
  item?: Item;
  fault?: string;
}

export interface ExportProgress {
  items: number;
  bytes: number;
  seconds: number;
  units: number;
}

export interface Fault {
  message: string;
  code?: string;
  operation?: string;
  status?: number;
}

export type Answer =
  | { kind: 'preview'; format: Format; rows: PreviewRow[]; columns?: CsvColumn[] }
  | { kind: 'import-progress'; progress: ImportProgress }
  | { kind: 'import-end'; progress: ImportProgress; failed: FailedRow[]; header?: string; stopped: boolean; fault?: Fault }
  | { kind: 'export-progress'; progress: ExportProgress }
  | { kind: 'export-end'; progress: ExportProgress; blob: Blob; lossy: string[]; stopped: boolean }
  | { kind: 'fault'; fault: Fault };
