/** Models are kept in this browser, in IndexedDB; where that is refused, as long as the page lasts. */
import { type Model, printModel } from './file.ts';

export interface KeptModel {
  id: string;
  name: string;
  tables: number;
  items: number;
  /** Seconds since 1970. */
  changed: number;
  text: string;
  /** Counts changes, so that two tabs do not overwrite each other's. */
  version?: number;
}

/** Another tab has changed the model, or deleted it. */
export class ModelConflict extends Error {
  readonly theirs: KeptModel | undefined;

  constructor(theirs: KeptModel | undefined) {
    super(theirs ? 'The model was changed in another tab.' : 'The model was deleted in another tab.');
    this.name = 'ModelConflict';
    this.theirs = theirs;
  }
}

const STORE = 'models';
const memory = new Map<string, KeptModel>();
let opening: Promise<IDBDatabase | undefined> | undefined;

function database(): Promise<IDBDatabase | undefined> {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open('partita', 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(undefined);
    } catch {
      resolve(undefined);
    }
  });
  return opening;
}

async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  const open = await database();
  if (!open) return undefined;
  return new Promise((resolve, reject) => {
    const request = work(open.transaction(STORE, mode).objectStore(STORE));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser refused to keep the model.'));
  });
}

export async function keptModels(): Promise<KeptModel[]> {
  const kept = (await run('readonly', (store) => store.getAll() as IDBRequest<KeptModel[]>)) ?? [...memory.values()];
  return kept.sort((a, b) => b.changed - a.changed);
}

export async function keptModel(id: string): Promise<KeptModel | undefined> {
  return (await database()) ? run('readonly', (store) => store.get(id) as IDBRequest<KeptModel | undefined>) : memory.get(id);
}

/**
 * Keeps a model and returns its version. `over` is the version that the change began with: another one there throws
 * ModelConflict. Without `over` whatever is there is replaced.
 */
export async function keepModel(id: string, model: Model, over?: number): Promise<number> {
  const next = (there: KeptModel | undefined): KeptModel => {
    if (over !== undefined && (!there || (there.version ?? 0) !== over)) throw new ModelConflict(there);
    return {
      id,
      name: model.name,
      tables: model.tables.length,
      items: model.tables.reduce((sum, table) => sum + table.items.length, 0),
      changed: Date.now() / 1000,
      text: printModel(model),
      version: (there?.version ?? 0) + 1,
    };
  };
  const open = await database();
  if (!open) {
    const kept = next(memory.get(id));
    memory.set(id, kept);
    return kept.version!;
  }
  return new Promise((resolve, reject) => {
    const transaction = open.transaction(STORE, 'readwrite');
    const store = transaction.objectStore(STORE);
    const reading = store.get(id) as IDBRequest<KeptModel | undefined>;
    let version = 0;
    // Read and written in one transaction: no tab comes between.
    reading.onsuccess = () => {
      try {
        const kept = next(reading.result);
        version = kept.version!;
        store.put(kept);
      } catch (error) {
        reject(error);
      }
    };
    transaction.oncomplete = () => resolve(version);
    transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error('The browser refused to keep the model.'));
  });
}

export async function dropModel(id: string): Promise<void> {
  memory.delete(id);
  await run('readwrite', (store) => store.delete(id));
}

/** An id for an address: the name and something random. crypto.randomUUID is absent on plain http. */
export function newId(name: string): string {
  const word = name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 30) || 'model';
  return `${word}-${[...crypto.getRandomValues(new Uint8Array(3))].map((each) => each.toString(16).padStart(2, '0')).join('')}`;
}
