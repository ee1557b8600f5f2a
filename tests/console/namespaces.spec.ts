/** Namespaces by header and by key: listed, switched, kept apart, always shown. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, hold, Server, test } from './fixtures.ts';
import { makeMusic, PLACES } from './places.ts';

const menu = (page: Page) => page.getByRole('button', { name: 'Namespace', exact: true });

async function use(page: Page, name: string): Promise<void> {
  await menu(page).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  await expect(menu(page)).toHaveText(new RegExp(`Namespace: ${name}`));
}

async function useOther(page: Page, name: string): Promise<void> {
  page.once('dialog', (dialog) => void dialog.accept(name));
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Another name…' }).click();
}

const named = (name: string) => ({ 'x-partita-namespace': name });

async function create(server: Server, table: string, namespace: string): Promise<void> {
  await server.call('CreateTable', {
    TableName: table, BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }, { AttributeName: 'SK', KeyType: 'RANGE' }],
  }, named(namespace));
}

const names = async (server: Server) => (await server.call('Partita_20261123.ListNamespaces', {})).Namespaces as string[];

/** The text itself, whole, in sight and under nothing else. */
async function showsNamespace(page: Page, name: string, where: string): Promise<void> {
  const text = menu(page).getByText(`Namespace: ${name}`, { exact: true });
  await expect(text, where).toBeVisible();
  await expect(text, where).toBeInViewport({ ratio: 1 });
  await text.click({ trial: true });
}

/** Every dialog that destroys something of table Shared. */
async function destroying(page: Page, go: (path: string) => Promise<void>, server: Server, name: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const says = async () => {
    await expect(dialog).toContainText(server.url);
    await expect(dialog).toContainText(`namespace: ${name}`);
    await expect(page.getByTestId('confirm')).toBeDisabled();
    await page.keyboard.press('Escape');
  };
  const remove = page.getByRole('button', { name: 'Delete', exact: true });
  await go('tables');
  await page.getByRole('radio', { name: 'Shared', exact: true }).check();
  await remove.click();
  await says();
  await go('tables/Shared');
  await remove.click();
  await says();
  await go('tables/Shared?tab=indexes');
  await page.getByRole('button', { name: 'Delete index by-sk' }).click();
  await says();
  await go('explore/Shared');
  await expect(page.getByTestId('summary')).toContainText('1 item');
  await page.getByRole('grid').focus();
  await page.keyboard.press('x');
  await remove.click();
  await says();
  await go(`item/Shared?key=${encodeURIComponent('{"PK":{"S":"a"},"SK":{"S":"1"}}')}`);
  await remove.click();
  await says();
}

async function createShared(server: Server, headers: Record<string, string>): Promise<void> {
  await server.call('CreateTable', {
    TableName: 'Shared', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }, { AttributeName: 'SK', KeyType: 'RANGE' }],
    GlobalSecondaryIndexes: [{ IndexName: 'by-sk', KeySchema: [{ AttributeName: 'SK', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }],
  }, headers);
  await server.call('PutItem', { TableName: 'Shared', Item: { PK: { S: 'a' }, SK: { S: '1' } } }, headers);
}

const keyed = (key: string) => ({ authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0` });

test.describe('by header', () => {
  test.use({ serverOptions: ['--namespaces', 'header'] });

  test('the menu lists and switches, and creates nothing', async ({ open, page, server, shot }) => {
    await createShared(server, named('alpha'));
    await create(server, 'OfBeta', 'beta');
    const before = await names(server);
    expect(before).toEqual(expect.arrayContaining(['alpha', 'beta']));
    await open('tables');
    await expect(menu(page)).toHaveText(/Namespace: \(unnamed\)/);
    await menu(page).click();
    await expect(page.getByRole('menuitem')).toHaveText(['(unnamed)', 'alpha', 'beta', 'Another name…']);
    await shot('namespaces');
    await page.keyboard.press('Escape');
    await use(page, 'beta');
    await expect(page.getByRole('link', { name: 'OfBeta' })).toBeVisible();
    await use(page, 'alpha');
    await expect(page.getByRole('link', { name: 'Shared' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'OfBeta' })).toBeHidden();
    await useOther(page, 'gamma');
    await expect(page.getByRole('heading', { name: 'This namespace has no tables yet' })).toBeVisible();
    await expect(menu(page)).toHaveText(/Namespace: gamma/);
    expect(await names(server)).toEqual(before);
  });

  test('the namespace is shown on every page', async ({ go, page, server }) => {
    test.setTimeout(120_000);
    server.headers = named('alpha');
    await makeMusic(server);
    await go('tables');
    await use(page, 'alpha');
    for (const path of PLACES) {
      await go(path);
      await expect(page.locator('main h1')).toBeVisible();
      for (const width of [1440, 640]) {
        await page.setViewportSize({ width, height: 800 });
        await showsNamespace(page, 'alpha', `${path} at ${width} pixels`);
      }
    }
  });

  test('dialogs that destroy name server and namespace', async ({ go, page, server }) => {
    test.setTimeout(120_000);
    await createShared(server, named('alpha'));
    await createShared(server, {});
    await go('tables');
    await destroying(page, go, server, '(unnamed)');
    await use(page, 'alpha');
    await destroying(page, go, server, 'alpha');
  });

  test('history and saved queries are kept apart', async ({ go, page, server }) => {
    for (const each of ['alpha', 'beta']) await createShared(server, named(each));
    await go('tables');
    await use(page, 'alpha');
    await page.getByRole('row', { name: /Shared/ }).getByRole('link', { name: 'Explore' }).click();
    await page.getByTestId('run').click();
    const saved = page.getByRole('button', { name: 'Saved and history' });
    const dialog = page.getByRole('dialog');
    await saved.click();
    await dialog.getByRole('textbox').fill('mine');
    await dialog.getByRole('button', { name: 'Save' }).click();
    for (const [namespace, count] of [['beta', 0], ['alpha', 1]] as const) {
      await go('tables');
      await use(page, namespace).catch(() => undefined);
      await go('explore/Shared');
      await expect(menu(page)).toHaveText(new RegExp(`Namespace: ${namespace}`));
      await saved.click();
      await expect(dialog.getByRole('heading', { name: /saved quer/ })).toHaveText(new RegExp(count ? '^1 saved query' : '^(No|0) saved quer'));
      await expect(dialog.getByRole('button', { name: 'mine', exact: true })).toHaveCount(count);
      await page.keyboard.press('Escape');
    }
  });

  test('the sample does not go on in a namespace that was chosen meanwhile', async ({ open, page, server }) => {
    await create(server, 'SampleTickets', 'other');
    await open('tables');
    const creation = await hold(page, 'CreateTable');
    await page.getByRole('button', { name: 'Load a sample' }).click();
    await creation.sent;
    await use(page, 'other');
    creation.release();
    await expect(page.getByText('The namespace was changed meanwhile')).toBeVisible();
    expect((await server.call('Scan', { TableName: 'SampleTickets' }, named('other'))).Count).toBe(0);
  });
});

test.describe('by key', () => {
  test.use({ serverOptions: ['--namespaces', 'key'] });

  test('without a login the menu chooses the key', async ({ go, page, server }) => {
    test.setTimeout(120_000);
    await createShared(server, keyed('alpha'));
    await createShared(server, keyed('console'));
    await go('tables');
    await expect(menu(page)).toHaveText(/Namespace: console/);
    await menu(page).click();
    await expect(page.getByRole('menuitem')).toHaveText(['console', 'alpha', 'Another name…']);
    await page.keyboard.press('Escape');
    await use(page, 'alpha');
    await destroying(page, go, server, 'alpha');
  });

  test('a login leads to the namespace of its key, which is shown and named', async ({ page }) => {
    const server = new Server();
    const credentials = join(server.folder, 'credentials');
    const [key, secret] = ['AKIAOWNER00000000001', 'owner-secret-0123456789-owner-secret'];
    writeFileSync(credentials, `[owner]\naws_access_key_id = ${key}\naws_secret_access_key = ${secret}\n`, { mode: 0o600 });
    await server.start(['--namespaces', 'key', '--credentials', credentials]);
    try {
      await page.goto(`${server.url}/console/tables/new`);
      await page.getByLabel('Access key ID').fill(key);
      await page.getByLabel('Secret access key').fill(secret);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Table name').fill('Mine');
      await page.getByLabel('Partition key: attribute').fill('pk');
      await page.getByTestId('create').click();
      await expect(page).toHaveURL(/tables\/Mine$/);
      await expect(page.getByRole('button', { name: `namespace ${key}` })).toBeVisible();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await expect(page.getByRole('dialog')).toContainText(`namespace: ${key}`);
      await page.keyboard.press('Escape');
      // The table is in the namespace of this key: a later login finds it.
      await page.reload();
      await page.getByLabel('Access key ID').fill(key);
      await page.getByLabel('Secret access key').fill(secret);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('heading', { name: 'Mine', level: 1 })).toBeVisible();
    } finally {
      await server.stop();
    }
  });
});
