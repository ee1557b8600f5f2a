/** Queries and scans by clicks: what comes back, in which order, and what it costs. */
import { expect, type Json, test } from './fixtures.ts';
import { choose, column } from './grid.ts';

const ATTRIBUTES = (types: Record<string, string>) => Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));

test('scenario 1: every operator on a number, both orders', async ({ open, page, server, shot }) => {
  await server.createTable('DeviceLog', {
    AttributeDefinitions: ATTRIBUTES({ DeviceID: 'S', timestamp: 'N' }),
    KeySchema: [{ AttributeName: 'DeviceID', KeyType: 'HASH' }, { AttributeName: 'timestamp', KeyType: 'RANGE' }],
  });
  const times = ['1535544000', '1536066000', '1310216400', '9', '10', '-5', '1e3'];
  await server.putItems('DeviceLog', [
    ...times.map((N) => ({ DeviceID: { S: '123' }, timestamp: { N } })),
    { DeviceID: { S: '124' }, timestamp: { N: '1' } },
  ]);
  await open('explore/DeviceLog');
  await page.getByText('Query', { exact: true }).click();
  await page.getByLabel('DeviceID =').fill('123');
  const run = async (wanted: string[]) => {
    await page.getByTestId('run').click();
    await expect.poll(() => column(page, 'timestamp')).toEqual(wanted);
  };
  const all = ['-5', '9', '10', '1000', '1310216400', '1535544000', '1536066000'];
  await run(all);
  const operators: [string, string[], string[]][] = [
    ['<', ['1536019200'], all.slice(0, 6)],
    ['≤', ['10'], ['-5', '9', '10']],
    ['=', ['1000'], ['1000']],
    ['≥', ['1535544000'], all.slice(5)],
    ['>', ['1535544000'], all.slice(6)],
    ['between', ['9', '1e3'], ['9', '10', '1000']],
  ];
  for (const [operator, values, wanted] of operators) {
    await choose(page, 'Condition on timestamp', operator);
    const group = page.getByRole('group', { name: 'Key condition' });
    for (const [at, value] of values.entries()) await group.getByRole('textbox').nth(1 + at).fill(value);
    await run(wanted);
  }
  await page.getByText('Descending', { exact: true }).click();
  await run(['1000', '10', '9']);
  await shot('explore-query');

  // The address holds the view: another page shows the same.
  await expect(page).toHaveURL(/order=desc/);
  await page.reload();
  await expect.poll(() => column(page, 'timestamp')).toEqual(['1000', '10', '9']);
  // A value that is no number is refused at its field, and nothing is sent.
  await page.getByLabel('timestamp between', { exact: true }).fill('x');
  await expect(page.getByText('This is not a number.')).toBeVisible();
  await page.getByTestId('run').click();
  expect(await column(page, 'timestamp')).toEqual(['1000', '10', '9']);
});

test('scenario 3 by keyboard alone: a document, its versions', async ({ open, page, server }) => {
  await server.createTable('Documents');
  const sorts = ['metadata', 'permissions', 'v_0', 'v_1', 'v_2'];
  await server.putItems('Documents', sorts.map((sk) => ({ pk: { S: 'doc-1' }, sk: { S: sk }, note: { S: `of ${sk}` } })));
  await open('tables');
  await expect(page.getByRole('link', { name: 'Documents' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Page or table' })).toBeFocused();
  await page.keyboard.type('Docum');
  await page.keyboard.press('Enter');
  await expect.poll(() => column(page, 'sk')).toEqual(sorts);
  const scan = page.getByRole('button', { name: 'Scan', exact: true });
  for (let presses = 0; presses < 40 && !(await scan.evaluate((each) => each === document.activeElement)); presses++) await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.keyboard.press('/');
  await expect(page.getByLabel('pk =')).toBeFocused();
  await page.keyboard.type('doc-1');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  for (let steps = 0; steps < 7; steps++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('sk begins_with')).toBeFocused();
  await page.keyboard.type('v_');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => column(page, 'sk')).toEqual(['v_0', 'v_1', 'v_2']);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('v_0');
  await page.keyboard.press('Control+Enter');
  expect(await page.evaluate(() => location.search)).toContain('v_0');
  await expect.poll(() => column(page, 'note')).toEqual(['of v_0']);
  // Into the results, and the item opened.
  await page.getByLabel('sk begins_with').blur();
  await page.keyboard.press('j');
  await expect(page.getByRole('grid')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/item\/Documents\?key=/);
  await expect(page.getByRole('heading', { name: 'doc-1 · v_0' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect.poll(() => column(page, 'note')).toEqual(['of v_0']);
});

test('Back from an item returns to its row', async ({ open, page, server }) => {
  await server.createTable('Long');
  await server.putItems('Long', Array.from({ length: 300 }, (_, n) => ({ pk: { S: 'p' }, sk: { S: String(n).padStart(3, '0') } })));
  await open('explore/Long?mode=query&pk=p');
  const grid = page.getByRole('grid');
  await expect.poll(async () => (await column(page, 'sk'))[0]).toBe('000');
  await grid.focus();
  for (let pages = 0; pages < 9; pages++) await page.keyboard.press('PageDown');
  await page.keyboard.press('e');
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toContainText('p · ');
  const opened = await heading.textContent();
  expect(opened).not.toBe('p · 000');
  await page.keyboard.press('Escape');
  await expect(grid).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(heading).toHaveText(opened!);
});

test('scenario 6: what the page shows is what the server charges', async ({ open, page, server, shot }) => {
  await server.createTable('Cart');
  await server.putItems('Cart', Array.from({ length: 40 }, (_, n) => ({ pk: { S: 'Pete' }, sk: { S: `p${n}` }, pad: { S: 'x'.repeat(1000) }, odd: { BOOL: n % 2 === 1 } })));
  const consumed: number[] = [];
  page.on('response', async (response) => {
    if (response.request().headers()['x-amz-target']?.endsWith('.Query')) consumed.push(((await response.json()) as Json).ConsumedCapacity.CapacityUnits);
  });
  await open('explore/Cart?mode=query&pk=Pete');
  await expect(page.getByTestId('summary')).toHaveText(/40 items.*5 read units/);
  const reference = await server.call('Query', {
    TableName: 'Cart', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'Pete' } }, ReturnConsumedCapacity: 'TOTAL',
  });
  await expect.poll(() => consumed).toEqual([reference.ConsumedCapacity.CapacityUnits]);
  // A filter drops items and not their price.
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('Attribute or path').fill('odd');
  await page.keyboard.press('Escape');
  await choose(page, 'Type of the value for odd', 'Boolean');
  await page.getByTestId('run').click();
  await expect(page.getByTestId('summary')).toHaveText(/20 of 40 match.*40 scanned.*5 read units/);
  // A consistent read costs twice as much.
  await page.getByLabel('Consistent read').check();
  await page.getByTestId('run').click();
  await expect(page.getByTestId('summary')).toHaveText(/10 read units/);
  await shot('explore-filter');
});

test('an empty page is not the end, and a filter that could be a key condition is said to be', async ({ open, page, server, shot }) => {
  await server.createTable('Big');
  await server.putItems('Big', Array.from({ length: 3000 }, (_, n) => ({ pk: { S: `p${n % 3}` }, sk: { S: String(n).padStart(5, '0') }, pad: { S: 'x'.repeat(900) } })));
  await open('explore/Big?filter=' + encodeURIComponent(JSON.stringify(['AND', ['=', 'sk', 'S', 'absent'], ['=', 'pk', 'S', 'p1']])));
  const empty = page.getByTestId('empty');
  await expect(empty).toContainText(/1,1\d\d scanned, 0 match: read on/);
  await shot('explore-empty');
  await empty.getByTestId('read-on').click();
  await expect(empty).toContainText(/2,2\d\d scanned, 0 match: read on/);
  await empty.getByRole('button', { name: 'Read to the end' }).click();
  await expect(empty).toContainText('Nothing matches');
  await expect(empty).toContainText('3,000 scanned to the end');
  await expect(page.getByTestId('hint')).toContainText('pk is the partition key of the table');
  await page.getByRole('button', { name: 'Use a key condition' }).click();
  await expect(page.getByLabel('pk =')).toHaveValue('p1');
  await expect(page.getByLabel('sk =')).toHaveValue('absent');
  await expect(page.getByTestId('summary')).toHaveText(/0 items.*0\.5 read units.*complete/);
});

test('an index of several attributes, groups of filters, projection', async ({ open, page, server }) => {
  await server.createTable('Shops', {
    AttributeDefinitions: ATTRIBUTES({ pk: 'S', sk: 'S', city: 'S', tier: 'N', day: 'S', hour: 'N' }),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-day',
        KeySchema: [['city', 'HASH'], ['tier', 'HASH'], ['day', 'RANGE'], ['hour', 'RANGE']].map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  await server.putItems('Shops', Array.from({ length: 24 }, (_, n) => ({
    pk: { S: `s${n}` }, sk: { S: 'x' }, city: { S: 'Oslo' }, tier: { N: String(n % 2) }, day: { S: n < 12 ? 'Mon' : 'Tue' }, hour: { N: String(n) },
    '#': { S: n % 3 ? 'a' : 'b' }, 'a.b': { M: { size: { N: String(n) } } }, _version: { N: '1' }, select: { SS: ['x'] }, '🦊': { NULL: true },
  })));
  await open('explore/Shops');
  await page.getByText('Query', { exact: true }).click();
  await page.getByRole('button', { name: 'Table or index' }).click();
  await page.getByRole('option', { name: /by-day/ }).click();
  await page.getByLabel('city =').fill('Oslo');
  await page.getByLabel('tier =').fill('0');
  await choose(page, 'Condition on day', '=');
  await page.getByLabel('day =').fill('Mon');
  await choose(page, 'Condition on hour', '≥');
  await page.getByLabel('hour >=').fill('4');
  await page.getByTestId('run').click();
  await expect.poll(() => column(page, 'hour')).toEqual(['4', '6', '8', '10']);
  // (# = b OR "a.b".size > 9) AND _version exists AND NOT 🦊 of type String
  const filter = [
    'AND', ['OR', ['=', '#', 'S', 'b'], ['>', '"a.b".size', 'N', '9']], ['exists', '_version', 'S'], ['!type', '🦊', 'S', 'S'], ['contains', 'select', 'S', 'x'],
  ];
  const url = new URL(page.url());
  url.searchParams.set('filter', JSON.stringify(filter));
  url.searchParams.set('attributes', 'hour, "a.b", select');
  await page.goto(url.href);
  await expect.poll(() => column(page, 'hour')).toEqual(['6', '10']);
  expect(await column(page, 'a.b')).toEqual(['{1}', '{1}']);
  expect(await column(page, '_version')).toEqual([]);
  expect(await column(page, 'pk')).toEqual(['s6', 's10']);
});

test('both forms of JSON, code, copying, saved queries and history', async ({ open, page, server, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await server.createTable('Music');
  await server.putItems('Music', [{ pk: { S: 'a' }, sk: { S: '1' }, tags: { SS: ['x', 'y'] }, price: { N: '12345678901234567890123456789012345678' } }]);
  await open('explore/Music?mode=query&pk=a');
  await expect.poll(() => column(page, 'price'), { timeout: 15_000 }).toEqual(['12345678901234567890123456789012345678']);
  await page.getByTestId('dynamodb').click();
  const items = page.getByLabel('Items as DynamoDB JSON', { exact: true });
  await expect(items).toContainText('"tags": { "SS": ["x", "y"] }');
  await page.getByTestId('plain').click();
  await expect(page.getByLabel('Items as JSON', { exact: true })).toContainText('"price": 12345678901234567890123456789012345678');
  await expect(page.getByText('tags loses its type here')).toBeVisible();
  await page.getByTestId('grid').click();
  await page.getByRole('grid').focus();
  await page.keyboard.press('c');
  await expect(page.getByText('1 item copied as DynamoDB JSON.')).toBeVisible();
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).tags).toEqual({ SS: ['x', 'y'] });
  await page.getByRole('button', { name: 'Request as code' }).click();
  await expect(page.getByLabel('Request as CLI', { exact: true })).toContainText("--key-condition-expression '#n0 = :v0'");

  await page.getByTestId('run').click();
  await page.getByRole('button', { name: 'Saved and history' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('songs of a');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.reload();
  await open('explore/Music');
  await page.getByRole('button', { name: 'Saved and history' }).click();
  await expect(dialog.getByRole('heading', { name: '1 saved query' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'pk = “a”', exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'songs of a', exact: true }).click();
  await expect(page.getByLabel('pk =')).toHaveValue('a');
  await expect(page).toHaveURL(/pk=a/);
});

test('rows are selected and deleted once the name is typed; read-only deletes nothing', async ({ open, page, server, shot }) => {
  await server.createTable('Old');
  await server.putItems('Old', Array.from({ length: 60 }, (_, n) => ({ pk: { S: 'p' }, sk: { S: String(n).padStart(2, '0') } })));
  await open('explore/Old');
  const grid = page.getByRole('grid');
  await expect.poll(async () => (await column(page, 'sk'))[0]).toBe('00');
  await grid.focus();
  await page.keyboard.press('x');
  for (let row = 0; row < 3; row++) await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(page.getByText('4 items selected')).toBeVisible();
  await page.getByRole('button', { name: 'Select all 60' }).click();
  await grid.focus();
  await page.keyboard.press('x');
  await expect(page.getByText('59 items selected')).toBeVisible();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('59 selected items of table Old');
  await expect(page.getByTestId('confirm')).toBeDisabled();
  await shot('explore-delete');
  await dialog.getByLabel(/To confirm/).fill('Old');
  await page.getByTestId('confirm').click();
  await expect(page.getByText('59 items deleted from Old.')).toBeVisible();
  await expect.poll(() => column(page, 'sk')).toEqual(['03']);
  expect((await server.call('Scan', { TableName: 'Old' })).Items).toEqual([{ pk: { S: 'p' }, sk: { S: '03' } }]);

  await page.getByRole('button', { name: /switch to read-only/ }).click();
  await grid.focus();
  await page.keyboard.press('x');
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Create item' })).toBeDisabled();
});

test('the picture of a query keeps its settings and the query in the address', async ({ open, page, server }) => {
  await server.createTable('Places');
  await server.putItems('Places', ['TX#Houston', 'TX#Austin', 'WA#Seattle'].map((sk) => ({ pk: { S: 'USA' }, sk: { S: sk }, n: { N: '1' } })));
  await open('explore/Places?mode=query&pk=USA&sk=' + encodeURIComponent('["begins_with","TX#"]'));
  await expect.poll(() => column(page, 'sk')).toEqual(['TX#Austin', 'TX#Houston']);
  let queries = 0;
  page.on('request', (request) => {
    if (request.headers()['x-amz-target']?.endsWith('.Query')) queries++;
  });
  await page.getByTestId('picture').click();
  await expect(page.getByText('Houston').first()).toBeVisible();
  await expect(page).toHaveURL(/show=picture/);
  const before = queries;
  await page.getByText('Aligned', { exact: true }).click();
  await expect(page).toHaveURL(/p\.align=/);
  await expect(page).toHaveURL(/pk=USA/);
  await page.getByLabel('sk begins_with').fill('WA');
  await expect(page).toHaveURL(/WA.*p\.align=|p\.align=.*WA/);
  expect(queries).toBe(before);
  await page.getByTestId('run').click();
  await expect(page.getByText('Seattle').first()).toBeVisible();
});

test('attributes named as members of objects do no harm', async ({ open, page, server }) => {
  await server.createTable('Odd');
  await server.putItems('Odd', [{ pk: { S: 'a' }, sk: { S: '1' } }, { pk: { S: 'a' }, sk: { S: '2' }, constructor: { S: 'x' } }]);
  await open('explore/Odd?mode=query&pk=a');
  await expect.poll(() => column(page, 'constructor')).toEqual(['', 'x']);
});
