/** One of Partita's own calls, repeated each second while the page is visible. */
import { useEffect, useRef, useState } from 'react';
import { callPartita, isAbort, missingAction, useSession } from '../../aws/index.ts';
import { usePolling } from '../../components/index.ts';

export interface Polled<Out> {
  data: Out | undefined;
  error: unknown;
  /** The server does not offer this call. */
  absent: boolean;
  retry: () => void;
}

const RETRY_REFUSED = 15000;

/** `input` is asked anew for each call; undefined asks nothing. `key` names what is watched: a change starts over. */
export function usePolled<Out>(operation: string, key: string, input: () => object | undefined, fold?: (before: Out | undefined, fresh: Out) => Out): Polled<Out> {
  const session = useSession();
  const who = `${key} ${session.namespace} ${session.credentials?.accessKeyId ?? ''}`;
  const [state, setState] = useState<{ who: string; data?: Out; error?: unknown }>({ who });
  const latest = useRef({ who, input });
  latest.current = { who, input };
  const absent = session.server !== undefined && !session.server.Features.includes(operation);
  const current = state.who === who ? state : undefined;

  const run = async () => {
    const asked = latest.current;
    const body = asked.input();
    if (!body || absent) return;
    try {
      const fresh = await callPartita<Out>(operation, body, { noRetries: true });
      if (latest.current.who === asked.who) {
        setState((before) => ({ who: asked.who, data: fold ? fold(before.who === asked.who ? before.data : undefined, fresh) : fresh }));
      }
    } catch (error) {
      if (!isAbort(error) && latest.current.who === asked.who) {
        setState((before) => ({ who: asked.who, data: before.who === asked.who ? before.data : undefined, error }));
      }
    }
  };
  useEffect(() => void run(), [who, absent]);
  usePolling(run, missingAction(current?.error) ? RETRY_REFUSED : 1000, !absent);
  return { data: current?.data, error: current?.error, absent, retry: () => void run() };
}
