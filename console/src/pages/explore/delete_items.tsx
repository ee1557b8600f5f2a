/** Deletes the selected items, once the table's name is typed. */
import ProgressBar from '@cloudscape-design/components/progress-bar';
import { useEffect, useRef, useState } from 'react';
import { notify } from '../../app/notices.ts';
import { call, sameSession } from '../../aws/index.ts';
import { ConfirmByName, plural } from '../../components/index.ts';
import type { Item } from '../../values/index.ts';

interface Props {
  table: string;
  /** undefined: the item was read without its key, or its page was dropped. */
  keys: (Item | undefined)[];
  onClose: () => void;
  onDone: () => void;
}

const BATCH = 25;
const MOST_TURNS = 8;

/** Deletes in batches until `stopped` says so; what the server left over is sent again, later each time. */
export async function deleteAll(table: string, keys: Item[], onProgress: (done: number) => void, stopped = () => false): Promise<number> {
  const check = sameSession();
  let deleted = 0;
  for (let at = 0; at < keys.length && !stopped(); at += BATCH) {
    let requests = keys.slice(at, at + BATCH).map((Key) => ({ DeleteRequest: { Key } }));
    for (let turn = 0; requests.length && !stopped(); turn++) {
      if (turn === MOST_TURNS) throw new Error(`${plural('item', deleted)} deleted. The server keeps leaving items over: it is throttling. Try again.`);
      if (turn) await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** turn));
      check();
      const sent = requests.length;
      const reply = await call('BatchWriteItem', { RequestItems: { [table]: requests } });
      requests = (reply.UnprocessedItems?.[table] ?? []) as typeof requests;
      deleted += sent - requests.length;
      onProgress(deleted);
    }
  }
  return deleted;
}

export function DeleteItems({ table, keys, onClose, onDone }: Props) {
  const known = keys.filter((each) => each !== undefined);
  const [done, setDone] = useState<number>();
  // Whoever closes the dialog, or leaves the page, wants no more to be deleted.
  const closed = useRef(false);
  useEffect(() => {
    closed.current = false;
    return () => {
      closed.current = true;
    };
  }, []);
  return (
    <ConfirmByName
      title={`Delete ${plural('item', known.length)}`}
      name={table}
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        const deleted = await deleteAll(table, known, setDone, () => closed.current);
        const all = deleted === known.length;
        notify({ type: all ? 'success' : 'warning', content: `${plural('item', deleted)} deleted from ${table}${all ? '' : `, then it was stopped: ${plural('item', known.length - deleted)} left`}.` });
        onDone();
      }}
    >
      <div>
        {plural('selected item', known.length)} of table <strong>{table}</strong> will be deleted, whatever they hold by now.
        {known.length < keys.length && ` ${plural('item', keys.length - known.length)} cannot be deleted here: their keys were not read, or are no longer held. Filter for them, and read them again.`}
      </div>
      {done !== undefined && <ProgressBar value={(100 * done) / known.length} label="Deleting" additionalInfo={`${done} of ${known.length}`} />}
    </ConfirmByName>
  );
}
