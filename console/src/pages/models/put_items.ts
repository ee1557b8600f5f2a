import { call } from '../../aws/client.ts';
import { sameSession } from '../../aws/session.ts';
import type { Item } from '../../values/index.ts';

const BATCH = 25;
const ATTEMPTS = 12;

type Requests = Record<string, { PutRequest: { Item: Item } }[]>;

/** Puts a few items; what a batch leaves unprocessed is sent again. Pages that move many use the import's worker. */
export async function putItems(table: string, items: Item[]): Promise<void> {
  const check = sameSession();
  for (let at = 0; at < items.length; at += BATCH) {
    let requests: Requests = { [table]: items.slice(at, at + BATCH).map((Item) => ({ PutRequest: { Item } })) };
    for (let attempt = 0; requests[table]?.length; attempt++) {
      if (attempt === ATTEMPTS) throw new Error(`${requests[table].length} items were not written: the table’s capacity is used up.`);
      if (attempt) await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** Math.min(attempt, 5)));
      check();
      const reply = await call('BatchWriteItem', { RequestItems: requests } as never);
      requests = (reply.UnprocessedItems ?? {}) as unknown as Requests;
    }
  }
}
