/** What IAM refuses is named on every page, and the read-only switch stops every write. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, goInside, Server, test } from './fixtures.ts';

const KEY = encodeURIComponent('{"pk":{"S":"a"},"sk":{"S":"1"}}');
const ITEM = { pk: { S: 'a' }, sk: { S: '1' }, note: { S: 'n' } };
const INSERT = encodeURIComponent(JSON.stringify([["INSERT INTO Music VALUE {'pk': 'b', 'sk': '1'}"]]));
const FILE = { name: 'a.jsonl', mimeType: 'text/plain', buffer: Buffer.from(JSON.stringify({ Item: { pk: { S: 'new' }, sk: { S: '1' } } })) };
const MODEL = {
  name: 'm.json', mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify({
    ModelName: 'M', ModelMetadata: { AWSService: 'Amazon DynamoDB', Version: '3.0' },
    DataModel: [{ TableName: 'FromModel', KeyAttributes: { PartitionKey: { AttributeName: 'pk', AttributeType: 'S' } }, TableData: [{ pk: { S: 'x' } }] }],
  })),
};

/** Each page of the console with its buttons that write, brought to where they can be pressed. */
const WRITERS: [string, (RegExp | string)[], (page: Page) => Promise<void>][] = [
  ['tables', ['Create table', 'Delete'], async () => {}],
  ['tables/new', ['Create table'], async () => {}],
  ['tables/Music', ['Delete', 'Change', /^Change: /], async () => {}],
  ['tables/Music?tab=indexes', ['Add global index', 'Delete index by-sk'], async () => {}],
  ['tables/Music?tab=sinks', ['Create sink'], async () => {}],
  ['tables/Music?tab=policy', ['Change tags', 'Change policy'], async () => {}],
  ['explore/Music', ['Create item', 'Delete'], async (page) => {
    await expect(page.getByTestId('summary')).toContainText('1 item');
    await page.getByRole('grid').focus();
    await page.keyboard.press('x');
  }],
  [`item/Music?key=${KEY}`, ['Delete', 'Duplicate'], async () => {}],
  ['item/Music?new=1', ['Create'], async (page) => expect(page.getByLabel('Value of pk', { exact: true })).toBeVisible()],
  [`partiql?s=${INSERT}`, ['Run'], async () => {}],
  ['import?table=Music', ['Import'], async (page) => {
    await page.getByTestId('import-file').setInputFiles(FILE);
    await expect(page.getByRole('heading', { name: /Preview/ })).toBeVisible();
  }],
  ['models', ['Make 1 table'], async (page) => {
    await page.getByTestId('model-file').setInputFiles(MODEL);
    await page.getByRole('button', { name: 'Make tables' }).click();
  }],
  ['watch?tab=stream&table=Music', ['Turn on the stream'], async () => {}],
  ['any?operation=PutItem', ['Send'], async () => {}],
];

const READS = /^(Describe|List|Get|Query$|Scan$|BatchGet|TransactGet)/;

test('read-only stops every button that writes, and the keys', async ({ go, page, server }) => {
  test.setTimeout(240_000);
  await server.createTable('Music', { GlobalSecondaryIndexes: [{ IndexName: 'by-sk', KeySchema: [{ AttributeName: 'sk', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }] });
  await server.putItems('Music', [ITEM]);
  const wrote: string[] = [];
  page.on('request', (request) => {
    const operation = request.headers()['x-amz-target']?.split('.')[1];
    if (operation && !READS.test(operation)) wrote.push(operation);
  });
  for (const locked of [false, true]) {
    await go('tables');
    if (locked) await page.getByRole('button', { name: /switch to read-only/ }).click();
    for (const [path, buttons, prepare] of WRITERS) {
      await go(path);
      if (path === 'tables') await page.getByRole('radio', { name: 'Music', exact: true }).check();
      await prepare(page);
      for (const name of buttons) {
        const button = page.getByRole('button', { name, exact: true }).first();
        if (locked) await expect(button, `${path}: ${name}`).toBeDisabled();
        else await expect(button, `${path}: ${name}`).toBeEnabled();
      }
      if (locked) for (const keys of ['Control+s', 'Control+Enter']) await page.keyboard.press(keys);
    }
  }
  expect(wrote).toEqual([]);
});

test('each page names the action that a policy would have to allow', async ({ page }) => {
  test.setTimeout(300_000);
  const server = new Server();
  const [credentials, identities] = [join(server.folder, 'credentials'), join(server.folder, 'identities.json')];
  const keys = { root: ['AKIAROOT000000000001', 'root-secret-0123456789-root-secret'], reader: ['AKIAREADER0000000002', 'reader-secret-0123456789-reader-sec'], lister: ['AKIALISTER0000000003', 'lister-secret-0123456789-lister-sec'] } as const;
  writeFileSync(credentials, Object.entries(keys).map(([name, [key, secret]]) => `[${name}]\naws_access_key_id = ${key}\naws_secret_access_key = ${secret}\n`).join(''), { mode: 0o600 });
  const user = (UserName: string, ...Action: string[]) => ({ UserName, UserPolicyList: [{ PolicyName: 'p', PolicyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource: '*' }] } }] });
  writeFileSync(identities, JSON.stringify({ UserDetailList: [user('reader', 'dynamodb:ListTables', 'dynamodb:DescribeTable'), user('lister', 'dynamodb:ListTables')] }));
  await server.start(['--credentials', credentials, '--identities', identities]);
  page.on('dialog', (dialog) => void dialog.accept()); // an item that could not be saved is left
  let signedIn: keyof typeof keys | undefined;
  const show = async (path: string, user: keyof typeof keys) => {
    if (user === signedIn) return goInside(page, path);
    signedIn = user;
    await page.goto(`${server.url}/console/${path}`);
    await page.getByLabel('Access key ID').fill(keys[user][0]);
    await page.getByLabel('Secret access key').fill(keys[user][1]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in to Partita' })).toBeHidden();
  };
  const click = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
  const confirm = async (name: string) => {
    await page.getByRole('dialog').getByLabel(/To confirm/).fill(name);
    await page.getByTestId('confirm').click();
  };
  const missing = async (action: string, where: string) => expect(page.getByText(action).first(), `${where}: ${action}`).toBeVisible();
  try {
    await show('tables/new', 'root');
    await page.getByLabel('Table name').fill('Music');
    await page.getByLabel('Partition key: attribute').fill('pk');
    await page.getByLabel('Sort key: attribute').fill('sk');
    await page.getByTestId('create').click();
    await expect(page).toHaveURL(/tables\/Music$/);

    for (const path of ['tables', 'tables/Music', 'explore/Music', 'item/Music?new=1', 'picture/Music', 'import?table=Music', 'export?table=Music']) {
      await show(path, 'lister');
      await missing('dynamodb:DescribeTable', path);
    }
    const pages: [string, string, () => Promise<void>][] = [
      ['tables', 'dynamodb:DeleteTable', async () => {
        await page.getByRole('radio', { name: 'Music', exact: true }).check();
        await click('Delete');
        await confirm('Music');
      }],
      ['tables/Music?tab=indexes', 'dynamodb:UpdateTable', async () => {
        await click('Add global index');
        await page.getByRole('dialog').getByLabel('Index name').fill('by-sk');
        await page.getByRole('dialog').getByLabel('Partition key: attribute').fill('sk');
        await page.getByTestId('save').click();
      }],
      ['tables/Music?tab=sinks', 'partita:ListSinks', async () => {}],
      ['explore/Music', 'dynamodb:Scan', async () => {}],
      ['explore/Music?mode=query&pk=a', 'dynamodb:Query', async () => {}],
      ['picture/Music', 'dynamodb:Scan', async () => {}],
      [`item/Music?key=${KEY}`, 'dynamodb:GetItem', async () => {}],
      ['item/Music?new=1', 'dynamodb:PutItem', async () => {
        for (const name of ['pk', 'sk']) await page.getByLabel(`Value of ${name}`, { exact: true }).fill('a');
        await page.getByTestId('save').click();
      }],
      [`partiql?s=${INSERT}`, 'dynamodb:PartiQLInsert', () => page.getByTestId('run').click()],
      ['import?table=Music', 'dynamodb:BatchWriteItem', async () => {
        await page.getByTestId('import-file').setInputFiles(FILE);
        await click('Import');
      }],
      ['export?table=Music', 'dynamodb:Scan', () => click('Export')],
      ['models', 'dynamodb:CreateTable', async () => {
        await page.getByTestId('model-file').setInputFiles(MODEL);
        await click('Make tables');
        await click('Make 1 table');
      }],
      ['watch', 'partita:DescribeMetrics', async () => {}],
      ['watch?tab=keys&table=Music', 'partita:DescribeHotKeys', async () => {}],
      ['watch?tab=jobs', 'partita:ListJobs', async () => {}],
      ['watch?tab=stream&table=Music', 'dynamodb:UpdateTable', () => click('Turn on the stream')],
      ['any?operation=DescribeLimits', 'dynamodb:DescribeLimits', () => click('Send')],
    ];
    const unnamed: string[] = [];
    for (const [path, action, act] of pages) {
      await show(path, 'reader');
      await act();
      await missing(`must allow ${action}`, path).catch(() => unnamed.push(`${path}: ${action}`));
    }
    expect(unnamed).toEqual([]);
  } finally {
    await server.stop();
  }
});
