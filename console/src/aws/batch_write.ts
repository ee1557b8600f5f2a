import { call } from './client.ts';
import type { InputOf } from './operations.ts';
import { sameSession } from './session.ts';

type WriteRequest = NonNullable<InputOf<'BatchWriteItem'>['RequestItems']>[string][number];

interface Options {
  onProgress?: (done: number) => void;
  /** Asked before each batch; true ends it. */
  stopped?: () => boolean;
}

const BATCH = 25;
const ATTEMPTS = 12;

/**
 * Writes a few items of a table, and returns how many. What a batch leaves unprocessed is sent again, later each time.
 * Throws when the session changes meanwhile. Pages that move many items use the import's worker.
 */
export async function batchWrite(table: string, all: WriteRequest[], { onProgress, stopped = () => false }: Options = {}): Promise<number> {
  const check = sameSession();
  let done = 0;
  for (let at = 0; at < all.length && !stopped(); at += BATCH) {
    let requests = all.slice(at, at + BATCH);
    for (let attempt = 0; requests.length && !stopped(); attempt++) {
      if (attempt === ATTEMPTS) throw new Error(`The server throttles: ${done} of ${all.length} items are done, the rest was left. Try again.`);
      if (attempt) await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** Math.min(attempt, 5)));
      check();
      const reply = await call('BatchWriteItem', { RequestItems: { [table]: requests } });
      const left = reply.UnprocessedItems?.[table] ?? [];
      done += requests.length - left.length;
      requests = left;
      onProgress?.(done);
    }
  }
  return done;
}
