/** Vector search, binary values from files, and what is copied from the grid. */
import type { Page } from '@playwright/test';
import { expect, type Server, test } from './fixtures.ts';
import { column } from './grid.ts';

async function createBooks(server: Server): Promise<void> {
  await server.call('CreateTable', {
    TableName: 'Books',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['Title', 'Shelf'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
    VectorIndexes: [{
      IndexName: 'by-meaning', VectorAttribute: { AttributeName: 'Meaning' }, Dimensions: 3, DistanceFunction: 'COSINE', Projection: { ProjectionType: 'ALL' },
      SearchSchema: [{ AttributeName: 'Shelf', SearchSchemaElementType: 'INLINE_FILTER' }],
    }],
  });
  const books: [string, string, string[]][] = [['Whales', 'sea', ['0.9', '0.1', '0']], ['Ships', 'sea', ['0.5', '0.5', '0']], ['Peaks', 'land', ['0', '0.1', '0.9']]];
  await server.putItems('Books', books.map(([title, shelf, vector]) => ({ Title: { S: title }, Shelf: { S: shelf }, Meaning: { L: vector.map((N) => ({ N })) } })));
}

test('a vector index is searched: nearest first, with a filter, and items like one', async ({ open, page, server, shot }) => {
  await createBooks(server);
  await open('explore/Books');
  await page.getByRole('button', { name: 'Vector search' }).click();
  const vector = page.getByRole('textbox', { name: 'Vector' });
  await vector.fill('[1, 0]');
  await page.getByTestId('run').click();
  await expect(page.getByText('The index has 3 dimensions; 2 are given.', { exact: true })).toBeVisible();
  await vector.fill('[1, 0, 0]');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => column(page, 'Title')).toEqual(['Whales', 'Ships', 'Peaks']);
  const reply = await server.call('SearchVectors', { TableName: 'Books', IndexName: 'by-meaning', TopK: 10, SearchVector: ['1', '0', '0'].map((N) => ({ N })), ReturnConsumedCapacity: 'TOTAL' });
  expect(await column(page, 'Score')).toEqual(reply.SearchResults.map((each: { Score: number }) => String(each.Score)));
  await expect(page.getByTestId('summary')).toContainText('3 items');
  await expect(page.getByTestId('summary')).toContainText('searched');
  await shot('search');

  await page.getByLabel('Shelf =').fill('land');
  await page.getByTestId('run').click();
  await expect.poll(() => column(page, 'Title')).toEqual(['Peaks']);
  await expect(page).toHaveURL(/mode=search.*where=/);
  await page.reload();
  await expect.poll(() => column(page, 'Title')).toEqual(['Peaks']);

  // The reply of a search has no vectors, so the item's own is read.
  await page.getByRole('grid').focus();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Selected' }).click();
  await page.getByRole('menuitem', { name: 'Find items with similar vectors' }).click();
  await expect(vector).toHaveValue('[0, 0.1, 0.9]');
  await expect.poll(() => column(page, 'Title')).toEqual(['Peaks', 'Ships', 'Whales']);
  await page.getByText('Scan', { exact: true }).click();
  await page.getByTestId('run').click();
  await expect(page.getByTestId('summary')).toContainText('read unit');
});

/** Into a field of the page and back: what any program would get. */
async function pasted(page: Page): Promise<string> {
  await page.getByRole('textbox', { name: 'Attributes' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
  return page.getByRole('textbox', { name: 'Attributes' }).inputValue();
}

test('values and items are copied without the clipboard API, as on plain http; columns are chosen', async ({ open, page, server, shot }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await server.createTable('Music');
  await server.putItems('Music', ['1', '2'].map((sk) => ({ pk: { S: 'a' }, sk: { S: sk }, price: { N: `1234567890123456789012345678901234567${sk}` }, tags: { SS: ['x', 'y'] }, note: { S: 'n' } })));
  await open('explore/Music?mode=query&pk=a');
  await expect.poll(() => column(page, 'sk')).toEqual(['1', '2']);
  const grid = page.getByRole('grid');
  await grid.getByText('12345678901234567890123456789012345672').click();
  await page.keyboard.press('Control+c');
  await expect(page.getByText('Value copied.')).toBeVisible();
  expect(await pasted(page)).toBe('12345678901234567890123456789012345672');
  await grid.focus();
  await page.keyboard.press('Shift+C');
  await expect(page.getByText('1 item copied as JSON.')).toBeVisible();
  expect(await pasted(page)).toContain('"price": 12345678901234567890123456789012345672');
  await grid.focus();
  for (const key of ['x', 'k', 'x']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('menuitem', { name: '2 items as DynamoDB JSON' }).click();
  await expect(page.getByText('2 items copied as DynamoDB JSON.')).toBeVisible();
  expect(JSON.parse(await pasted(page)).map((each: { tags: object }) => each.tags)).toEqual([{ SS: ['x', 'y'] }, { SS: ['x', 'y'] }]);

  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('pk')).toBeDisabled();
  await dialog.getByLabel('tags').uncheck();
  await shot('columns');
  await page.keyboard.press('Escape');
  expect(await column(page, 'tags')).toEqual([]);
  expect(await column(page, 'note')).toEqual(['n', 'n']);
  await expect(page).toHaveURL(/hide=tags/);
  await expect(page.getByRole('button', { name: 'Columns (1 hidden)' })).toBeVisible();
});

test('binary values come from files: in the item, in the key condition and in a filter', async ({ open, page, server }) => {
  await server.call('CreateTable', {
    TableName: 'Blobs', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'B' }], KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
  const file = (bytes: number[]) => ({ name: 'value.bin', mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) });
  const pick = async (name: string, bytes: number[]) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: `${name} from a file` }).click();
    await (await chooser).setFiles(file(bytes));
  };
  const all = Array.from({ length: 256 }, (_, at) => at);
  await open('item/Blobs?new=1');
  await pick('Value of id', [0, 255, 10]);
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page.getByLabel('Name of the new attribute').fill('data');
  await page.getByLabel('Type of data').selectOption({ label: 'Binary' });
  await pick('Value of data', all);
  await expect(page.getByText('256 bytes', { exact: true })).toBeVisible();
  await page.getByTestId('save').click();
  await expect.poll(async () => (await server.call('Scan', { TableName: 'Blobs' })).Items).toEqual([{ id: { B: 'AP8K' }, data: { B: Buffer.from(all).toString('base64') } }]);

  await open('explore/Blobs?mode=query&pk=');
  await pick('id =', [0, 255, 10]);
  await expect(page.getByLabel('id =', { exact: true })).toHaveValue('AP8K');
  await open('explore/Blobs?filter=' + encodeURIComponent('["=","data","B",""]'));
  await pick('Value for data', all);
  await page.getByTestId('run').click();
  await expect(page.getByTestId('summary')).toContainText('1 of 1 match');

  await pick('Value for data', Array.from({ length: 409_601 }, () => 1));
  await expect(page.getByText('value.bin has 409,601 bytes. An item may have 409,600.')).toBeVisible();
});
