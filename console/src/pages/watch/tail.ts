/** Follows a stream: finds its shards, keeps an iterator for each, and hands over new records. No React, no browser. */
import type { Item } from '../../values/types.ts';

export interface StreamRecord {
  eventID: string;
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  userIdentity?: { type?: string; principalId?: string };
  dynamodb: {
    Keys: Item;
    NewImage?: Item;
    OldImage?: Item;
    SequenceNumber: string;
    SizeBytes?: number;
    ApproximateCreationDateTime?: number;
  };
}

interface Shard {
  ShardId: string;
  ParentShardId?: string;
  SequenceNumberRange?: { EndingSequenceNumber?: string };
}

export type Send = (operation: string, input: Record<string, unknown>) => Promise<Record<string, unknown>>;

interface Reading {
  iterator?: string;
  /** Where to go on after an iterator has expired. */
  after?: string;
  from: 'LATEST' | 'TRIM_HORIZON';
  closed: boolean;
}

const LIST_SHARDS_EVERY = 5000;
const AT_ONCE = 6;

export class Tail {
  private readonly shards = new Map<string, Reading>();
  private listedAt = -Infinity;
  private readonly send: Send;
  private readonly arn: string;
  private readonly from: 'LATEST' | 'TRIM_HORIZON';
  private readonly now: () => number;

  /** `from`: records written from now on, or all that the stream still has. */
  constructor(send: Send, arn: string, from: 'LATEST' | 'TRIM_HORIZON', now: () => number = () => performance.now()) {
    this.send = send;
    this.arn = arn;
    this.from = from;
    this.now = now;
  }

  /** Shards that are read now. */
  get open(): number {
    return [...this.shards.values()].filter((each) => !each.closed).length;
  }

  /** New records of all shards, in the order of time as far as shards tell it. */
  async read(): Promise<StreamRecord[]> {
    if (this.now() - this.listedAt > LIST_SHARDS_EVERY) await this.list();
    const waiting = [...this.shards].filter(([, each]) => !each.closed);
    const found: StreamRecord[] = [];
    let split = false;
    let fault: unknown;
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        try {
          found.push(...(await this.readShard(next[0], next[1])));
        } catch (error) {
          fault ??= error;
        }
        split ||= next[1].closed;
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, work));
    // A shard that ended has children, which hold what comes next.
    if (split) this.listedAt = -Infinity;
    // What other shards gave is not read twice, so it goes first; a fault that lasts is thrown next time.
    if (fault !== undefined && !found.length) throw fault;
    return found.sort((a, b) => (a.dynamodb.ApproximateCreationDateTime ?? 0) - (b.dynamodb.ApproximateCreationDateTime ?? 0));
  }

  private async list(): Promise<void> {
    const first = this.shards.size === 0;
    let start: string | undefined;
    do {
      const reply = await this.send('DescribeStream', { StreamArn: this.arn, ExclusiveStartShardId: start });
      const description = reply.StreamDescription as { Shards?: Shard[]; LastEvaluatedShardId?: string };
      for (const shard of description.Shards ?? []) {
        if (this.shards.has(shard.ShardId)) continue;
        const ended = shard.SequenceNumberRange?.EndingSequenceNumber !== undefined;
        // Shards that appear later are read from their start: nothing between two looks is lost.
        const from = first ? this.from : 'TRIM_HORIZON';
        this.shards.set(shard.ShardId, { from, closed: ended && from === 'LATEST' });
      }
      start = description.LastEvaluatedShardId;
    } while (start);
    this.listedAt = this.now();
  }

  private async readShard(id: string, shard: Reading): Promise<StreamRecord[]> {
    try {
      shard.iterator ??= await this.iterator(id, shard);
      const reply = await this.send('GetRecords', { ShardIterator: shard.iterator, Limit: 1000 });
      const records = (reply.Records ?? []) as StreamRecord[];
      shard.iterator = reply.NextShardIterator as string | undefined;
      if (records.length) shard.after = records[records.length - 1]!.dynamodb.SequenceNumber;
      if (!shard.iterator) shard.closed = true;
      return records;
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (code === 'ExpiredIteratorException') {
        shard.iterator = undefined;
        return [];
      }
      if (code === 'TrimmedDataAccessException') {
        Object.assign(shard, { iterator: undefined, after: undefined, from: 'TRIM_HORIZON' });
        return [];
      }
      if (code === 'ResourceNotFoundException' && this.shards.size > 1) {
        shard.closed = true;
        return [];
      }
      throw error;
    }
  }

  private async iterator(id: string, shard: Reading): Promise<string> {
    const reply = await this.send('GetShardIterator', {
      StreamArn: this.arn,
      ShardId: id,
      ...(shard.after ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: shard.after } : { ShardIteratorType: shard.from }),
    });
    return reply.ShardIterator as string;
  }
}
