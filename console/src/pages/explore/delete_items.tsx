/** Deletes the selected items, once the table's name is typed. */
import ProgressBar from '@cloudscape-design/components/progress-bar';
import { useEffect, useRef, useState } from 'react';
import { notify } from '../../app/notices.ts';
import { batchWrite } from '../../aws/index.ts';
import { ConfirmByName, plural } from '../../components/index.ts';
import type { Item } from '../../values/index.ts';

interface Props {
  table: string;
  /** undefined: the item was read without its key, or its page was dropped. */
  keys: (Item | undefined)[];
  onClose: () => void;
  onDone: () => void;
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
        const deleted = await batchWrite(table, known.map((Key) => ({ DeleteRequest: { Key } })), { onProgress: setDone, stopped: () => closed.current });
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
