/** Pages of other origins may not call: a name that resolves to this server (DNS rebinding), and another port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Page } from '@playwright/test';
import { expect, type Json, Server, test } from './fixtures.ts';

const CREATE: Json = {
  TableName: 'Made', BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
};

/** The status of a call that the page makes with fetch; 0: the browser did not let it read the reply. */
function called(page: Page, to: string, headers: Record<string, string>, body: string, mode: RequestMode = 'cors'): Promise<number> {
  return page.evaluate(
    async ([to, headers, body, mode]) => (await fetch(to, { method: 'POST', headers, body, mode }).catch(() => undefined))?.status ?? 0,
    [to, headers, body, mode] as const,
  );
}

const target = (operation: string) => ({
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': `DynamoDB_20120810.${operation}`,
  authorization: 'AWS4-HMAC-SHA256 Credential=console/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'x-amz-date': '20260101T000000Z',
});

// What these pages do is not the console's doing.
test.afterEach(({ faults }) => void (faults.length = 0));

test('DNS rebinding: a page under another name is refused, under localhost and an address it is not', async ({ page, server }) => {
  const { port } = new URL(server.direct);
  for (const [host, status] of [['evil.test', 403], ['localhost', 200], ['127.0.0.1', 200]] as const) {
    const table = `Made-${status}-${host}`;
    const reply = (await page.goto(`http://${host}:${port}/console/licenses.txt`))!;
    expect(reply.status(), 'the files are public').toBe(200);
    expect(await called(page, '/', target('CreateTable'), JSON.stringify({ ...CREATE, TableName: table }))).toBe(status);
    expect(await called(page, '/', target('ListTables'), '{}')).toBe(status);
    expect(await called(page, '/', { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'Partita_20261123.DescribeConsole' }, '{}')).toBe(status);
    const { TableNames } = await server.call('ListTables', {});
    expect(TableNames.includes(table)).toBe(status === 200);
  }
});

// Of the program itself: a stand-in hides where a call comes from.
test('the console works on localhost and on an address, and says what is wrong under another name', async ({ page, server }) => {
  await server.call('CreateTable', CREATE);
  const { port } = new URL(server.direct);
  for (const host of ['localhost', '127.0.0.1']) {
    await page.goto(`http://${host}:${port}/console/`);
    await expect(page.getByRole('link', { name: 'Made' })).toBeVisible();
  }
  await page.goto(`http://evil.test:${port}/console/`);
  await expect(page.getByText('--allow-origin')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Made' })).toBeHidden();
});

test('the console works on [::1], where another name and another port are refused', async ({ page }) => {
  const loopback = Object.values(networkInterfaces()).flat().some((each) => each?.address === '::1');
  test.skip(!loopback, 'this machine has no IPv6 loopback');
  const server = await new Server().start([], '[::1]');
  try {
    await server.call('CreateTable', CREATE);
    await page.goto(`${server.direct}/console/`);
    expect(new URL(page.url()).hostname).toBe('[::1]');
    await page.getByRole('link', { name: 'Made' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel(/To confirm/).fill('Made');
    await page.getByTestId('confirm').click();
    await expect.poll(async () => (await server.call('ListTables', {})).TableNames).toEqual([]);
    await page.goto(`http://evil6.test:${new URL(server.direct).port}/console/licenses.txt`);
    expect(await called(page, '/', target('CreateTable'), JSON.stringify(CREATE))).toBe(403);
    const other = await new Server().start([], '[::1]');
    await page.goto(`${other.direct}/console/licenses.txt`);
    expect(await called(page, server.direct, target('CreateTable'), JSON.stringify(CREATE))).toBe(0);
    await other.stop();
    expect((await server.call('ListTables', {})).TableNames).toEqual([]);
  } finally {
    await server.stop();
  }
});

test('a page on another port is refused, also where the browser asks nothing first', async ({ page, server }) => {
  const other = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<title>other</title>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const statuses = new Map<string, number>();
  page.on('response', (response) => statuses.set(response.request().method(), response.status()));
  try {
    const { port } = other.address() as AddressInfo;
    for (const from of [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`]) {
      await page.goto(from);
      expect(await called(page, server.direct, target('CreateTable'), JSON.stringify(CREATE)), 'after a preflight').toBe(0);
      // A simple request reaches the server, which must refuse it itself.
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        statuses.clear();
        await called(page, server.direct, { 'content-type': type }, 'Action=GetCallerIdentity&Version=2011-06-15', 'no-cors');
        await expect.poll(() => statuses.get('POST')).toBe(403);
      }
    }
    expect((await server.call('ListTables', {})).TableNames).toEqual([]);
  } finally {
    other.close();
    other.closeAllConnections();
  }
});
