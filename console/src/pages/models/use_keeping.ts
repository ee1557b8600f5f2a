import { useCallback, useRef, useState } from 'react';
import { notify } from '../../app/notices.ts';
import { messageOf } from '../../aws/index.ts';
import type { Model } from './file.ts';
import { keepModel, type KeptModel, ModelConflict } from './store.ts';

export interface Keeping {
  /** Keeps a model, in the order of calls. */
  keep: (model: Model) => void;
  /** Set when another tab came first; `theirs` is absent if it deleted the model. Nothing is kept until it is resolved. */
  conflict: { theirs: KeptModel | undefined } | undefined;
  /** What is kept from now on follows this version; undefined: replaces what is there. */
  resolve: (version: number | undefined) => void;
}

export function useKeeping(id: string, initial: number): Keeping {
  const [conflict, setConflict] = useState<Keeping['conflict']>();
  const state = useRef({ version: initial as number | undefined, stopped: false, last: Promise.resolve() });
  const keep = useCallback(
    (model: Model) => {
      const own = state.current;
      own.last = own.last.then(async () => {
        if (own.stopped) return;
        try {
          own.version = await keepModel(id, model, own.version);
        } catch (error) {
          if (error instanceof ModelConflict) {
            own.stopped = true;
            setConflict({ theirs: error.theirs });
          } else notify({ type: 'error', header: 'The model is not kept', content: messageOf(error) });
        }
      });
    },
    [id],
  );
  const resolve = useCallback((version: number | undefined) => {
    Object.assign(state.current, { version, stopped: false });
    setConflict(undefined);
  }, []);
  return { keep, conflict, resolve };
}
