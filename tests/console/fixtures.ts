/**
 * What every test of the console has: a server of its own, and pages and workers that fail the test if they break the
 * content-security policy, ask another origin, or throw.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, test as base, expect, type Page, type Request } from '@playwright/test';
import { serveUnbuilt } from './unbuilt.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
export const BINARY = process.env.PARTITA_BINARY ?? join(HERE, '..', '..', 'build', 'release', 'partita');
const ARTEFACTS = join(HERE, 'artefacts');

export type Json = Record<string, any>;

/** A table with string keys `pk` and, unless told otherwise, `sk`. */
export const tableOf = (name: string, more: Json = {}): Json => ({
  TableName: name,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  ...more,
});

/** Holds the first call of an operation back until release(), as a slow server would. */
export async function hold(page: Page, operation: string): Promise<{ sent: Promise<void>; release: () => void }> {
  let [arrive, release] = [() => {}, () => {}];
  const sent = new Promise<void>((resolve) => (arrive = resolve));
  const free = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/', async (route) => {
    if (route.request().headers()['x-amz-target']?.endsWith(`.${operation}`)) {
      arrive();
      await free;
    }
    await route.continue();
  });
  return { sent, release };
}

export class Server {
  /** Of all servers of the tests; a page may be open longer than its server runs. */
  static readonly origins = new Set<string>();
  /** Where the page is, and the calls: the server, or with CONSOLE_DIST a stand-in before it. */
  url = '';
  /** The server itself, without a stand-in. */
  direct = '';
  private front: { close: () => void } | undefined;
  log = '';
  /** Of every call, such as the namespace. */
  headers: Record<string, string> = {};
  readonly folder = mkdtempSync(join(tmpdir(), 'partita-console-'));
  private process: ChildProcess | undefined;

  /** `options` are those of `serve`; the port is free, the data in memory unless they say otherwise. */
  async start(options: string[] = [], host = '127.0.0.1'): Promise<this> {
    await this.launch(`${host}:0`, options);
    if (process.env.CONSOLE_DIST) {
      const front = await serveUnbuilt(process.env.CONSOLE_DIST, this.url);
      this.front = front;
      this.url = front.url;
    }
    Server.origins.add(this.url).add(this.direct);
    return this;
  }

  /** The same address with other options, which name a place of the data if it is to stay. */
  async restart(options: string[]): Promise<void> {
    await this.end();
    await this.launch(new URL(this.direct).host, options);
  }

  private async launch(listen: string, options: string[]): Promise<void> {
    const data = options.some((each) => each.startsWith('--data') || each.startsWith('--store')) ? [] : ['--in-memory'];
    const child = spawn(BINARY, ['serve', '--listen', listen, ...data, ...options], { cwd: this.folder });
    this.process = child;
    const before = this.log.length;
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        this.log += chunk.toString();
        const found = /serving DynamoDB on (https?:\/\/[\w.:[\]]+)/.exec(this.log.slice(before));
        if (found) {
          this.direct = found[1]!;
          this.url ||= this.direct;
          resolve();
        }
      };
      child.stdout!.on('data', read);
      child.stderr!.on('data', read);
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${this.log}`)));
    });
  }

  async stop(): Promise<void> {
    this.front?.close();
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async end(): Promise<void> {
    const child = this.process;
    if (child && child.exitCode === null) {
      await new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.on('exit', resolve);
        child.kill('SIGTERM');
      });
    }
  }

  /** A call past the page. The server is in open mode: it takes any signature. */
  async call(operation: string, input: Json, headers: Record<string, string> = {}): Promise<Json> {
    const target = operation.includes('.') ? operation : `DynamoDB_20120810.${operation}`;
    const reply = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': target,
        'x-amz-date': '20260101T000000Z',
        authorization: 'AWS4-HMAC-SHA256 Credential=console/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
        ...this.headers,
        ...headers,
      },
      body: JSON.stringify(input),
    });
    const body = (await reply.json()) as Json;
    if (!reply.ok) throw new Error(`${operation}: ${JSON.stringify(body)}`);
    return body;
  }

  async createTable(name: string, more: Json = {}): Promise<void> {
    await this.call('CreateTable', tableOf(name, more));
  }

  async putItems(table: string, items: Json[]): Promise<void> {
    for (let at = 0; at < items.length; at += 25) {
      await this.call('BatchWriteItem', { RequestItems: { [table]: items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } })) } });
    }
  }
}

export interface Fixtures {
  /** Options of `serve` for this test: test.use({ serverOptions: [...] }). */
  serverOptions: string[];
  server: Server;
  /** Opens a page of the console: open('tables/new'). */
  open: (path?: string) => Promise<void>;
  /** Goes there inside the page that is open, as its links do; without one, opens it. */
  go: (path: string) => Promise<void>;
  /** Waits until no request is open and nothing on the page changes. */
  settled: () => Promise<void>;
  /** Keeps a picture of the page in artefacts/NAME.png. */
  shot: (name: string, options?: { fullPage?: boolean }) => Promise<void>;
  /** What pages and workers did wrong, in every context; empty at the end of each test. Remove what a test provokes on purpose. */
  faults: string[];
}

function leaves(request: Request): boolean {
  const { origin, protocol } = new URL(request.url());
  if (['data:', 'blob:'].includes(protocol)) return false;
  if (request.isNavigationRequest()) return !Server.origins.has(origin);
  return origin !== new URL(request.frame().page().url()).origin;
}

/** Runs in the page: until its document has not changed for a while, and what moves has come to its end. */
async function untilStill(): Promise<void> {
  await new Promise<void>((resolve) => {
    const observer = new MutationObserver(() => wait());
    const done = () => (observer.disconnect(), resolve());
    let timer = setTimeout(done, 80);
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(done, 80);
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  const ending = document.getAnimations().filter((each) => Number.isFinite(each.effect?.getComputedTiming().endTime));
  await Promise.all(ending.map((each) => each.finished.catch(() => undefined)));
}

const TELL = `addEventListener('securitypolicyviolation', (event) =>
  console.error('Content-Security-Policy of a worker: ' + event.violatedDirective + ' ' + event.blockedURI)); `;

/** Another page of the console, without loading it anew. */
export async function goInside(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/console/${path}`);
}

/** Puts code before a worker's first line. Not for tests that measure time: it passes all requests through the test. */
async function prepareWorkers(page: Page, code: string): Promise<void> {
  await page.route('**/assets/worker-*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: code + (await response.text()) });
  });
}

/** Sees violations from a worker's first line on. */
export const watchWorkers = (page: Page): Promise<void> => prepareWorkers(page, TELL);

/** Each call of a worker takes this much longer; routes of the page do not see them. */
export const slowWorkers = (page: Page, ms: number): Promise<void> =>
  prepareWorkers(page, `{ const { fetch } = self; self.fetch = async (...input) => (await new Promise((go) => setTimeout(go, ${ms})), fetch(...input)); } `);

/** Notes what pages and workers of a context do wrong. */
function guard(context: BrowserContext, faults: string[]): void {
  context.on('weberror', (error) => faults.push(`exception: ${error.error().message}`));
  context.on('console', (message) => {
    if (/content.security.policy|trusted ?(types|html|script)/i.test(message.text())) faults.push(`policy: ${message.text()}`);
  });
  // Browsers write violations of workers to no console. What a worker does at once comes before this: see watchWorkers.
  context.on('page', (page) => page.on('worker', (worker) => void worker.evaluate(TELL).catch(() => undefined)));
  context.on('request', (request) => {
    if (leaves(request)) faults.push(`left the origin: ${request.url()}`);
  });
}

export const test = base.extend<Fixtures>({
  serverOptions: [[], { option: true }],
  faults: [
    async ({ browser }, use) => {
      const faults: string[] = [];
      const begin = (context: BrowserContext) => guard(context, faults);
      browser.on('context', begin);
      await use(faults);
      browser.off('context', begin);
      expect(faults, 'faults of the page').toEqual([]);
    },
    { auto: true },
  ],
  server: async ({ serverOptions }, use) => {
    const server = await new Server().start(serverOptions);
    await use(server);
    await server.stop();
  },
  open: async ({ page, server }, use) => {
    await use(async (path = '') => {
      await page.goto(`${server.url}/console/${path}`);
    });
  },
  go: async ({ page, open }, use) => {
    await use(async (path) => {
      if (page.url() === 'about:blank') await open(path);
      else await goInside(page, path);
    });
  },
  settled: async ({ page }, use) => {
    const pending = new Set<Request>();
    page.on('request', (request) => pending.add(request));
    for (const end of ['requestfinished', 'requestfailed'] as const) page.on(end, (request) => pending.delete(request));
    await use(async () => {
      do {
        await expect.poll(() => pending.size, { intervals: [20] }).toBe(0);
        await page.evaluate(untilStill);
      } while (pending.size);
    });
  },
  shot: async ({ page }, use) => {
    mkdirSync(ARTEFACTS, { recursive: true });
    await use(async (name, options) => {
      await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), animations: 'disabled', ...options });
    });
  },
});

export { expect };
