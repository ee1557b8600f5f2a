import { session } from '../../aws/session.ts';
import type { Answer, Caller, Control, Job } from './messages.ts';
import workerUrl from './worker.ts?chunk';

interface Policy {
  createScriptURL: (url: string) => string;
}

// The content-security policy takes scripts from trusted URLs only; this one is the console's own file.
const factory = (globalThis as { trustedTypes?: { createPolicy: (name: string, rules: Policy) => Policy } }).trustedTypes;
const policy = factory?.createPolicy('partita-worker', { createScriptURL: (url) => url });

export interface Running {
  send: (control: Control) => void;
  end: () => void;
}

/** Starts a worker on a job. */
export function startWorker(job: Job, onAnswer: (answer: Answer) => void): Running {
  const url = new URL(workerUrl, location.href).href;
  const worker = new Worker(policy ? policy.createScriptURL(url) : url, { type: 'module' });
  worker.onmessage = (event: MessageEvent<Answer>) => onAnswer(event.data);
  worker.onerror = (event) => onAnswer({ kind: 'fault', fault: { message: event.message || 'The worker could not be started.' } });
  worker.postMessage(job);
  return { send: (control) => worker.postMessage(control), end: () => worker.terminate() };
}

export function caller(): Caller {
  const { server, credentials, namespace } = session.get();
  return { server, credentials, namespace };
}
