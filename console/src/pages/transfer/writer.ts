/**
 * Writes items in batches, several at a time. Rows with the same key keep their order; what the server leaves
 * unprocessed is sent again; a batch that is refused is taken apart to find the row at fault. No React, no browser.
 */
import type { Item } from '../../values/types.ts';
import { primaryKey, type TableKeys } from './checks.ts';

export interface Row {
  row: number;
  item: Item;
  text: string;
}

export type Send = (operation: 'BatchWriteItem' | 'PutItem', input: Record<string, unknown>) => Promise<Record<string, unknown>>;

export interface WriterOptions {
  table: string;
  keys: TableKeys;
  /** Leaves items that exist as they are. */
  keepExisting: boolean;
  send: Send;
  onFailed: (row: Row, reason: string) => void;
  sleep?: (milliseconds: number) => Promise<void>;
}

export interface Written {
  written: number;
  kept: number;
  units: number;
  throttled: number;
  /** Taken, but neither written nor failed: the import was stopped, or refused. */
  left: number;
}

const BATCH = 25;
const AT_ONCE = 8;
const PUTS_AT_ONCE = 24;
const BACKOFF = 50;
const MAX_BACKOFF = 3200;

const codeOf = (error: unknown) => (error as { code?: string }).code ?? '';
const isThrottling = (error: unknown) => /Throughput|Throttl|RequestLimit/.test(codeOf(error));
const MOST_RETRIES = 8;
/** Worth sending again: throttling as often as it takes; a busy server, or another's transaction, for some seconds. */
const isPassing = (error: unknown, attempt: number) =>
  isThrottling(error) || (attempt < MOST_RETRIES && (((error as { status?: number }).status ?? 0) >= 500 || codeOf(error) === 'TransactionConflictException'));
/** A fault of the row itself, not of the whole import. */
const isRowFault = (error: unknown) => /^(ValidationException|ItemCollectionSizeLimitExceededException)$/.test(codeOf(error));

export class Writer {
  readonly counts: Written = { written: 0, kept: 0, units: 0, throttled: 0, left: 0 };
  private readonly options: WriterOptions;
  private readonly sleep: (milliseconds: number) => Promise<void>;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly keysInFlight = new Set<string>();
  private batch: Row[] = [];
  private batchKeys = new Set<string>();
  private failure: unknown;
  private added = 0;
  private failed = 0;
  private stopped = false;
  private wake = () => {};
  private readonly stopping = new Promise<void>((resolve) => (this.wake = resolve));

  constructor(options: WriterOptions) {
    this.options = options;
    this.sleep = options.sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
  }

  /** Takes a row; returns when there is room for the next. Throws what stops the import. */
  async add(row: Row): Promise<void> {
    const key = primaryKey(row.item, this.options.keys);
    this.added++;
    if (this.batchKeys.has(key)) await this.flush();
    while (this.keysInFlight.has(key)) await Promise.race(this.inFlight);
    this.batch.push(row);
    this.batchKeys.add(key);
    if (this.batch.length >= (this.options.keepExisting ? 1 : BATCH)) await this.flush();
  }

  /** Sends nothing more: not what waits for its turn, nor again what was throttled. */
  stop(): void {
    this.stopped = true;
    this.wake();
  }

  /** Waits until all rows are written or failed; after `stop`, for what is in flight. Throws what stopped the import. */
  async end(): Promise<void> {
    await this.flush().catch(() => undefined);
    await Promise.all(this.inFlight);
    this.counts.left = this.added - this.counts.written - this.counts.kept - this.failed;
    if (this.failure) throw this.failure;
  }

  private async flush(): Promise<void> {
    const rows = this.batch;
    const keys = this.batchKeys;
    this.batch = [];
    this.batchKeys = new Set();
    if (!rows.length) return;
    while (this.inFlight.size >= (this.options.keepExisting ? PUTS_AT_ONCE : AT_ONCE)) await Promise.race(this.inFlight);
    if (this.failure) throw this.failure;
    for (const key of keys) this.keysInFlight.add(key);
    const work: Promise<void> = (this.options.keepExisting ? this.putNew(rows[0]!) : this.write(rows))
      .catch((error: unknown) => {
        this.failure ??= error;
      })
      .finally(() => {
        this.inFlight.delete(work);
        for (const key of keys) this.keysInFlight.delete(key);
      });
    this.inFlight.add(work);
  }

  private async backOff(attempt: number): Promise<void> {
    this.counts.throttled++;
    await Promise.race([this.sleep(Math.min(MAX_BACKOFF, BACKOFF * 2 ** attempt) * (0.5 + Math.random() / 2)), this.stopping]);
  }

  private addUnits(reply: Record<string, unknown>): void {
    const consumed = reply.ConsumedCapacity as { CapacityUnits?: number } | { CapacityUnits?: number }[] | undefined;
    for (const each of Array.isArray(consumed) ? consumed : [consumed]) this.counts.units += each?.CapacityUnits ?? 0;
  }

  private async write(rows: Row[]): Promise<void> {
    const { table, send } = this.options;
    let waiting: { PutRequest: { Item: Item } }[] = rows.map(({ item }) => ({ PutRequest: { Item: item } }));
    for (let attempt = 0; waiting.length; attempt++) {
      if (attempt) await this.backOff(attempt - 1);
      if (this.stopped) return;
      try {
        const reply = await send('BatchWriteItem', { RequestItems: { [table]: waiting }, ReturnConsumedCapacity: 'TOTAL' });
        this.addUnits(reply);
        const left = ((reply.UnprocessedItems ?? {}) as Record<string, typeof waiting>)[table] ?? [];
        if (left.length < waiting.length) attempt = 0;
        this.counts.written += waiting.length - left.length;
        waiting = left;
      } catch (error) {
        if (isPassing(error, attempt)) continue;
        if (!isRowFault(error)) throw error;
        // A batch is checked as a whole before anything is written, so all of these are still to be written.
        for (const row of this.rowsOf(rows, waiting)) await this.putOne(row);
        return;
      }
    }
  }

  private rowsOf(rows: Row[], waiting: { PutRequest: { Item: Item } }[]): Row[] {
    if (waiting.length === rows.length) return rows;
    const keys = new Set(waiting.map((each) => primaryKey(each.PutRequest.Item, this.options.keys)));
    return rows.filter((each) => keys.has(primaryKey(each.item, this.options.keys)));
  }

  private async putOne(row: Row, condition: Record<string, unknown> = {}): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      if (attempt) await this.backOff(attempt - 1);
      if (this.stopped) return true;
      try {
        const reply = await this.options.send('PutItem', { TableName: this.options.table, Item: row.item, ReturnConsumedCapacity: 'TOTAL', ...condition });
        this.addUnits(reply);
        this.counts.written++;
        return true;
      } catch (error) {
        if (isPassing(error, attempt)) continue;
        if (codeOf(error) === 'ConditionalCheckFailedException') return false;
        if (!isRowFault(error)) throw error;
        this.failed++;
        this.options.onFailed(row, (error as Error).message);
        return true;
      }
    }
  }

  private async putNew(row: Row): Promise<void> {
    const key = this.options.keys.primary[0]!.name;
    const written = await this.putOne(row, { ConditionExpression: 'attribute_not_exists(#k)', ExpressionAttributeNames: { '#k': key } });
    if (!written) this.counts.kept++;
  }
}
