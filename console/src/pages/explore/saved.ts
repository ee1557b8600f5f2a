/** Saved queries and history, apart for each namespace. They live in this browser only. */
import { PersistedStore } from '../../app/store.ts';
import { session } from '../../aws/session.ts';

export interface Entry {
  /** Of a saved query; of the history, the query in words. */
  name: string;
  table: string;
  /** The address's parameters: the whole view. */
  query: string;
  at: number;
}

type Kept = Record<string, Entry[]>;

const MAX_HISTORY = 50;
const MAX_SAVED = 200;

export const savedQueries = new PersistedStore<Kept>('explore.saved', {});
export const queryHistory = new PersistedStore<Kept>('explore.history', {});

/** What keeps namespaces apart: the chosen one, and the key where keys are namespaces. */
export function space(): string {
  const now = session.get();
  return now.server?.Namespaces === 'key' && now.credentials ? `key ${now.credentials.accessKeyId}` : now.namespace;
}

/** Puts an entry first, instead of one with the same view (history) or the same name (saved). */
export function withEntry(entries: Entry[], entry: Entry, same: (other: Entry) => boolean, most: number): Entry[] {
  return [entry, ...entries.filter((each) => !same(each))].slice(0, most);
}

function change(store: PersistedStore<Kept>, run: (entries: Entry[]) => Entry[]): void {
  const key = space();
  store.set((before) => ({ ...before, [key]: run(Object.hasOwn(before, key) ? before[key]! : []) }));
}

export function remember(entry: Entry): void {
  change(queryHistory, (entries) =>
    withEntry(entries, entry, (other) => other.table === entry.table && other.query === entry.query, MAX_HISTORY),
  );
}

export function saveQuery(entry: Entry): void {
  change(savedQueries, (entries) =>
    withEntry(entries, entry, (other) => other.table === entry.table && other.name === entry.name, MAX_SAVED),
  );
}

export function forgetQuery(entry: Entry): void {
  change(savedQueries, (entries) => entries.filter((each) => each.table !== entry.table || each.name !== entry.name));
}

export function clearHistory(table: string): void {
  change(queryHistory, (entries) => entries.filter((each) => each.table !== table));
}

export function entriesOf(kept: Kept, table: string): Entry[] {
  const key = space();
  return (Object.hasOwn(kept, key) ? kept[key]! : []).filter((each) => each.table === table);
}
