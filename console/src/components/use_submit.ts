/** What a form or a dialog sends once: whether it is under way, and why it failed. */
import { useState } from 'react';

export interface Submission {
  busy: boolean;
  /** Of the last try; undefined while the next one is under way. */
  error: unknown;
  /** Runs `work` unless it runs already; never rejects. */
  submit: (work: () => Promise<void>) => Promise<void>;
}

export function useSubmit(): Submission {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (work: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
  };
  return { busy, error, submit };
}
