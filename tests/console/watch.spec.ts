/** Watch: requests and capacity, the hottest key (scenario 9), jobs, a stream's tail (scenario 10), refusals. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, Server, tableOf, test } from './fixtures.ts';

const STREAM = { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } };

test('requests, latency and capacity units of tables and operations', async ({ open, page, server, shot }) => {
  await server.createTable('Music');
  await open('watch');
  await expect(page.getByTestId('watch-figures')).toContainText('Requests a second');
  const items = Array.from({ length: 50 }, (_, n) => ({ pk: { S: 'a' }, sk: { S: String(n) } }));
  let writing = true;
  const load = (async () => {
    while (writing) {
      await server.putItems('Music', items);
      await server.call('Query', { TableName: 'Music', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'a' } } });
      await server.call('GetItem', { TableName: 'Music', Key: {} }).catch(() => undefined);
    }
  })();
  const tables = page.getByRole('table', { name: 'Tables' });
  await expect(tables.getByRole('row', { name: /Music/ })).toBeVisible({ timeout: 10_000 });
  const operations = page.getByRole('table', { name: 'Operations' });
  await expect(operations.getByRole('row', { name: /BatchWriteItem/ })).toBeVisible();
  await expect(operations.getByRole('row', { name: /GetItem/ })).not.toContainText('0 0');
  // Each BatchWriteItem of 25 small items is 25 units; each Query of 50 small ones half a unit.
  const figure = (text: string) => parseFloat(text) * (text.endsWith('k') ? 1e3 : text.endsWith('M') ? 1e6 : 1);
  await expect(async () => {
    const [name, , requests, , , read, write] = await tables.getByRole('row', { name: /Music/ }).locator('td, th').allInnerTexts();
    expect(name).toBe('Music');
    expect(figure(requests!)).toBeGreaterThan(0);
    expect(figure(read!)).toBeGreaterThan(0);
    expect(figure(write!)).toBeGreaterThan(10 * figure(read!));
  }).toPass();
  await shot('watch');
  await page.getByRole('button', { name: 'Show Music in the charts' }).click();
  await expect(page.getByRole('heading', { name: 'Table Music' })).toBeVisible();
  await expect(page.getByRole('img', { name: /^Capacity units: read \d/ })).toBeVisible();
  await expect(page).toHaveURL(/of=table%3AMusic/);
  writing = false;
  await load;
});

test.describe('with namespaces', () => {
  test.use({ serverOptions: ['--namespaces', 'header'] });
  test('what counts all namespaces and what counts one is said', async ({ open, page, server }) => {
    const put = (space: string) =>
      server.call('PutItem', { TableName: 'Music', Item: { pk: { S: 'a' }, sk: { S: 'b' } } }, space ? { 'x-partita-namespace': space } : {});
    for (const space of ['', 'team']) {
      const headers: Record<string, string> = space ? { 'x-partita-namespace': space } : {};
      await server.call('CreateTable', {
        TableName: 'Music', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
      }, headers);
    }
    await open('watch');
    await expect(page.getByText('These figures count requests of all namespaces.')).toBeVisible();
    await expect(page.getByText('Of the unnamed namespace', { exact: true })).toBeVisible();
    const table = page.getByRole('table', { name: 'Tables' });
    await expect(async () => {
      for (let n = 0; n < 20; n++) await put('team');
      await expect(page.getByRole('table', { name: 'Operations' }).getByRole('row', { name: /PutItem/ })).toBeVisible({ timeout: 2000 });
    }).toPass();
    await expect(table.getByRole('row', { name: /Music/ })).toBeHidden();
    await page.getByRole('button', { name: 'Namespace' }).click();
    await page.getByRole('menuitem', { name: 'team' }).click();
    await page.getByRole('link', { name: 'Watch' }).click();
    await expect(page.getByText('Of namespace team', { exact: true })).toBeVisible();
    await expect(page.getByText('Capacity units of namespace team')).toBeVisible();
    await expect(async () => {
      await put('team');
      await expect(table.getByRole('row', { name: /Music/ })).toBeVisible({ timeout: 2000 });
    }).toPass();
  });
});

test('scenario 9: the hot key is named', async ({ open, page, server, shot }) => {
  await server.createTable('Devices');
  await open('watch?tab=keys&table=Devices');
  await expect(page.getByText('No key was read or written')).toBeVisible();
  const write = (key: string) => server.call('PutItem', { TableName: 'Devices', Item: { pk: { S: key }, sk: { S: '1' } } });
  for (let n = 0; n < 20; n++) await write(`device-${n}`);
  for (let n = 0; n < 80; n++) await write('device-hot');
  const first = page.getByRole('table', { name: 'Hottest keys' }).getByRole('row').nth(1);
  await expect(first).toContainText('device-hot');
  await expect(first).toContainText('80.0%');
  await expect(first).toContainText('exact');
  await shot('watch-keys');
});

const seeded = test.extend({
  server: async ({}, use) => {
    const server = new Server();
    const items = Array.from({ length: 150_000 }, (_, n) => `{"Item": {"pk": {"S": "p${n % 500}"}, "sk": {"S": "${n}"}, "by": {"S": "user-${n % 7}"}, "text": {"S": "${'x'.repeat(100)}"}}}`);
    writeFileSync(join(server.folder, 'Log.json'), JSON.stringify(tableOf('Log')));
    writeFileSync(join(server.folder, 'Log.jsonl'), items.join('\n'));
    await server.start(['--seed', server.folder]);
    await use(server);
    await server.stop();
  },
});

seeded('the backfill of an index is listed while it runs', async ({ open, page, server, shot }) => {
  test.setTimeout(90_000);
  await open('watch?tab=jobs');
  await expect(page.getByRole('heading', { name: /Background jobs/ })).toBeVisible();
  await server.call('UpdateTable', {
    TableName: 'Log',
    AttributeDefinitions: ['pk', 'sk', 'by'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexUpdates: [{ Create: { IndexName: 'by-user', KeySchema: [{ AttributeName: 'by', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } } }],
  });
  const job = page.getByRole('table', { name: 'Background jobs' }).getByRole('row', { name: /Backfill of an index/ });
  await expect(job).toContainText('by-user', { timeout: 10_000 });
  await expect(job).toContainText('Log');
  await shot('watch-jobs');
  await expect(job).toBeHidden({ timeout: 60_000 });
});

test('scenario 10: a change is seen, old and new', async ({ open, page, server, shot }) => {
  await server.createTable('Tickets', STREAM);
  const ticket = (more: object) => server.call('PutItem', { TableName: 'Tickets', Item: { pk: { S: 'ORG#1' }, sk: { S: 'TICKET#7' }, ...more } });
  await ticket({ subject: { S: 'Printer on fire' }, open: { BOOL: true }, seen: { N: '1' } });
  await open('watch?tab=stream&table=Tickets');
  await expect(page.getByText(/Following \d+ shard/)).toBeVisible();
  await expect(page.getByText('No change yet.')).toBeVisible();
  await ticket({ subject: { S: 'Printer on fire' }, open: { BOOL: false }, solved: { S: 'water' } });
  const grid = page.getByRole('grid', { name: 'Changes of Tickets' });
  await expect(grid.getByText('MODIFY')).toBeVisible();
  const images = page.getByRole('table', { name: 'Old and new image' });
  await expect(images.locator('[data-kind=changed]')).toHaveText(/open\s*true\s*false/);
  await expect(images.locator('[data-kind=removed]')).toHaveText(/seen\s*1/);
  await expect(images.locator('[data-kind=added]')).toHaveText(/solved\s*water/);
  await server.call('DeleteItem', { TableName: 'Tickets', Key: { pk: { S: 'ORG#1' }, sk: { S: 'TICKET#7' } } });
  await expect(grid.getByText('REMOVE')).toBeVisible({ timeout: 2000 });
  await shot('watch-stream');
  // Paused, nothing comes; then all of it.
  await page.getByTestId('tail-pause').click();
  await ticket({});
  await page.waitForTimeout(1500);
  await expect(grid.getByText('INSERT')).toBeHidden();
  await page.getByTestId('tail-pause').click();
  await expect(grid.getByText('INSERT')).toBeVisible();
  await page.getByText('From the start of the stream').click();
  await expect(grid.getByText('INSERT')).toHaveCount(2);
});

test('a table without a stream gets one by a click', async ({ open, page, server }) => {
  await server.createTable('Plain');
  await open('watch?tab=stream&table=Plain');
  await page.getByRole('button', { name: 'Turn on the stream' }).click();
  await expect(page.getByText(/Following \d+ shard/)).toBeVisible();
  const { Table } = await server.call('DescribeTable', { TableName: 'Plain' });
  expect(Table.StreamSpecification.StreamViewType).toBe('NEW_AND_OLD_IMAGES');
});

test('a hidden page asks nothing', async ({ open, page, server, settled }) => {
  await server.createTable('Music');
  await page.clock.install();
  await open('watch');
  await expect(page.getByTestId('watch-figures')).toBeVisible();
  let calls = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST') calls++;
  });
  await page.clock.runFor(3000);
  await expect.poll(() => calls).toBeGreaterThan(0);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await settled();
  calls = 0;
  await page.clock.runFor(60_000);
  await settled();
  expect(calls).toBe(0);
});

test('a refusal names the action that is missing', async ({ page, shot }) => {
  const server = new Server();
  const [credentials, identities] = [join(server.folder, 'credentials'), join(server.folder, 'identities.json')];
  const key = ['AKIAWATCHER000000003', 'watcher-secret-0123456789-watcher-s'] as const;
  writeFileSync(credentials, `[watcher]\naws_access_key_id = ${key[0]}\naws_secret_access_key = ${key[1]}\n`, { mode: 0o600 });
  const allowed = { Effect: 'Allow', Action: ['dynamodb:ListTables'], Resource: '*' };
  writeFileSync(identities, JSON.stringify({ UserDetailList: [{ UserName: 'watcher', UserPolicyList: [{ PolicyName: 'p', PolicyDocument: { Version: '2012-10-17', Statement: [allowed] } }] }] }));
  await server.start(['--credentials', credentials, '--identities', identities]);
  try {
    await page.goto(`${server.url}/console/watch`);
    await page.getByLabel('Access key ID').fill(key[0]);
    await page.getByLabel('Secret access key').fill(key[1]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('must allow partita:DescribeMetrics')).toBeVisible();
    await shot('watch-refused');
    await page.getByRole('tab', { name: 'Jobs' }).click();
    await expect(page.getByText('must allow partita:ListJobs')).toBeVisible();
  } finally {
    await server.stop();
  }
});
