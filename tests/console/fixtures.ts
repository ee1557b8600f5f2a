/**
 * What every test of the console has: a server of its own, and a page that fails the test if it breaks the
 * content-security policy, asks another origin, or throws.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, expect, type Page } from '@playwright/test';
import { serveUnbuilt } from './unbuilt.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
export const BINARY = process.env.PARTITA_BINARY ?? join(HERE, '..', '..', 'build', 'release', 'partita');
const ARTEFACTS = join(HERE, 'artefacts');

export type Json = Record<string, any>;

export class Server {
  /** Where the page is, and the calls: the server, or with CONSOLE_DIST a stand-in before it. */
  url = '';
  private front: { close: () => void } | undefined;
  log = '';
  readonly folder = mkdtempSync(join(tmpdir(), 'partita-console-'));
  private process: ChildProcess | undefined;

  /** `options` are those of `serve`; the port is free, the data in memory unless they say otherwise. */
  async start(options: string[] = []): Promise<this> {
    const data = options.some((each) => each.startsWith('--data') || each.startsWith('--store')) ? [] : ['--in-memory'];
    const child = spawn(BINARY, ['serve', '--listen', '127.0.0.1:0', ...data, ...options], { cwd: this.folder });
    this.process = child;
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        this.log += chunk.toString();
        const found = /serving DynamoDB on (https?:\/\/[\w.:[\]]+)/.exec(this.log);
        if (found && !this.url) {
          this.url = found[1]!;
          resolve();
        }
      };
      child.stdout!.on('data', read);
      child.stderr!.on('data', read);
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${this.log}`)));
    });
    if (process.env.CONSOLE_DIST) {
      const front = await serveUnbuilt(process.env.CONSOLE_DIST, this.url);
      this.front = front;
      this.url = front.url;
    }
    return this;
  }

  async stop(): Promise<void> {
    this.front?.close();
    const child = this.process;
    if (child && child.exitCode === null) {
      await new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.on('exit', resolve);
        child.kill('SIGTERM');
      });
    }
    rmSync(this.folder, { recursive: true, force: true });
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
        ...headers,
      },
      body: JSON.stringify(input),
    });
    const body = (await reply.json()) as Json;
    if (!reply.ok) throw new Error(`${operation}: ${JSON.stringify(body)}`);
    return body;
  }

  /** A table with string keys `pk` and, unless told otherwise, `sk`. */
  async createTable(name: string, more: Json = {}): Promise<void> {
    await this.call('CreateTable', {
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      ...more,
    });
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
  /** Keeps a picture of the page in artefacts/NAME.png. */
  shot: (name: string, options?: { fullPage?: boolean }) => Promise<void>;
  /** What the page did wrong; empty at the end of each test. Remove what a test provokes on purpose. */
  faults: string[];
}

/** Notes violations of the policy, requests that leave the origin, and exceptions. */
export function watch(page: Page, origin: string, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (/content.security.policy|trusted ?types/i.test(message.text())) faults.push(`policy: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol)) faults.push(`left the origin: ${request.url()}`);
  });
}

export const test = base.extend<Fixtures>({
  serverOptions: [[], { option: true }],
  faults: async ({}, use) => {
    const faults: string[] = [];
    await use(faults);
    expect(faults, 'faults of the page').toEqual([]);
  },
  server: async ({ serverOptions }, use) => {
    const server = await new Server().start(serverOptions);
    await use(server);
    await server.stop();
  },
  open: async ({ page, server, faults }, use) => {
    watch(page, server.url, faults);
    await use(async (path = '') => {
      await page.goto(`${server.url}/console/${path}`);
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
