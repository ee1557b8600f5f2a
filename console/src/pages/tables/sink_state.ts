/** Sinks as the server describes them, and how the console says it. */
import { formatCount, plural } from '../../components/format.ts';
import type { Scheme } from './sink_kinds.ts';

export interface Sink {
  TableName: string;
  SinkName: string;
  Url: string;
  State: 'FILLING' | 'CARRYING' | 'PAUSED' | 'FAILED' | 'DELETING';
  Message?: string;
  ItemsFilled?: number;
  LagSeconds: number;
  LagEntries: number;
  LagEntriesAtLeast?: boolean;
  Sent: number;
  /** Of search engines; `Dropped` is of sinks that take every change. */
  Conflicts?: number;
  Dropped?: number;
  Rejected: number;
  DeadLetterTableName: string;
  Document?: string;
  Options?: Record<string, string>;
  Owner?: string;
  IndexName?: string;
  Fields?: string[];
  FilterExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
  CredentialsFile?: string;
  AuthorityFile?: string;
  MaxBacklogBytes: number;
  CreationDateTime: number;
}

export interface Sinks {
  Sinks: Sink[];
  Schemes: Scheme[];
}

/** The reply of VerifySink. */
export interface Comparison {
  Items: number;
  Documents: number;
  Different: number;
  Rejected: number;
  Ids: string[];
}

/** Whether it takes every change; a search engine keeps documents instead. */
export const takesChanges = (sink: Sink): boolean => sink.Dropped !== undefined;

/** 0.25 → '0.3 s', 75 → '1 min 15 s', 7200 → '2 h 0 min'. */
export function formatLag(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1).replace(/\.0$/, '')} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

export function waiting(sink: Sink): string {
  if (!sink.LagEntries) return 'nothing waits';
  return sink.LagEntriesAtLeast ? `more than ${plural('change', sink.LagEntries)}` : plural('change', sink.LagEntries);
}

/** Rejected items have no document, or an old one. */
export function isEqual(found: Comparison): boolean {
  return found.Different === 0 && found.Documents <= found.Items && found.Items - found.Documents <= found.Rejected;
}

export type SinkVerb = 'PauseSink' | 'ResumeSink' | 'RetrySink' | 'VerifySink' | 'DeleteSink' | 'Fill';

/** Why something cannot be done to the sink now; undefined: it can. */
export function refusal(sink: Sink, verb: SinkVerb): string | undefined {
  const deleting = sink.State === 'DELETING';
  if (sink.Owner && verb !== 'VerifySink') return `The sink belongs to ${sink.Owner}.`;
  if (takesChanges(sink) && (verb === 'VerifySink' || verb === 'Fill')) return 'This is for search engines.';
  if (deleting && verb !== 'DeleteSink') return 'The sink is being deleted.';
  if (verb === 'PauseSink' && sink.State === 'PAUSED') return 'The sink is paused.';
  if (verb === 'ResumeSink' && sink.State !== 'PAUSED' && sink.State !== 'FAILED') return 'The sink is neither paused nor failed.';
  if (verb === 'RetrySink' && !sink.Rejected) return 'Nothing was rejected.';
  return undefined;
}
