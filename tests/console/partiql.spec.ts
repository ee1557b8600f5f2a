/** PartiQL by clicks: statements with parameters, batches, transactions, and where a fault is. */
import { expect, test } from './fixtures.ts';
import { choose, column } from './grid.ts';

test('a statement with parameters, page by page', async ({ open, page, server, shot }) => {
  await server.createTable('Music');
  await server.putItems('Music', Array.from({ length: 5 }, (_, n) => ({ pk: { S: "o'Brien" }, sk: { S: `s${n}` }, price: { N: String(n) } })));
  await open('partiql');
  await page.getByRole('textbox', { name: 'Statement', exact: true }).fill('SELECT * FROM Music WHERE pk = ? AND price >= ?');
  await page.getByLabel('Value of parameter 1').fill("o'Brien");
  await choose(page, 'Type of parameter 2', 'Number');
  await page.getByLabel('Value of parameter 2').fill('1');
  await page.getByLabel('Items a page').fill('3');
  await page.getByTestId('run').click();
  await expect.poll(() => column(page, 'sk')).toEqual(['s1', 's2']);
  await expect(page.getByTestId('summary')).toContainText('there is more');
  await page.getByRole('button', { name: 'Read on' }).click();
  await expect.poll(() => column(page, 'sk')).toEqual(['s1', 's2', 's3', 's4']);
  await shot('partiql');
  await page.reload();
  await expect(page.getByLabel('Value of parameter 1')).toHaveValue("o'Brien");
  await page.getByTestId('run').click();
  await expect.poll(() => column(page, 'sk')).toEqual(['s1', 's2']);
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: "o'Brien · s1" })).toBeVisible();
});

test('the place of a fault is marked', async ({ open, page, server, shot }) => {
  await server.createTable('Music');
  await open('partiql');
  const editor = page.getByRole('textbox', { name: 'Statement', exact: true });
  const selected = () => editor.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));
  for (const [statement, line, at] of [
    ['SELECT *\nFROM Music\nWHERE pk == 1', 'Go to line 3, column 11', '='],
    ['SELEC * FROM Music', 'Go to line 1, column 1', 'SELEC'],
    ["SELECT * FROM Music WHERE pk = 'a", 'Go to line 1, column 32', "'a"],
    ['SELECT * FROM Music GROUP BY pk', 'Go to line 1, column 30', 'pk'],
  ] as const) {
    await editor.fill(statement);
    await editor.press('Control+Enter');
    const button = page.getByTestId('statement-fault').getByRole('button', { name: line });
    await button.click();
    expect(await selected()).toBe(at);
  }
  await shot('partiql-fault');
});

test('a batch runs each statement by itself, a transaction all or none', async ({ open, page, server }) => {
  await server.createTable('Music');
  const items = async () => (await server.call('Scan', { TableName: 'Music' })).Items as { sk: { S: string } }[];
  await open('partiql?mode=transaction');
  const insert = (sk: string) => `INSERT INTO Music VALUE {'pk': 'a', 'sk': '${sk}'}`;
  await page.getByLabel('Statement 1', { exact: true }).fill(insert('1'));
  await page.getByRole('button', { name: 'Add a statement' }).click();
  await page.getByLabel('Statement 2', { exact: true }).fill(insert('2'));
  await page.getByTestId('run').click();
  await expect(page.getByTestId('summary')).toContainText('done');
  expect((await items()).map((each) => each.sk.S)).toEqual(['1', '2']);

  await page.getByLabel('Statement 1', { exact: true }).fill(insert('3'));
  await page.getByTestId('run').click();
  await expect(page.getByTestId('statement-fault')).toContainText('DuplicateItem');
  expect((await items()).map((each) => each.sk.S)).toEqual(['1', '2']);

  await page.getByText('Batch', { exact: true }).click();
  await page.getByTestId('run').click();
  await expect(page.getByText('1 statement of 2 failed; the others were run.')).toBeVisible();
  await expect(page.getByTestId('statement-fault')).toHaveCount(1);
  expect((await items()).map((each) => each.sk.S)).toEqual(['1', '2', '3']);

  await page.getByRole('button', { name: /switch to read-only/ }).click();
  await expect(page.getByTestId('run')).toBeDisabled();
});

test('a transaction whose reply is lost is not run twice', async ({ open, page, server }) => {
  await server.createTable('Music');
  let sent = 0;
  await page.route('**/', async (route) => {
    if (!route.request().headers()['x-amz-target']?.endsWith('.ExecuteTransaction') || sent++) return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await open('partiql?mode=transaction');
  await page.getByLabel('Statement 1', { exact: true }).fill("INSERT INTO Music VALUE {'pk': 'a', 'sk': '1'}");
  await page.getByTestId('run').click();
  await expect(page.getByTestId('summary')).toContainText('done');
  expect(sent).toBe(2);
  // The next run is another transaction.
  await page.getByTestId('run').click();
  await expect(page.getByTestId('statement-fault')).toContainText('DuplicateItem');
});
