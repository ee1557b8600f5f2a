/** Reads pages of a query or scan, and keeps what was read. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { callBytes, isAbort } from '../../aws/index.ts';
import { type ColumnSet, emptyColumns, withItems } from './columns.ts';
import { Pages, type Rows } from './pages.ts';
import type { ReadRequest } from './view.ts';

export const MOST_ROWS = 1_000_000;

export interface Results {
  /** What was asked; absent until the first run. */
  request: ReadRequest | undefined;
  pages: Pages;
  columns: ColumnSet;
  busy: boolean;
  error: unknown;
  milliseconds: number;
  /** Changes with each page: the pages themselves are one object. */
  turn: number;
  run: (request: ReadRequest) => Promise<void>;
  /** One page more; `all`: until the end, or until it is stopped. */
  readOn: (all?: boolean) => Promise<void>;
  stop: () => void;
  /** The rows of the page that was read again last. */
  restored: Rows | undefined;
  /** Reads a page again that was dropped. */
  restore: (row: number) => void;
}

export function useResults(): Results {
  const [state, setState] = useState<{ request?: ReadRequest; pages: Pages; columns: ColumnSet; error?: unknown; milliseconds: number; turn: number; restored?: Rows }>(() => ({
    pages: new Pages(),
    columns: emptyColumns(),
    milliseconds: 0,
    turn: 0,
  }));
  const [busy, setBusy] = useState(false);
  const latest = useRef(state);
  latest.current = state;
  const abort = useRef<AbortController | undefined>(undefined);
  const restoring = useRef(new Set<number>());
  useEffect(() => () => abort.current?.abort(), []);

  const read = useCallback(async (request: ReadRequest, pages: Pages, all: boolean) => {
    abort.current?.abort();
    const control = new AbortController();
    abort.current = control;
    setBusy(true);
    let columns = latest.current.pages === pages ? latest.current.columns : emptyColumns();
    try {
      do {
        const start = performance.now();
        const reply = await callBytes(request.operation, JSON.stringify({ ...request.input, ExclusiveStartKey: pages.nextKey }), { signal: control.signal });
        if (control.signal.aborted) return;
        columns = withItems(columns, pages.add(reply.bytes));
        const shown = columns;
        const milliseconds = performance.now() - start;
        setState((before) => ({
          request,
          pages,
          columns: shown,
          milliseconds: (before.pages === pages ? before.milliseconds : 0) + milliseconds,
          turn: before.turn + 1,
        }));
      } while (all && pages.more && pages.itemCount < MOST_ROWS);
    } catch (error) {
      if (control.signal.aborted || isAbort(error)) return;
      setState((before) => ({ ...before, ...(before.pages === pages ? {} : { pages, columns: emptyColumns(), milliseconds: 0 }), request, error, turn: before.turn + 1 }));
    } finally {
      if (abort.current === control) setBusy(false);
    }
  }, []);

  const run = useCallback((request: ReadRequest) => read(request, new Pages(), false), [read]);
  const readOn = useCallback(
    async (all = false) => {
      const { request, pages } = latest.current;
      if (request && pages.more) await read(request, pages, all);
    },
    [read],
  );
  const stop = useCallback(() => {
    abort.current?.abort();
    setBusy(false);
  }, []);
  const restore = useCallback((row: number) => {
    const { request, pages } = latest.current;
    const missing = pages.missing(row);
    if (!request || !missing || restoring.current.has(missing.page)) return;
    restoring.current.add(missing.page);
    callBytes(request.operation, JSON.stringify({ ...request.input, ExclusiveStartKey: missing.startKey }))
      .then((reply) => {
        const restored = pages.restore(missing.page, reply.bytes);
        setState((before) => (before.pages === pages ? { ...before, restored, turn: before.turn + 1 } : before));
      })
      .catch(() => undefined)
      .finally(() => restoring.current.delete(missing.page));
  }, []);

  return { request: state.request, pages: state.pages, columns: state.columns, error: state.error, milliseconds: state.milliseconds, turn: state.turn, restored: state.restored, busy, run, readOn, stop, restore };
}
