/** Saves and deletes an item, and knows what stood against it. */
import { useState } from 'react';
import { notify } from '../../app/notices.ts';
import { call, codeOf, type ServiceError } from '../../aws/index.ts';
import { plural } from '../../components/index.ts';
import { bare, equalItems, type Item } from '../../values/index.ts';
import { comparable, deleteRequest, pick, REPORTED, saveRequest } from './save.ts';

const CHANGED = 'Someone changed the item meanwhile, so it was not deleted. Close this and load it again to see the change.';

/** Someone wrote the item meanwhile, or deleted it. */
export type Dispute = { theirs: Item } | 'deleted';

export interface Saving {
  /** The item as it was read; undefined for a new one. */
  before: Item | undefined;
  busy: boolean;
  error: unknown;
  dispute: Dispute | undefined;
  /** Writes `wanted` over `base`, if `base` is what is there. */
  write: (base: Item | undefined, wanted: Item) => Promise<void>;
  /** Throws what kept the item from being deleted. */
  remove: () => Promise<void>;
  /** Drops what was edited for what is there. */
  reload: () => Promise<void>;
  /** Ends a dispute: what is edited is a change of this item. */
  rebase: (base: Item | undefined) => void;
  forgetError: () => void;
}

export function useSaving(
  table: string, keys: string[], first: Item | undefined, onCreated: ((key: Item) => void) | undefined, onSaved: (item: Item) => void,
): Saving {
  const [before, setBefore] = useState(first);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [dispute, setDispute] = useState<Dispute>();

  /** As the server keeps it: it writes numbers in its own way. */
  const readAgain = async (item: Item) => {
    const reply = await call('GetItem', { TableName: table, Key: pick(item, keys), ConsistentRead: true }).catch(() => undefined);
    return bare(reply?.Item) ?? item;
  };
  const arrive = (item: Item) => {
    setDispute(undefined);
    setError(undefined);
    setBefore(item);
    onSaved(item);
  };
  const write = async (base: Item | undefined, wanted: Item) => {
    if (busy) return;
    // A merge that takes all of theirs has nothing to write.
    if (base && equalItems(base, wanted)) return arrive(base);
    setBusy(true);
    setError(undefined);
    try {
      const { operation, input } = saveRequest(table, base, wanted, keys);
      const reply = await call(operation, { ...input, ...REPORTED } as never);
      const units = reply.ConsumedCapacity?.CapacityUnits;
      notify({ type: 'success', content: `The item is saved${units === undefined ? '' : ` for ${plural('write unit', units)}`}.` });
      const now = await readAgain(wanted);
      arrive(now);
      if (!base) onCreated?.(pick(now, keys));
    } catch (fault) {
      if (codeOf(fault) === 'ConditionalCheckFailedException') setDispute(disputeOf(fault));
      else setError(fault);
    }
    setBusy(false);
  };
  const remove = async () => {
    // Where a condition cannot hold all attributes, the rest is compared just before.
    if (!comparable(before!, keys) && !equalItems(before!, await readAgain(before!))) throw new Error(CHANGED);
    try {
      await call('DeleteItem', { ...deleteRequest(table, before!, keys), ...REPORTED });
    } catch (fault) {
      if (codeOf(fault) !== 'ConditionalCheckFailedException') throw fault;
      if (disputeOf(fault) !== 'deleted') {
        throw new Error(CHANGED);
      }
    }
    notify({ type: 'success', content: `The item is deleted from ${table}.` });
  };
  return {
    before,
    busy,
    error,
    dispute,
    write,
    remove,
    reload: async () => arrive(await readAgain(before!)),
    rebase: (base) => {
      setBefore(base);
      setDispute(undefined);
    },
    forgetError: () => setError(undefined),
  };
}

function disputeOf(fault: unknown): Dispute {
  const theirs = bare((fault as ServiceError).body.Item);
  return theirs ? { theirs } : 'deleted';
}
