/** Login where signatures are verified: temporary credentials, remedies, refusals that name the action. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, Server, test as base } from './fixtures.ts';

const KEYS = {
  root: ['AKIAROOT000000000001', 'root-secret-0123456789-root-secret'],
  reader: ['AKIAREADER0000000002', 'reader-secret-0123456789-reader-sec'],
} as const;

const IDENTITIES = {
  UserDetailList: [
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

const test = base.extend<{ verified: Server }>({
  verified: async ({}, use) => {
    const server = new Server();
    const [credentials, identities] = [join(server.folder, 'credentials'), join(server.folder, 'identities.json')];
    const profile = (name: keyof typeof KEYS) => `[${name}]\naws_access_key_id = ${KEYS[name][0]}\naws_secret_access_key = ${KEYS[name][1]}\n`;
    writeFileSync(credentials, profile('root') + profile('reader'), { mode: 0o600 });
    writeFileSync(identities, JSON.stringify(IDENTITIES));
    await server.start(['--credentials', credentials, '--identities', identities]);
    await use(server);
    await server.stop();
  },
});

async function signIn(page: Page, user: keyof typeof KEYS): Promise<void> {
  await page.getByLabel('Access key ID').fill(KEYS[user][0]);
  await page.getByLabel('Secret access key').fill(KEYS[user][1]);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('root signs in, creates a table, signs out; nothing secret is stored', async ({ page, verified, shot }) => {
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
  await page.getByRole('button', { name: 'Create table' }).click();
  await page.getByLabel('Table name').fill('Forbidden');
  await page.getByLabel('Partition key: attribute').fill('pk');
  await page.getByTestId('create').click();
  await expect(page.getByText('A policy of this user must allow dynamodb:CreateTable.')).toBeVisible();
  await expect(page.getByTestId('error-text')).toContainText('user/reader is not authorized to perform: dynamodb:CreateTable');
  await shot('refused');
});
