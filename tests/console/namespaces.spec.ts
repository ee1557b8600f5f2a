/** Namespaces by header and by key: listed, switched, kept apart, always shown. */
import type { Page } from '@playwright/test';
import { expect, hold, type Server, test } from './fixtures.ts';

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

test.describe('by header', () => {
  test.use({ serverOptions: ['--namespaces', 'header'] });

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
