/** Counts what a page's worker does. Unlike seconds, the same on every machine. */
import type { Page } from '@playwright/test';

export interface WorkerCalls {
  /** Calls of JavaScript functions. */
  functions: number;
  /** Characters that JSON.parse read and JSON.stringify wrote. */
  json: number;
  /** Messages to the page. */
  messages: number;
}

interface Message {
  id?: number;
  result?: { result: { functions: { ranges: { count: number }[] }[] }[] & { value: Omit<WorkerCalls, 'functions'> } };
}

const COUNT = `
  self.counted = { json: 0, messages: 0 };
  const { parse, stringify } = JSON;
  const post = self.postMessage;
  JSON.parse = (text, ...rest) => ((counted.json += text.length), parse(text, ...rest));
  JSON.stringify = (...input) => {
    const text = stringify(...input);
    counted.json += text?.length ?? 0;
    return text;
  };
  self.postMessage = (...input) => (counted.messages++, post.apply(self, input));
`;

/** Runs in the page: workers live on, and what is sent to them waits until `countingWorkers` is called. */
function holdMessages(): void {
  const { postMessage } = Worker.prototype;
  const counting = new Promise<void>((resolve) => Object.assign(window, { countingWorkers: resolve }));
  Worker.prototype.terminate = () => {};
  Worker.prototype.postMessage = function (...input: unknown[]) {
    void counting.then(() => Reflect.apply(postMessage, this, input));
  };
}

/**
 * Counts what the next worker of the page does with what it is sent. Call `begin` once it was started, and `end` once it
 * has done its work.
 */
export async function countWorkerCalls(page: Page): Promise<{ begin: () => Promise<void>; end: () => Promise<WorkerCalls> }> {
  await page.evaluate(holdMessages);
  const session = await page.context().newCDPSession(page);
  const replies = new Map<number, (message: Message) => void>();
  session.on('Target.receivedMessageFromTarget', (event) => {
    const message = JSON.parse(event.message) as Message;
    if (message.id !== undefined) replies.get(message.id)?.(message);
  });
  const started = new Promise<string>((resolve) => session.on('Target.attachedToTarget', ({ sessionId }) => resolve(sessionId)));
  let last = 0;
  const send = async (method: string, params: object = {}): Promise<Message> => {
    const id = ++last;
    const reply = new Promise<Message>((resolve) => replies.set(id, resolve));
    await session.send('Target.sendMessageToTarget', { sessionId: await started, message: JSON.stringify({ id, method, params }) });
    return reply;
  };
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  return {
    async begin() {
      await send('Profiler.enable');
      await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      await send('Runtime.evaluate', { expression: COUNT });
      await page.evaluate('countingWorkers()');
    },
    async end() {
      const scripts = (await send('Profiler.takePreciseCoverage')).result!.result;
      const functions = scripts.flatMap((script) => script.functions).reduce((sum, { ranges }) => sum + ranges[0]!.count, 0);
      const { value } = (await send('Runtime.evaluate', { expression: 'counted', returnByValue: true })).result!.result;
      return { functions, ...value };
    },
  };
}
