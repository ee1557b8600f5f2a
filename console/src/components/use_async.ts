/** Loading something for a component: aborted when it is gone, never older than what was asked last. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort } from '../aws/errors.ts';

export interface Async<T> {
  data: T | undefined;
  error: unknown;
  loading: boolean;
  /** Loads again; what is there stays until the answer comes. */
  reload: () => void;
}

/** `key` names what is loaded: a change loads anew. undefined loads nothing. */
export function useAsync<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Async<T> {
  const [state, setState] = useState<{ key?: string; data?: T; error?: unknown; loading: boolean }>({ loading: key !== undefined });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    if (key === undefined) {
      setState({ loading: false });
      return;
    }
    const abort = new AbortController();
    setState((before) => (before.key === key ? { ...before, loading: true } : { key, loading: true }));
    latest.current(abort.signal).then(
      (data) => !abort.signal.aborted && setState({ key, data, loading: false }),
      (error: unknown) => {
        if (!abort.signal.aborted && !isAbort(error)) setState((before) => ({ ...before, key, error, loading: false }));
      },
    );
    return () => abort.abort();
  }, [key, turn]);

  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const current = state.key === key;
  return {
    data: current ? state.data : undefined,
    error: current ? state.error : undefined,
    loading: current ? state.loading : key !== undefined,
    reload,
  };
}

/** Calls `run` each `ms` while the page is visible, one after the other; and at once when it becomes visible. */
export function usePolling(run: () => void | Promise<void>, ms: number, on = true): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!on) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    let running = false;
    const turn = async () => {
      if (running) return; // the page became visible meanwhile
      running = true;
      clearTimeout(timer);
      try {
        if (document.visibilityState === 'visible') await latest.current();
      } finally {
        running = false;
        if (!stopped) timer = setTimeout(turn, ms);
      }
    };
    const seen = () => document.visibilityState === 'visible' && void turn();
    timer = setTimeout(turn, ms);
    document.addEventListener('visibilitychange', seen);
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [ms, on]);
}
