/** A tab that nothing observes: Playwright has a page's process keep a copy of each reply, which its memory would show. */
import type { Browser } from '@playwright/test';

export interface BareTab {
  /** What an expression gives, as JSON; a promise is waited for. */
  evaluate: <T>(expression: string) => Promise<T>;
  /** Waits until an expression is true. */
  until: (expression: string, timeout?: number) => Promise<void>;
  collectGarbage: () => Promise<void>;
  close: () => Promise<void>;
}

interface Answered {
  id?: number;
  error?: { message: string };
  result?: { result: { value: never }; exceptionDetails?: { exception?: { description?: string } } };
}

export async function openBare(browser: Browser, url: string): Promise<BareTab> {
  const root = await browser.newBrowserCDPSession();
  const { targetId } = await root.send('Target.createTarget', { url });
  const { sessionId } = await root.send('Target.attachToTarget', { targetId });
  const waiting = new Map<number, (reply: Answered) => void>();
  root.on('Target.receivedMessageFromTarget', (event) => {
    const reply = JSON.parse(event.message) as Answered;
    if (event.sessionId === sessionId && reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  let last = 0;
  const send = async (method: string, params: object = {}): Promise<Answered> => {
    const id = ++last;
    const reply = new Promise<Answered>((resolve) => waiting.set(id, resolve));
    await root.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) });
    return reply;
  };
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, error } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (!result) throw new Error(error?.message);
    if (result.exceptionDetails) throw new Error(result.exceptionDetails.exception?.description ?? expression);
    return result.result.value;
  };
  await send('Emulation.setDeviceMetricsOverride', { width: 1440, height: 900, deviceScaleFactor: 1, mobile: false });
  return {
    evaluate,
    async until(expression, timeout = 30_000) {
      // The page may be loading yet, which ends what is evaluated.
      for (const end = Date.now() + timeout; !(await evaluate(`!!(${expression})`).catch(() => false)); ) {
        if (Date.now() > end) throw new Error(`not within ${timeout} ms: ${expression}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    collectGarbage: async () => void (await send('HeapProfiler.collectGarbage')),
    close: async () => void (await root.send('Target.closeTarget', { targetId })),
  };
}
