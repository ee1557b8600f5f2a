/** Import and export: every type there and back, failed rows, pause and stop. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, type Json, type Server, slowWorkers, test, watchWorkers } from './fixtures.ts';

const DIGITS = '12345678901234567890123456789012345678';
const ITEMS: Json[] = [
  {
    pk: { S: 'all' }, sk: { S: '1' }, '#': { N: DIGITS }, 'a.b:S': { B: 'AAEC' }, _version: { BOOL: false }, size: { NULL: true }, empty: { S: '' },
    m: { M: { x: { L: [{ N: '-0.001' }, { S: '😀 "quoted", \nlines; = ' }] } } }, ss: { SS: ['"', 'a,b'] }, ns: { NS: ['1', '2.5'] }, bs: { BS: ['AA=='] }, l: { L: [] },
  },
  { pk: { S: 'all' }, sk: { S: ' 2,"\r\n' }, '#': { S: '=1+1' }, _version: { S: 'true' } },
];

async function exported(page: Page, open: (path: string) => Promise<void>, table: string, format: string): Promise<string> {
  await open(`export?table=${table}`);
  await page.getByText(format, { exact: true }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export', exact: true }).click()]);
  return download.path();
}

async function choose(page: Page, open: (path: string) => Promise<void>, table: string, file: string): Promise<void> {
  await open(`import?table=${table}`);
  await page.getByTestId('import-file').setInputFiles(file);
  await expect(page.getByRole('heading', { name: /Preview/ })).toBeVisible();
}

const run = (page: Page) => page.getByTestId('import-run');
async function figure(page: Page, name: string): Promise<number> {
  const text = await run(page).locator('.transfer-figure').filter({ has: page.getByText(name, { exact: true }) }).locator('b').innerText();
  return Number(text.replaceAll(',', ''));
}

async function itemsOf(server: Server, table: string): Promise<Json[]> {
  const { Items } = await server.call('Scan', { TableName: table });
  for (const item of Items) for (const set of ['ss', 'ns', 'bs']) for (const tag of ['SS', 'NS', 'BS']) item[set]?.[tag]?.sort();
  return Items.sort((a: Json, b: Json) => (a.sk.S < b.sk.S ? -1 : 1));
}

for (const format of ['DynamoDB JSON lines', 'CSV with types in the header']) {
  test(`all ten types survive an export and an import as ${format}`, async ({ open, page, server, shot }) => {
    await server.createTable('Source');
    await server.createTable('Target');
    await server.putItems('Source', ITEMS);
    await watchWorkers(page);
    const path = await exported(page, open, 'Source', format);
    const file = join(server.folder, format.startsWith('CSV') ? 'items.csv' : 'items.jsonl');
    writeFileSync(file, readFileSync(path));
    if (format.startsWith('CSV')) expect(readFileSync(file, 'utf8')).toMatch(/^pk:S,sk:S,.*a\.b:S:B/);
    await choose(page, open, 'Target', file);
    await expect(page.getByRole('grid', { name: 'Rows of the file' }).getByRole('columnheader', { name: '#:N' })).toBeVisible();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page.getByText('2 items were written.')).toBeVisible();
    expect(await itemsOf(server, 'Target')).toEqual(await itemsOf(server, 'Source'));
    if (format.startsWith('CSV')) await shot('import');
  });
}

test('plain JSON says what it loses; a list of it is imported', async ({ open, page, server }) => {
  await server.createTable('Source');
  await server.createTable('Target');
  await server.putItems('Source', ITEMS);
  const path = await exported(page, open, 'Source', 'JSON');
  await expect(page.getByText(/JSON does not keep the type of a\.b:S, bs, ns, ss/)).toBeVisible();
  const file = join(server.folder, 'items.json');
  writeFileSync(file, readFileSync(path));
  await choose(page, open, 'Target', file);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('2 items were written.')).toBeVisible();
  expect((await itemsOf(server, 'Target')).find((each) => each.sk.S === '1')!['#']).toEqual({ N: DIGITS });
});

test('failed rows are told and saved; a dry run writes nothing; the rest is written', async ({ open, page, server, shot }) => {
  await server.createTable('Music');
  const line = (item: Json) => JSON.stringify({ Item: item });
  const rows = [
    line({ pk: { S: 'a' }, sk: { S: '1' } }), '{oops', line({ pk: { S: 'a' } }), line({ pk: { S: 'a' }, sk: { S: '2' }, n: { N: 'x' } }),
    line({ pk: { S: 'a' }, sk: { S: '3' } }), line({ pk: { S: 'a' }, sk: { S: '3' }, last: { BOOL: true } }),
  ];
  const file = join(server.folder, 'rows.jsonl');
  writeFileSync(file, rows.join('\n'));
  await choose(page, open, 'Music', file);
  await expect(page.getByText('3 rows of these would be refused.')).toBeVisible();
  await page.getByRole('button', { name: 'Dry run' }).click();
  await expect(run(page).getByText('Finished').first()).toBeVisible();
  expect([await figure(page, 'Would be written'), await figure(page, 'Same key twice'), await figure(page, 'Failed')]).toEqual([2, 1, 3]);
  expect((await server.call('Scan', { TableName: 'Music' })).Count).toBe(0);

  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(run(page).getByRole('heading', { name: 'Import into Music' })).toBeVisible();
  await expect(run(page).getByText('Finished').first()).toBeVisible({ timeout: 15_000 });
  const failed = run(page).getByRole('table', { name: 'Failed rows' });
  await expect(failed.getByRole('row', { name: /sk: the key attribute is missing/ })).toBeVisible();
  await shot('import-failed');
  const { Items } = await server.call('Scan', { TableName: 'Music' });
  expect(Items).toEqual([{ pk: { S: 'a' }, sk: { S: '1' } }, { pk: { S: 'a' }, sk: { S: '3' }, last: { BOOL: true } }]);
  const [download] = await Promise.all([page.waitForEvent('download'), run(page).getByRole('button', { name: 'Failed rows' }).click()]);
  expect(readFileSync(await download.path(), 'utf8')).toBe(`${rows[1]}\n${rows[2]}\n${rows[3]}\n`);
});

test('items that exist are kept by choice', async ({ open, page, server }) => {
  await server.createTable('Music');
  await server.putItems('Music', [{ pk: { S: 'a' }, sk: { S: '1' }, v: { S: 'old' } }]);
  const file = join(server.folder, 'rows.csv');
  writeFileSync(file, 'pk,sk,v\na,1,new\na,2,new\n');
  await choose(page, open, 'Music', file);
  await page.getByText('Keep items that exist').click();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('1 item was written.')).toBeVisible();
  expect(await figure(page, 'Existed already')).toBe(1);
  expect((await itemsOf(server, 'Music')).map((each) => each.v.S)).toEqual(['old', 'new']);
});

test('an import is paused, goes on, and is stopped: what was sent is counted', async ({ open, page, server, settled, shot }) => {
  // So it lasts until it is stopped, also where the browser is slow.
  await slowWorkers(page, 100);
  await server.createTable('Big');
  const count = 30_000;
  const file = join(server.folder, 'big.jsonl');
  const text = 'x'.repeat(960);
  writeFileSync(file, Array.from({ length: count }, (_, n) => JSON.stringify({ Item: { pk: { S: `C#${n % 997}` }, sk: { S: String(n) }, n: { N: String(n) }, text: { S: text } } })).join('\n'));
  await choose(page, open, 'Big', file);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const paused = async (): Promise<number> => {
    await run(page).getByRole('button', { name: 'Pause' }).click();
    await expect(run(page).getByText(/paused/)).toBeVisible();
    // Batches in flight are still counted; then nothing is.
    let written = -1;
    await expect.poll(async () => written === (written = await figure(page, 'Written')), { intervals: [400] }).toBe(true);
    return written;
  };
  const first = await paused();
  await run(page).getByRole('button', { name: 'Go on' }).click();
  await expect.poll(() => figure(page, 'Written')).toBeGreaterThan(first);
  const second = await paused();
  expect(second).toBeLessThan(count);
  await run(page).getByRole('button', { name: 'Stop' }).click();
  await expect(run(page).getByText('Stopped').first()).toBeVisible();
  const written = await figure(page, 'Written');
  expect(written).toBe(second);
  let stored = 0;
  for (let start: Json | undefined, more = true; more; more = !!start) {
    const reply = await server.call('Scan', { TableName: 'Big', Select: 'COUNT', ExclusiveStartKey: start });
    stored += reply.Count;
    start = reply.LastEvaluatedKey;
  }
  expect(stored).toBe(written);
  const left = (await run(page).getByText('Not written').count()) ? await figure(page, 'Not written') : 0;
  expect(written + left).toBe(await figure(page, 'Rows'));
  // The table is described anew after an import; that starts nothing.
  await settled();
  await expect(run(page).getByText('Stopped').first()).toBeVisible();
  await shot('import-stopped');
});
