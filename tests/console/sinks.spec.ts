/** Sinks by clicks: created with what the form shows, watched, paused, resumed, retried, verified, deleted. */
import { spawn } from 'node:child_process';
import { createServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { seriousInBoth } from './axe.ts';
import { expect, type Json, type Server, test } from './fixtures.ts';

const PREFIX = 'Partita_20261123.';
const SUPPORT = join(import.meta.dirname, '..', 'support');

test.use({ serverOptions: ['--sink-hosts', '127.0.0.1'] });

/** A function that gets changes: it takes all but those of items that are named bad, and counts. */
class Hook {
  readonly records: Json[] = [];
  /** Whether it takes them all. */
  kind = false;
  /** Whether nobody is reached. */
  away = false;
  private readonly server: HttpServer = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const records = (JSON.parse(body) as { Records: Json[] }).Records;
      const bad = !this.kind && records.some((each) => each.dynamodb.Keys.pk.S === 'bad');
      if (!bad && !this.away) this.records.push(...records);
      response.writeHead(this.away ? 503 : bad ? 500 : 200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

async function freePort(): Promise<number> {
  const socket = createSocket();
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return port;
}

const put = (server: Server, pk: string) => server.putItems('Music', [{ pk: { S: pk }, sk: { S: 'x' } }]);
const sinkOf = async (server: Server, SinkName: string) => (await server.call(`${PREFIX}DescribeSink`, { TableName: 'Music', SinkName })).Sink as Json;
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });

async function act(page: Page, sink: string, what: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of sink ${sink}` }).click();
  await page.getByRole('menuitem', { name: what, exact: true }).click();
}

test('a hook from its creation to its end', async ({ open, page, server, settled, shot }) => {
  test.setTimeout(120_000);
  const hook = new Hook();
  const url = await hook.start();
  try {
    await server.createTable('Music');
    await open('tables/Music?tab=sinks');
    await expect(page.getByText('This table has no sinks.')).toBeVisible();
    await page.getByRole('button', { name: 'Create sink' }).click();
    const dialog = page.getByRole('dialog');
    await expect(page.getByTestId('save')).toBeDisabled();
    await dialog.getByLabel('URL').fill(`${url}/music?token=secret`);
    await expect(dialog.getByRole('button', { name: /^Kind/ })).toContainText('Hook');
    await dialog.getByLabel(/^Name/).fill('events');
    await dialog.getByRole('button', { name: 'Options', exact: true }).click();
    await dialog.getByLabel('BatchSize').fill('1');
    await dialog.getByLabel('MaximumRetryAttempts').fill('0');
    await expect(dialog.getByLabel('Command', { exact: true })).toContainText('--set BatchSize=1');
    await shot('sink-create');
    expect(await seriousInBoth(page, settled)).toEqual([]);
    await page.getByTestId('save').click();
    await expect(page.getByText('Sink events is created.')).toBeVisible();
    expect(await sinkOf(server, 'events')).toMatchObject({ Url: `${url}/music?token=secret`, Options: { BatchSize: '1', MaximumRetryAttempts: '0' } });

    const line = row(page, 'events');
    await expect(line).toContainText(`${url}/music?token=…`);
    await expect(line).not.toContainText('secret');
    await expect(line).toContainText('nothing waits');
    await put(server, 'a');
    await expect.poll(() => hook.records.length).toBe(1);
    await expect(line).toContainText('Carrying');

    hook.away = true;
    await put(server, 'b');
    await put(server, 'c');
    await expect(line).toContainText('2 changes');
    await expect.poll(async () => (await sinkOf(server, 'events')).Message ?? '').toContain('503');
    await expect(line).toContainText('503');
    await act(page, 'events', 'Pause');
    await expect(line).toContainText('Paused');
    expect((await sinkOf(server, 'events')).State).toBe('PAUSED');
    hook.away = false;
    await act(page, 'events', 'Resume');
    await expect(line).toContainText('nothing waits');
    await expect.poll(() => hook.records.length).toBe(3);

    await put(server, 'bad');
    await expect(line.getByRole('link', { name: 'Dead letters of events' })).toBeVisible();
    await shot('sinks');
    expect(await seriousInBoth(page, settled)).toEqual([]);
    await line.getByRole('link', { name: 'Dead letters of events' }).click();
    await expect(page).toHaveURL(/explore\/Music-dead-letters\?mode=query&pk=Music%2Fevents/);
    await page.goBack();
    hook.kind = true;
    await act(page, 'events', 'Send dead letters again');
    await expect.poll(() => hook.records.length).toBe(4);

    await act(page, 'events', 'Settings');
    await expect(dialog).toContainText('MaximumRetryAttempts=0');
    await page.keyboard.press('Escape');
    await act(page, 'events', 'Delete');
    await expect(page.getByTestId('confirm')).toBeDisabled();
    await dialog.getByLabel('To confirm, type events').fill('events');
    await page.getByTestId('confirm').click();
    await expect(page.getByText('This table has no sinks.')).toBeVisible();
    expect((await server.call(`${PREFIX}ListSinks`, {})).Sinks).toEqual([]);
  } finally {
    hook.stop();
  }
});

test('a search engine: its trouble, its documents, its index', async ({ open, page, server }) => {
  test.setTimeout(120_000);
  const port = await freePort();
  await server.createTable('Music');
  await put(server, 'a');
  await open('tables/Music?tab=sinks');
  await page.getByRole('button', { name: 'Create sink' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(`opensearch+http://127.0.0.1:${port}`);
  await dialog.getByRole('button', { name: 'Index and documents' }).click();
  await dialog.getByLabel(/^Attributes/).fill('pk, sk');
  await dialog.getByRole('button', { name: 'Filter and backlog' }).click();
  await dialog.getByLabel('ExpressionAttributeValues').fill('[]');
  await expect(dialog.getByText('An object: {…}.').first()).toBeVisible();
  await expect(page.getByTestId('save')).toBeDisabled();
  await dialog.getByLabel('ExpressionAttributeValues').fill('{":p": {"S": "z"}}');
  await dialog.getByLabel(/^FilterExpression/).fill('pk < :p');
  await page.getByTestId('save').click();
  const line = row(page, 'opensearch');
  await expect(line).toContainText('Filling');
  // Nothing listens there yet, and the sink says so.
  await expect.poll(async () => (await sinkOf(server, 'opensearch')).Message ?? '').not.toBe('');
  await expect(line).toContainText((await sinkOf(server, 'opensearch')).Message as string);
  expect(await sinkOf(server, 'opensearch')).toMatchObject({ Fields: ['pk', 'sk'], FilterExpression: 'pk < :p' });

  const engine = spawn('python3', [join(SUPPORT, 'fake_search.py'), String(port), join(server.folder, 'search')], { stdio: 'ignore' });
  try {
    await expect(line).toContainText('Carrying', { timeout: 60_000 });
    const search = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}/${path}`, { method });
    await act(page, 'opensearch', 'Verify');
    await page.getByTestId('verify').click();
    await expect(dialog.getByText('The documents are what the table holds.')).toBeVisible();
    const indexes = (await (await search('music-opensearch-*/_alias')).json()) as Json;
    const [index] = Object.keys(indexes).filter((each) => !each.endsWith('-marks'));
    // Somebody deletes a document behind the sink's back.
    await search(`${index}/_doc/${encodeURIComponent('1:a|x')}?version=99999999999999999`, 'DELETE');
    await page.getByTestId('verify').click();
    await expect(dialog.getByText(/Documents differ/)).toBeVisible();
    await expect(dialog.getByLabel('Documents that differ', { exact: true })).toHaveText('1:a|x');
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

    await act(page, 'opensearch', 'Send all items again');
    await page.getByTestId('save').click();
    await expect.poll(async () => Object.keys((await (await search('music-opensearch-*/_alias')).json()) as Json).includes(index!)).toBe(false);
    await expect(line).toContainText('Carrying');

    await act(page, 'opensearch', 'Delete');
    await dialog.getByLabel(/Delete the index/).check();
    await dialog.getByLabel(/To confirm/).fill('opensearch');
    await page.getByTestId('confirm').click();
    await expect(page.getByText('This table has no sinks.')).toBeVisible();
    expect(await (await search('music-opensearch/_count')).json()).toMatchObject({ status: 404 });
  } finally {
    engine.kill();
  }
});

test('what only the server’s machine can create is a command, and what the server refuses is said', async ({ open, page, server }) => {
  await server.createTable('Music');
  await open('tables/Music?tab=sinks');
  await page.getByRole('button', { name: 'Create sink' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('file:///srv/changes');
  await expect(dialog.getByText('It uses files or ports of the server’s machine').first()).toBeVisible();
  await expect(page.getByTestId('save')).toBeDisabled();
  await expect(dialog.getByLabel('Command', { exact: true })).toHaveText('partita sink create Music --to file:///srv/changes');
  await dialog.getByLabel('URL').fill('https://10.0.0.1/x');
  await page.getByTestId('save').click();
  await expect(dialog.getByTestId('error-text')).toContainText('--sink-hosts');
  await dialog.getByRole('button', { name: /^Only by the command/ }).click();
  await dialog.getByLabel('File with credentials').fill('/etc/partita/hook');
  await expect(page.getByTestId('save')).toBeDisabled();
  await expect(dialog.getByLabel('Command', { exact: true })).toContainText('--credentials /etc/partita/hook');

  // Each kind of the server is offered.
  const { Schemes } = await server.call(`${PREFIX}ListSinks`, {});
  await dialog.getByRole('button', { name: /^Kind/ }).click();
  const kinds = new Set((Schemes as Json[]).map((each) => (each.Scheme as string).replace(/\+.*/, '').replace(/^http$/, 'https')));
  await expect(page.getByRole('option')).toHaveCount(kinds.size);
  expect((await server.call(`${PREFIX}ListSinks`, {})).Sinks).toEqual([]);
});

test.describe('in another namespace', () => {
  test.use({ serverOptions: ['--namespaces', 'header'] });

  test('there are no sinks', async ({ open, page, server }) => {
    server.headers = { 'x-partita-namespace': 'ann' };
    await server.createTable('Music');
    await page.addInitScript(() => localStorage.setItem('partita.namespace', '"ann"'));
    await open('tables/Music?tab=sinks');
    await expect(page.getByText('Sinks are for tables of the namespace without a name. This one is ann.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Create sink' })).toBeHidden();
  });
});

test.describe('of Kinesis streaming', () => {
  test.use({ serverOptions: ['--kinesis-endpoint', 'http://127.0.0.1:1'] });

  test('a sink is shown, and left alone', async ({ open, page, server }) => {
    await server.createTable('Music');
    await server.call('EnableKinesisStreamingDestination', { TableName: 'Music', StreamArn: 'arn:aws:kinesis:us-east-1:123456789012:stream/music' });
    await open('tables/Music?tab=sinks');
    const line = page.getByRole('row', { name: /Kinesis streaming/ });
    await expect(line).toBeVisible();
    await line.getByRole('button', { name: /^Actions of sink/ }).click();
    for (const what of ['Pause', 'Resume', 'Delete']) await expect(page.getByRole('menuitem', { name: what, exact: true })).toHaveAttribute('aria-disabled', 'true');
  });
});
