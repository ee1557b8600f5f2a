/** Login where signatures are verified: temporary credentials, remedies, refusals that name the action. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { serious, seriousInBoth } from './axe.ts';
import { expect, goInside, hold, Server, test as base } from './fixtures.ts';

const KEYS = {
  root: ['AKIAROOT000000000001', 'root-secret-0123456789-root-secret'],
  reader: ['AKIAREADER0000000002', 'reader-secret-0123456789-reader-sec'],
  blind: ['AKIABLIND00000000003', 'blind-secret-0123456789-blind-secre'],
} as const;

const IDENTITIES = {
  UserDetailList: [
    { UserName: 'blind' },
    {
      UserName: 'reader',
      UserPolicyList: [
        {
          PolicyName: 'lists',
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [{ Effect: 'Allow', Action: ['dynamodb:ListTables', 'dynamodb:DescribeTable'], Resource: '*' }],
          },
        },
      ],
    },
  ],
};

const test = base.extend<{ verified: Server; options: string[] }>({
  options: async ({}, use) => use([]),
  verified: async ({ options }, use) => {
    const server = new Server();
    const [credentials, identities] = [join(server.folder, 'credentials'), join(server.folder, 'identities.json')];
    const profile = (name: keyof typeof KEYS) => `[${name}]\naws_access_key_id = ${KEYS[name][0]}\naws_secret_access_key = ${KEYS[name][1]}\n`;
    writeFileSync(credentials, profile('root') + profile('reader') + profile('blind'), { mode: 0o600 });
    writeFileSync(identities, JSON.stringify(IDENTITIES));
    options.push('--credentials', credentials, '--identities', identities, '--data', join(server.folder, 'data'), '--log-level', 'debug');
    await server.start(options);
    await use(server);
    await server.stop();
  },
});

async function signIn(page: Page, user: keyof typeof KEYS): Promise<void> {
  await page.getByLabel('Access key ID').fill(KEYS[user][0]);
  await page.getByLabel('Secret access key').fill(KEYS[user][1]);
  // Beside the login over a page there may be a button that opens it.
  await page.locator('form').getByRole('button', { name: 'Sign in' }).click();
}

async function createAsRoot(page: Page, server: Server, table: string): Promise<void> {
  await page.goto(`${server.url}/console/tables/new`);
  await signIn(page, 'root');
  await page.getByLabel('Table name').fill(table);
  await page.getByLabel('Partition key: attribute').fill('id');
  await page.getByTestId('create').click();
  await expect(page).toHaveURL(new RegExp(`tables/${table}$`));
}

test('root signs in, creates a table, signs out; the secret is stored, sent and logged nowhere', async ({ page, verified, shot }) => {
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('request', (request) => said.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? ''));
  await page.goto(`${verified.url}/console/tables/new`);
  await expect(page.getByRole('heading', { name: 'Sign in to Partita' })).toBeVisible();
  await shot('login');
  await signIn(page, 'root');
  await page.getByLabel('Table name').fill('Signed');
  await page.getByLabel('Partition key: attribute').fill('pk');
  await page.getByTestId('create').click();
  await expect(page).toHaveURL(/tables\/Signed$/);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) + location.href);
  for (const [key, secret] of Object.values(KEYS)) {
    expect(kept).not.toContain(key);
    expect(kept).not.toContain(secret);
  }
  await page.getByRole('button', { name: /root/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Partita' })).toBeVisible();
  await signIn(page, 'root');
  await expect(page.getByRole('heading', { name: 'Signed' })).toBeVisible();
  expect(said.length).toBeGreaterThan(20);
  expect(said.join('\n')).not.toContain(KEYS.root[1]);
  expect(verified.log.length).toBeGreaterThan(200);
  expect(verified.log).not.toContain(KEYS.root[1]);
});

test('each fault has its remedy at its field', async ({ page, verified }) => {
  await page.goto(`${verified.url}/console/`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('An access key is needed.')).toBeVisible();
  await page.getByLabel('Access key ID').fill('AKIANOBODY0000000003');
  await page.getByLabel('Secret access key').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('does not know this access key')).toBeVisible();
  await page.getByLabel('Access key ID').fill(KEYS.root[0]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('The secret does not belong to this access key')).toBeVisible();
  await page.getByLabel('Secret access key').fill(KEYS.root[1]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: /no tables yet/ })).toBeVisible();
});

test('a reload asks again, unless this tab may keep temporary credentials', async ({ page, verified }) => {
  await page.goto(`${verified.url}/console/`);
  await signIn(page, 'root');
  await expect(page.getByRole('heading', { name: /no tables yet/ })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Sign in to Partita' })).toBeVisible();
  await page.getByText('Stay signed in when this tab is reloaded').click();
  await signIn(page, 'root');
  await expect(page.getByRole('heading', { name: /no tables yet/ })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: /no tables yet/ })).toBeVisible();
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
  expect(kept).toContain('sessionToken');
  expect(kept).not.toContain(KEYS.root[1]);
});

test('a refusal names the action that is missing', async ({ page, verified, shot }) => {
  await page.goto(`${verified.url}/console/`);
  await signIn(page, 'reader');
  await expect(page.getByRole('heading', { name: /no tables yet/ })).toBeVisible();
  await expect(page.locator('.code-block')).not.toContainText('AWS_ACCESS_KEY_ID=any');
  await page.getByRole('button', { name: 'Create table' }).click();
  await page.getByLabel('Table name').fill('Forbidden');
  await page.getByLabel('Partition key: attribute').fill('pk');
  await page.getByTestId('create').click();
  await expect(page.getByText('A policy of this user must allow dynamodb:CreateTable.')).toBeVisible();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the policy for the administrator' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).Statement).toEqual([
    { Effect: 'Allow', Action: 'dynamodb:CreateTable', Resource: expect.stringMatching(/^arn:aws:dynamodb:.*:table\/Forbidden$/) },
  ]);
  await expect(page.getByTestId('error-text')).toContainText('user/reader is not authorized to perform: dynamodb:CreateTable');
  await shot('refused');
});

test('axe finds nothing in the login', async ({ page, settled, verified }) => {
  test.setTimeout(120_000);
  await page.goto(`${verified.url}/console/`);
  await expect(page.getByRole('heading', { name: 'Sign in to Partita' })).toBeVisible();
  const faults = await seriousInBoth(page, settled);
  // With faults, and everything unfolded.
  await page.getByRole('button', { name: 'Session token' }).click();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('An access key is needed.')).toBeVisible();
  faults.push(...(await seriousInBoth(page, settled)));
  await page.getByLabel('Access key ID').fill(KEYS.root[0]);
  await page.getByLabel('Secret access key').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('The secret does not belong to this access key')).toBeVisible();
  faults.push(...(await seriousInBoth(page, settled)));
  expect(faults).toEqual([]);
});

test('credentials that run out open the login over the page, and nothing typed is lost', async ({ page, verified, options, shot }) => {
  test.setTimeout(120_000);
  await createAsRoot(page, verified, 'Things');
  await page.goto(`${verified.url}/console/item/Things?new=1`);
  await signIn(page, 'root');
  await page.getByLabel('Value of id').fill('typed before');

  await verified.restart([...options, '--clock', '+61m']);
  await page.getByTestId('save').click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await expect(dialog).toContainText('The security token included in the request is expired');
  expect(await serious(page)).toEqual([]);
  await shot('login-over');
  await signIn(page, 'root');
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel('Value of id')).toHaveValue('typed before');
  await page.getByTestId('save').click();
  await expect(page).toHaveURL(/key=/);
  await expect(page.getByRole('heading', { name: 'typed before', level: 1 })).toBeVisible();
});

test('who signs in over the page of somebody else sees no tables of theirs', async ({ page, verified, options }) => {
  test.setTimeout(120_000);
  await createAsRoot(page, verified, 'Secrets');
  await page.getByRole('link', { name: 'Tables', exact: true }).click();
  await expect(page.getByRole('link', { name: 'Secrets' })).toBeVisible();
  await verified.restart([...options, '--clock', '+61m']);
  await page.keyboard.press('r');
  await expect(page.getByRole('dialog', { name: 'Sign in again' })).toBeVisible();
  await signIn(page, 'blind');
  await expect(page.getByText('must allow dynamodb:ListTables')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Secrets' })).toBeHidden();
});

test('a late refusal of credentials that were replaced meanwhile leaves the login closed', async ({ page, verified, options, settled }) => {
  test.setTimeout(120_000);
  await createAsRoot(page, verified, 'Things');
  await goInside(page, 'item/Things?new=1');
  const put = await hold(page, 'PutItem');
  await page.getByLabel('Value of id').fill('a');
  await page.getByTestId('save').click();
  await put.sent;
  await verified.restart([...options, '--clock', '+61m']);
  page.once('dialog', (question) => void question.accept()); // the item is not saved yet
  await goInside(page, 'tables');
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await expect(dialog).toBeVisible();
  await signIn(page, 'root');
  await expect(dialog).toBeHidden();
  const late = page.waitForResponse((response) => !!response.request().headers()['x-amz-target']?.endsWith('.PutItem'));
  put.release();
  expect((await late).status()).toBe(400);
  await settled();
  await expect(dialog).toBeHidden();
});
