/** What somebody meets who has never seen the console. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';

const ITEM = { pk: { S: 'a' }, sk: { S: '1' }, status: { S: 'OPEN' }, total: { N: '5' } };

test('a dialog is typed into at once, also after the page of models', async ({ open, page, server }) => {
  await server.createTable('Music');
  await open('models');
  await page.getByRole('button', { name: 'New model' }).click();
  await expect(page).toHaveURL(/models\/./);
  await page.getByRole('link', { name: 'Tables', exact: true }).click();
  await page.getByRole('link', { name: 'Music', exact: true }).click();
  await page.getByRole('tab', { name: /Indexes/ }).click();
  await page.getByRole('button', { name: 'Add global index' }).click();
  await expect(page.getByLabel('Index name')).toBeFocused();
  const field = await page.getByLabel('Partition key: attribute').boundingBox();
  expect(field!.width, 'room for a name').toBeGreaterThan(120);
});

test('a message comes and goes, and the page stays where it is', async ({ open, page }) => {
  await open('tables');
  await page.getByRole('button', { name: 'Load a sample' }).click();
  const done = page.getByText('Table SampleTickets has 30 items.');
  await expect(done).toBeVisible();
  const place = async () => (await page.getByRole('link', { name: 'SampleTickets', exact: true }).boundingBox())!.y;
  const before = await place();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(done).toBeHidden();
  expect(await place()).toBe(before);
  // Import and export are where the table is.
  await page.getByRole('link', { name: 'SampleTickets', exact: true }).click();
  await page.getByRole('main').getByRole('link', { name: 'Export', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Table SampleTickets' })).toBeVisible();
});

test('an item is typed without a click between its fields', async ({ open, page, server }) => {
  await server.createTable('Music');
  await open('item/Music?new=1');
  await expect(page.getByLabel('Value of pk')).toBeFocused();
  await page.keyboard.type('a');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Value of sk')).toBeFocused();
  await page.keyboard.type('1');
  await page.getByRole('button', { name: '+ Add attribute' }).click();
  await expect(page.getByLabel('Name of the new attribute')).toBeFocused();
  await page.keyboard.type('tags');
  await page.getByLabel('Type of tags').selectOption('String set');
  await expect(page.getByText('1 member', { exact: true })).toBeVisible();
  await page.getByLabel('Value of tags[0]').fill('x');
  await page.getByRole('button', { name: '+ Add a member' }).click();
  await expect(page.getByLabel('Value of tags[1]')).toBeFocused();
  await page.keyboard.type('y');
  await page.getByTestId('save').click();
  await expect(page.getByText(/The item is saved/)).toBeVisible();
  expect((await server.call('Scan', { TableName: 'Music' })).Items[0].tags.SS.sort()).toEqual(['x', 'y']);

  // A duplicate with the same key: what to do is said, and nothing that is the same is asked for.
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByTestId('save').click();
  const conflict = page.getByTestId('conflict');
  await expect(conflict).toContainText('Give the new item another key');
  await expect(conflict.getByRole('row')).toHaveCount(0);
  await expect(conflict.getByRole('button')).toHaveText(['Close']);
  await page.getByRole('button', { name: '+ Add attribute' }).click();
  await expect(page.getByLabel('Name of the new attribute')).toBeFocused();
  await page.keyboard.type('note');
  await page.getByTestId('save').click();
  await expect(conflict.getByRole('row')).toHaveCount(2);
  await expect(conflict.getByRole('row', { name: /^note/ })).toBeVisible();
});

test('the grid shows the way into an item, and stands still when one is selected', async ({ open, page, server }) => {
  await server.createTable('Music');
  await server.putItems('Music', [ITEM, { ...ITEM, sk: { S: '2' } }]);
  await open('explore/Music?mode=query&pk=a&attributes=sk,total');
  const rows = page.getByRole('grid').getByRole('row');
  await expect(rows).toHaveCount(3);
  const place = async () => (await rows.nth(2).boundingBox())!.y;
  const before = await place();
  await rows.nth(2).locator('.grid-check').click();
  await expect(page.getByText('1 item selected')).toBeVisible();
  expect(await place()).toBe(before);

  // The console reads the key as well; the code asks for what was chosen.
  await page.getByRole('button', { name: 'Request as code' }).click();
  await page.getByText('JSON', { exact: true }).first().click();
  const code = page.locator('.code-block').first();
  await expect(code).toContainText('"ProjectionExpression": "#n1, #n2"');
  await expect(code).toContainText('"#n1": "sk"');
  await rows.nth(1).getByText('a', { exact: true }).click();
  await expect(page.getByRole('heading', { name: 'a · 1' })).toBeVisible();
});

test('the columns of a CSV file get their types in the preview', async ({ open, page, server }) => {
  await server.createTable('Music');
  const file = join(server.folder, 'rows.csv');
  writeFileSync(file, 'pk,sk,total,zip,none\na,1,12.50,00045,\na,2,12 EUR,00046,\na,3,1,00047,\n');
  await open('import?table=Music');
  await page.getByTestId('import-file').setInputFiles(file);
  await expect(page.getByLabel('Type of column total')).toHaveValue('S');
  await expect(page.getByLabel('Type of column pk')).toHaveCount(0);
  await page.getByLabel('Type of column none').selectOption('Number');
  await page.getByLabel('Type of column total').selectOption('Number');
  await expect(page.getByText('1 row of these would be refused.')).toBeVisible();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Failed rows' }).getByRole('row', { name: /^2 .*total/ })).toBeVisible();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Failed rows' }).click()]);
  const failed = readFileSync(await download.path(), 'utf8');
  expect(failed).toBe('pk,sk,total,zip,none\na,2,12 EUR,00046,\n');
  // The mended file is read with the same types.
  writeFileSync(file, failed.replace('12 EUR', '12'));
  await page.getByTestId('import-file').setInputFiles(file);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('1 item was written.')).toBeVisible();
  const { Items } = await server.call('Query', {
    TableName: 'Music', KeyConditionExpression: 'pk = :a', ExpressionAttributeValues: { ':a': { S: 'a' } },
  });
  expect(Items.map((each: typeof ITEM) => each.total)).toEqual([{ N: '12.5' }, { N: '12' }, { N: '1' }]);
  expect(Items[0].zip).toEqual({ S: '00045' });
});
