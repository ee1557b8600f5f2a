/** The console opens, shows a table, and keeps its policy: in light and dark, and from a deep link. */
import { expect, test } from './fixtures.ts';

test('a new server offers a table, a sample and commands', async ({ open, page, shot }) => {
  await open();
  await expect(page.getByRole('heading', { name: 'This server has no tables yet' })).toBeVisible();
  await expect(page.locator('pre')).toContainText('aws dynamodb create-table');
  await shot('empty');
  await page.getByRole('button', { name: 'Load a sample' }).click();
  await expect(page.getByRole('link', { name: 'SampleTickets' })).toBeVisible();
  await expect(page.getByRole('row', { name: /SampleTickets/ })).toContainText('30');
  await shot('tables');
});

test('a deep link, Back, and a page that does not exist', async ({ open, page, server }) => {
  await server.createTable('my.table-1');
  await open('tables/my%2Etable-1?tab=code');
  await expect(page.getByRole('heading', { name: 'my.table-1' })).toBeVisible();
  await expect(page.locator('pre')).toContainText('--table-name my.table-1');
  await page.getByRole('link', { name: 'Tables', exact: true }).click();
  await expect(page).toHaveURL(/\/console\/tables$/);
  await page.goBack();
  await expect(page.locator('pre')).toContainText('--table-name my.table-1');
  await page.reload();
  await expect(page.locator('pre')).toContainText('--table-name my.table-1');
  await open('nothing/here');
  await expect(page.getByText('There is no page')).toBeVisible();
});

test('dark and compact are kept', async ({ open, page, server, shot }) => {
  await server.createTable('Music');
  await open();
  const bar = page.getByRole('button', { name: 'Appearance and keys' });
  await bar.click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await bar.click();
  await page.getByRole('menuitem', { name: 'Compact' }).click();
  await expect(page.locator('body')).toHaveClass(/awsui-dark-mode/);
  await page.reload();
  await expect(page.locator('body')).toHaveClass(/awsui-dark-mode.*awsui-compact-mode/);
  await expect(page.getByRole('link', { name: 'Music' })).toBeVisible();
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [red] = /\d+/.exec(background)!;
  expect(Number(red), `the background of dark mode: ${background}`).toBeLessThan(64);
  await shot('tables-dark');
});

test('the palette and the keys', async ({ open, page, server, shot }) => {
  await server.createTable('Orders');
  await server.createTable('Music');
  await open();
  await expect(page.getByRole('link', { name: 'Music' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Page or table' })).toBeFocused();
  await page.keyboard.type('ord');
  await expect(page.getByRole('option')).toHaveCount(2);
  await shot('palette');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/tables\/Orders/);
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await expect(page).toHaveURL(/\/console\/tables$/);
  await expect(page.getByRole('link', { name: 'Orders' })).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('mus');
  await expect(page.getByRole('link', { name: 'Orders' })).toBeHidden();
  await expect(page).toHaveURL(/filter=mus/);
  await page.keyboard.press('Tab');
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Command palette');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('without the server the page says so', async ({ open, page, server }) => {
  await open();
  await expect(page.getByRole('heading', { name: 'This server has no tables yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Any operation' }).click();
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
  await server.stop();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByTestId('error-text')).toContainText('cannot be reached');
  await page.keyboard.press('Control+k');
  await expect(page.getByText('This part of the console could not be loaded')).toBeVisible();
});

test('the files: policy, caching, no secrets in storage', async ({ open, page, server }) => {
  await open();
  await expect(page.getByRole('heading', { name: 'This server has no tables yet' })).toBeVisible();
  const index = await page.request.get(`${server.url}/console/`);
  expect(index.headers()['content-security-policy']).toContain("default-src 'none'");
  const script = /src="([^"]+\.js)"/.exec(await index.text())![1]!;
  const reply = await page.request.get(server.url + script);
  expect(reply.headers()['cache-control']).toContain('immutable');
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toMatch(/secret|token/i);
});
