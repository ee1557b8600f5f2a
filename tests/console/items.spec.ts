/** One item: all ten types, both ways; conflicts; keys of a wrong type; size and price. */
import { expect, hold, type Json, type Server, test } from './fixtures.ts';

const EVERYTHING: Json = {
  id: { S: 'all' }, '#': { S: '' }, 'a.b': { N: '12345678901234567890123456789012345678' }, _version: { N: '-0.000000001' }, select: { BOOL: false }, '🦊': { NULL: true },
  bin: { B: 'AAH/' }, m: { M: { 'inner.x': { L: [{ N: '1' }, { M: { deep: { SS: ['x', 'y'] } } }, { NULL: true }] } } },
  l: { L: [] }, ss: { SS: ['a', ''] }, ns: { NS: ['1', '2.5'] }, bs: { BS: ['AQ==', 'Ag=='] }, size: { S: 'a\nb "c"' },
};

async function oneKey(server: Server, name: string): Promise<void> {
  await server.createTable(name, { AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] });
}

const key = (id: string) => encodeURIComponent(JSON.stringify({ id: { S: id } }));
/** Sets without their order, which is the server's. */
function sorted(item: Json): Json {
  return JSON.parse(JSON.stringify(item), (name, value) => (['SS', 'NS', 'BS'].includes(name) ? [...(value as string[])].sort() : value));
}
const read = async (server: Server, table: string, id: string) => (await server.call('GetItem', { TableName: table, Key: { id: { S: id } }, ConsistentRead: true })).Item as Json;

test('an item of all types, edited both ways, changes only what was changed', async ({ open, page, server, shot }) => {
  await oneKey(server, 'Types');
  await server.putItems('Types', [EVERYTHING]);
  await open(`item/Types?key=${key('all')}`);
  await expect(page.getByLabel('Value of a.b', { exact: true })).toHaveValue(EVERYTHING['a.b'].N);
  await shot('item-form');

  // In the form: a digit of 38, a member of a set deep inside, an element, a new attribute of each kind.
  await page.getByLabel('Value of a.b', { exact: true }).fill('12345678901234567890123456789012345679');
  await page.getByLabel('Value of m.inner.x[1].deep[0]').fill('z');
  await page.getByRole('button', { name: 'Remove m.inner.x[2]' }).click();
  await page.getByRole('button', { name: '+ Add attribute' }).click();
  await page.getByLabel('Name of the new attribute').fill('added');
  await page.getByLabel('Type of added').selectOption('Number');
  await page.getByLabel('Value of added').fill('1e-3');
  await page.getByTestId('save').click();
  await expect(page.getByText(/The item is saved/)).toBeVisible();
  const after = structuredClone(EVERYTHING);
  after['a.b'].N = '12345678901234567890123456789012345679';
  after.m.M['inner.x'].L[1].M.deep.SS = ['z', 'y'];
  after.m.M['inner.x'].L.pop();
  after.added = { N: '0.001' };
  expect(sorted(await read(server, 'Types', 'all'))).toEqual(sorted(after));

  // In DynamoDB's JSON.
  await page.getByTestId('dynamodb').click();
  const dynamodb = page.getByLabel('Item as DynamoDB JSON', { exact: true });
  await dynamodb.fill((await dynamodb.inputValue()).replace('"AAH/"', '"/w=="'));
  await page.getByTestId('save').click();
  after.bin.B = '/w==';
  await expect.poll(async () => sorted(await read(server, 'Types', 'all'))).toEqual(sorted(after));

  // In plain JSON: sets, binary and 38 digits keep their types.
  await page.getByTestId('plain').click();
  const plain = page.getByLabel('Item as JSON', { exact: true });
  await expect(plain).toHaveValue(/"a\.b": 12345678901234567890123456789012345679/);
  await plain.fill((await plain.inputValue()).replace('"select": false', '"select": true').replace('"_version": -0.000000001', '"_version": 2'));
  await shot('item-json');
  await page.keyboard.press('Control+Enter');
  after.select.BOOL = true;
  after._version.N = '2';
  await expect.poll(async () => sorted(await read(server, 'Types', 'all'))).toEqual(sorted(after));

  // A fault in JSON is told with its place, and nothing is sent.
  await plain.fill('{"id": "all",}');
  await expect(page.getByRole('alert').filter({ hasText: 'line 1, column 14' })).toBeVisible();
  await expect(page.getByTestId('save')).toBeDisabled();
});

test('scenario 5: two pages save one item, and the second sees the conflict', async ({ open, page, server, context, shot }) => {
  await oneKey(server, 'Audits');
  await server.putItems('Audits', [{ id: { S: 'v0_Audit' }, version: { N: '1' }, auditor: { S: 'Rick' }, result: { S: 'passed' }, note: { S: 'n' } }]);
  await open(`item/Audits?key=${key('v0_Audit')}`);
  const second = await context.newPage();
  await second.goto(page.url());
  await page.getByLabel('Value of auditor').fill('Ann');
  await second.getByLabel('Value of auditor').fill('Bob');
  await second.getByLabel('Value of note').fill('mine');
  await page.getByLabel('Value of result').fill('failed');
  await page.getByTestId('save').click();
  await expect(page.getByText(/The item is saved/)).toBeVisible();

  await second.getByTestId('save').click();
  const conflict = second.getByTestId('conflict');
  await expect(conflict).toContainText('One attribute was changed by both');
  const row = (name: string) => conflict.getByRole('row', { name: new RegExp(`^${name}`) });
  await expect(row('auditor')).toContainText('Rick');
  await expect(row('auditor')).toContainText('Bob');
  await expect(row('auditor')).toContainText('Ann');
  await expect(conflict.getByLabel('Keep theirs of result')).toBeChecked();
  await expect(conflict.getByLabel('Keep yours of note')).toBeChecked();
  expect((await read(server, 'Audits', 'v0_Audit')).auditor).toEqual({ S: 'Ann' });
  await second.screenshot({ path: new URL('./artefacts/item-conflict.png', import.meta.url).pathname });
  await conflict.getByLabel('Keep theirs of auditor').check();
  await conflict.getByTestId('save-merge').click();
  await expect(conflict).toBeHidden();
  expect(await read(server, 'Audits', 'v0_Audit')).toEqual({
    id: { S: 'v0_Audit' }, version: { N: '1' }, auditor: { S: 'Ann' }, result: { S: 'failed' }, note: { S: 'mine' },
  });

  // Theirs alone is nothing to write.
  await server.putItems('Audits', [{ id: { S: 'v0_Audit' }, version: { N: '2' }, auditor: { S: 'Eve' } }]);
  await second.getByLabel('Value of auditor').fill('Bob');
  await second.getByTestId('save').click();
  await conflict.getByLabel('Keep theirs of auditor').check();
  await conflict.getByTestId('save-merge').click();
  await expect(conflict).toBeHidden();
  await expect(second.getByLabel('Value of auditor')).toHaveValue('Eve');
  await expect(second.getByTestId('save')).toBeDisabled();
  await server.putItems('Audits', [{ id: { S: 'v0_Audit' }, note: { S: 'mine' } }]);
  await second.reload();
  await expect(second.getByLabel('Value of note')).toHaveValue('mine');

  // An item that is gone is not made again unasked.
  await server.call('DeleteItem', { TableName: 'Audits', Key: { id: { S: 'v0_Audit' } } });
  await second.getByLabel('Value of note').fill('again');
  await second.getByTestId('save').click();
  await expect(second.getByText('The item was deleted meanwhile')).toBeVisible();
  expect(await read(server, 'Audits', 'v0_Audit')).toBeUndefined();
  await second.getByRole('button', { name: 'Create it again' }).click();
  await expect.poll(async () => (await read(server, 'Audits', 'v0_Audit'))?.note).toEqual({ S: 'again' });
});

test('scenario 5: sixteen writers outside lose nothing to the page', async ({ open, page, server }) => {
  await oneKey(server, 'Counters');
  await server.putItems('Counters', [{ id: { S: 'c' }, count: { N: '0' }, note: { S: 'n' } }]);
  await open(`item/Counters?key=${key('c')}`);
  await page.getByLabel('Value of note').fill('from the page');
  let stop = false;
  let written = 0;
  const writers = Array.from({ length: 16 }, async () => {
    while (!stop) {
      await server.call('UpdateItem', { TableName: 'Counters', Key: { id: { S: 'c' } }, UpdateExpression: 'ADD #c :one', ExpressionAttributeNames: { '#c': 'count' }, ExpressionAttributeValues: { ':one': { N: '1' } } });
      written++;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  await expect.poll(() => written).toBeGreaterThan(16);
  await page.getByTestId('save').click();
  const conflict = page.getByTestId('conflict');
  await expect(conflict).toContainText('No attribute was changed by both');
  await expect(conflict.getByLabel('Keep theirs of count')).toBeChecked();
  expect((await read(server, 'Counters', 'c')).note).toEqual({ S: 'n' });
  stop = true;
  await Promise.all(writers);
  // What was shown is old by now: the merge is refused again, with the newest; then it is saved.
  await conflict.getByTestId('save-merge').click();
  await expect(conflict.getByRole('row', { name: /^count/ })).toContainText(String(written));
  await conflict.getByTestId('save-merge').click();
  await expect(conflict).toBeHidden();
  expect(await read(server, 'Counters', 'c')).toEqual({ id: { S: 'c' }, count: { N: String(written) }, note: { S: 'from the page' } });
});

test('scenario 6: size and price are the server’s; 400 KB and no byte more', async ({ open, page, server }) => {
  await oneKey(server, 'Large');
  await server.putItems('Large', [{ id: { S: 'a' }, n: { N: '-12.5' }, b: { B: 'AAH/' }, l: { L: [{ S: 'x' }, { NULL: true }] }, s: { NS: ['1', '22'] }, pad: { S: 'ä'.repeat(3000) } }]);
  await open(`item/Large?key=${key('a')}`);
  const size = page.getByTestId('size');
  const bytes = async () => Number(/([\d,]+) bytes/.exec((await size.textContent())!)![1]!.replace(/,/g, ''));
  const table = async () => (await server.call('DescribeTable', { TableName: 'Large' })).Table.TableSizeBytes as number;
  await expect(size).toContainText('6 write units to save');
  expect(await bytes()).toBe(await table());
  const now = await bytes();
  await page.getByLabel('Value of pad').fill('x'.repeat(409_600 - now + 6000));
  await expect(size).toContainText('409,600 bytes (400 KB)');
  await page.getByTestId('save').click();
  await expect(page.getByText('The item is saved for 400 write units.')).toBeVisible();
  expect(await table()).toBe(409_600);
  await page.getByLabel('Value of pad').press('End');
  await page.keyboard.type('y');
  await expect(size).toContainText('An item may have 409,600 bytes.');
  await page.getByTestId('save').click();
  await expect(page.getByTestId('error-text')).toContainText('Item size to update has exceeded the maximum allowed size');
  expect(await table()).toBe(409_600);
});

test('scenario 8: a key of a wrong type is told at its field, and nothing is written', async ({ open, page, server, shot }) => {
  await server.createTable('DeviceLog', {
    AttributeDefinitions: [{ AttributeName: 'DeviceID', AttributeType: 'S' }, { AttributeName: 'timestamp', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'DeviceID', KeyType: 'HASH' }, { AttributeName: 'timestamp', KeyType: 'RANGE' }],
  });
  await open('item/DeviceLog?new=1');
  await page.getByLabel('Value of DeviceID').fill('123');
  await page.getByLabel('Type of timestamp').selectOption('String');
  await page.getByLabel('Value of timestamp').fill('noon');
  const fault = page.locator('[data-fault=timestamp]');
  await expect(fault).toContainText('The schema says Number');
  await page.getByTestId('save').click();
  await expect(fault).toContainText('Type mismatch for key timestamp expected: N actual: S');
  await shot('item-key-fault');
  expect((await server.call('Scan', { TableName: 'DeviceLog' })).Count).toBe(0);

  await page.getByLabel('Type of timestamp').selectOption('Number');
  await expect(fault).toContainText('This is not a number');
  await page.getByLabel('Value of timestamp').fill('7');
  await page.getByRole('button', { name: '+ Add attribute' }).click();
  await page.getByLabel('Name of the new attribute').fill('anything');
  await page.getByLabel('Type of anything').selectOption('Map');
  await page.getByTestId('save').click();
  await expect(page).toHaveURL(/key=/);
  expect((await server.call('Scan', { TableName: 'DeviceLog' })).Items).toEqual([{ DeviceID: { S: '123' }, timestamp: { N: '7' }, anything: { M: {} } }]);
});

test('a new item does not overwrite, a duplicate is another item, deleting wants the name', async ({ open, page, server }) => {
  await oneKey(server, 'Things');
  await server.putItems('Things', [{ id: { S: 'a' }, n: { N: '1' }, tags: { SS: ['x'] } }]);
  await open('item/Things?new=1');
  await page.getByLabel('Value of id').fill('a');
  await page.getByTestId('save').click();
  await expect(page.getByText('There is an item with this key already')).toBeVisible();
  expect(await read(server, 'Things', 'a')).toEqual({ id: { S: 'a' }, n: { N: '1' }, tags: { SS: ['x'] } });

  await open(`item/Things?key=${key('a')}`);
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByLabel('Value of id').fill('b');
  await page.getByTestId('save').click();
  await expect(page.getByText(/The item is saved/)).toBeVisible();
  expect(await read(server, 'Things', 'b')).toEqual({ id: { S: 'b' }, n: { N: '1' }, tags: { SS: ['x'] } });

  // Someone changes it: it is not deleted.
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeVisible();
  await server.putItems('Things', [{ id: { S: 'b' }, n: { N: '2' } }]);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel('Value of n')).toBeVisible();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByLabel(/To confirm/).fill('Things');
  await page.getByTestId('confirm').click();
  await expect(dialog).toContainText('Someone changed the item meanwhile');
  expect(await read(server, 'Things', 'b')).toEqual({ id: { S: 'b' }, n: { N: '2' } });
  await page.reload();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByLabel(/To confirm/).fill('Things');
  await page.getByTestId('confirm').click();
  await expect(page).toHaveURL(/explore\/Things/);
  expect(await read(server, 'Things', 'b')).toBeUndefined();
});

test('unsaved changes are not lost without asking; read-only changes nothing', async ({ open, page, server }) => {
  await oneKey(server, 'Things');
  await server.putItems('Things', [{ id: { S: 'a' }, n: { N: '1' } }]);
  await open('explore/Things');
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Value of n').fill('2');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void (asked.length < 3 ? dialog.dismiss() : dialog.accept());
  });
  await page.getByRole('link', { name: 'Tables', exact: true }).click();
  await page.evaluate(() => history.back());
  await expect.poll(() => asked.length).toBe(2);
  await expect(page.getByLabel('Value of n')).toHaveValue('2');
  await expect(page).toHaveURL(/item\/Things/);
  await page.getByRole('link', { name: 'Tables', exact: true }).click();
  await expect(page).toHaveURL(/tables$/);
  expect(asked).toEqual(Array(3).fill('The item has unsaved changes. Leave them?'));

  await page.getByRole('button', { name: /switch to read-only/ }).click();
  await open(`item/Things?key=${key('a')}`);
  await expect(page.getByLabel('Value of n')).not.toBeEditable();
  await expect(page.getByTestId('save')).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Duplicate' })).toBeDisabled();
});

test('what is typed while a new item is being created is kept', async ({ open, page, server }) => {
  await oneKey(server, 'Things');
  await open('item/Things?new=1');
  const put = await hold(page, 'PutItem');
  await page.getByLabel('Value of id').fill('a');
  await page.getByRole('button', { name: '+ Add attribute' }).click();
  await page.getByLabel('Name of the new attribute').fill('note');
  await page.getByLabel('Value of note').fill('sent');
  await page.getByTestId('save').click();
  await put.sent;
  await expect(page.getByLabel('Value of id')).not.toBeEditable();
  await page.getByLabel('Value of note').fill('typed later');
  put.release();
  await expect(page).toHaveURL(/key=/);
  await expect(page.getByRole('heading', { level: 1, name: 'a' })).toBeVisible();
  await expect(page.getByLabel('Value of note')).toHaveValue('typed later');
  await expect(page.getByLabel('Value of note')).toBeFocused();
  expect((await read(server, 'Things', 'a')).note).toEqual({ S: 'sent' });
  await page.getByTestId('save').click();
  await expect.poll(async () => (await read(server, 'Things', 'a')).note).toEqual({ S: 'typed later' });

  // The next new item begins empty, and Back shows the item as it is.
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await expect(page.getByLabel('Value of id')).toHaveValue('a');
  await server.putItems('Things', [{ id: { S: 'a' }, note: { S: 'theirs' } }]);
  await page.goBack();
  await expect(page.getByLabel('Value of note')).toHaveValue('theirs');
  await open('item/Things?new=1');
  await expect(page.getByLabel('Value of id')).toHaveValue('');
});
