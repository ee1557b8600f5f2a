/** Pictures of item collections: scenarios 2, 4 and 7, what a query reads and pays for, 5,000 items, export. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expect, type Json, type Server, test } from './fixtures.ts';
import { choose } from './grid.ts';

const strings = (...names: string[]) => names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
const schema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];
const pane = (page: Page, index = '') => page.getByTestId(`pane-${index}`);
const rows = (where: Locator) => where.locator('[data-item]');
const sorts = (where: Locator) => rows(where).locator('.pic-sort').allInnerTexts();
const condition = (...parts: string[]) => encodeURIComponent(JSON.stringify(parts));

/** What each fold says that it holds. */
const foldCounts = async (page: Page) =>
  Object.fromEntries((await pane(page).locator('.pic-fold').allInnerTexts()).map((text) => /^[▸▾] (.*#)\s*(\d+) items?/.exec(text)!.slice(1)).map(([prefix, number]) => [prefix, Number(number)]));

async function count(server: Server, table: string, prefix: string): Promise<number> {
  const reply = await server.call('Query', {
    TableName: table, Select: 'COUNT', KeyConditionExpression: 'pk = :p AND begins_with(sk, :s)',
    ExpressionAttributeValues: { ':p': { S: 'USA' }, ':s': { S: prefix } },
  });
  return reply.Count as number;
}

test('scenario 2: prefixes narrow from user to month; an index shows the room by time', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await server.call('CreateTable', {
    TableName: 'Chat', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: strings('room', 'message', 'time'), KeySchema: schema('room', 'message'),
    LocalSecondaryIndexes: [{ IndexName: 'by-time', KeySchema: schema('room', 'time'), Projection: { ProjectionType: 'KEYS_ONLY' } }],
  });
  const messages = [['amsg', '2018-08-29:12:00:00'], ['amsg', '2018-09-04:13:00:00'], ['amsg', '2017-07-09:10:00:00'], ['zoe', '2018-08-30:08:00:00']];
  await server.putItems('Chat', messages.map(([user, time]) => ({ room: { S: 'seattle-1' }, message: { S: `${user}#${time}` }, time: { S: `${time}#${user}` }, text: { S: 'hello' } })));
  const table = pane(page);
  for (const [prefix, read] of [['amsg', 3], ['amsg#2018', 2], ['amsg#2018-08', 1]] as const) {
    await open(`explore/Chat?mode=query&pk=seattle-1&sk=${condition('begins_with', prefix)}&show=picture`);
    await expect(page.getByTestId('query-line')).toContainText(`reads ${read} item`);
    // The whole collection is drawn, and the box is around what is read.
    await expect(rows(table)).toHaveCount(4);
    await expect(table.locator('[data-read]')).toHaveCount(read);
    await expect(table.getByTestId('query-box')).toHaveCount(1);
    const box = (await table.getByTestId('query-box').boundingBox())!;
    expect(Math.round(box.height / 20)).toBe(read);
  }
  await page.getByRole('button', { name: 'Shown beside' }).click();
  await page.getByRole('option', { name: 'Index by-time' }).click();
  await page.keyboard.press('Escape');
  await expect(rows(pane(page, 'by-time'))).toHaveCount(4);
  expect(await sorts(pane(page, 'by-time'))).toEqual(['2017-07-09:10:00:00#amsg', '2018-08-29:12:00:00#amsg', '2018-08-30:08:00:00#zoe', '2018-09-04:13:00:00#amsg']);
  // What the index does not carry is hatched; an item is marked in both panes.
  await expect(pane(page, 'by-time').locator('.absent')).toHaveCount(4);
  await rows(table).filter({ hasText: 'zoe#' }).hover();
  await expect(pane(page, 'by-time').locator('.hovered')).toHaveText(/zoe/);
  await shot('picture-query');
});

test('scenario 4: every level, by fold and by Query, with the same counts', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await server.createTable('Places');
  const places = ['TX#Houston#77002', 'TX#Houston#77003', 'TX#Houston#77004', 'TX#Austin#73301', 'WA#Seattle#98101', 'WA#Seattle#98109', 'WA#Tacoma#98402'];
  await server.putItems('Places', places.map((sk) => ({ pk: { S: 'USA' }, sk: { S: sk }, name: { S: `store ${sk}` } })));
  await open('picture/Places');
  await expect(rows(pane(page))).toHaveCount(7);
  await page.getByRole('button', { name: 'Folding' }).click();
  await page.getByRole('option', { name: 'Fold 2 levels' }).click();
  const folds = pane(page).locator('.pic-fold');
  await expect(folds).toHaveCount(2);
  for (const [prefix, number] of Object.entries(await foldCounts(page))) expect(await count(server, 'Places', prefix)).toBe(number);
  await folds.filter({ hasText: 'TX#' }).click();
  await expect(folds).toHaveCount(4);
  const levels = await foldCounts(page);
  expect(levels).toEqual({ 'TX#': 4, 'TX#Austin#': 1, 'TX#Houston#': 3, 'WA#': 3 });
  await folds.filter({ hasText: 'Houston' }).click();
  expect(await sorts(pane(page))).toEqual(places.slice(0, 3));
  await shot('picture-fold');
  // By Query: the box holds as many as the fold said.
  for (const [prefix, number] of Object.entries(levels)) {
    await open(`explore/Places?mode=query&pk=USA&sk=${condition('begins_with', prefix)}&show=picture`);
    await expect(page.getByTestId('query-line')).toContainText(`reads ${number} item`);
    await expect(pane(page).locator('[data-read]')).toHaveCount(number);
  }
});

test('scenario 4: six levels, from the country to the neighborhood', async ({ open, page, server, shot }) => {
  test.setTimeout(90_000);
  await server.createTable('Neighborhoods');
  const places = [
    'Canada#West#BC#Bulkley#Houston#Centre', 'USA#South#LA#Orleans#New Orleans#Treme', 'USA#South#TX#Harris#Houston#Midtown', 'USA#South#TX#Harris#Houston#Montrose',
    'USA#South#TX#Harris#Pasadena#Deepwater', 'USA#South#TX#Travis#Austin#Hyde Park', 'USA#West#WA#King#Seattle#Ballard',
  ];
  await server.putItems('Neighborhoods', places.map((sk) => ({ pk: { S: 'guide' }, sk: { S: sk } })));
  const wanted: Record<string, number> = {};
  for (const place of places) for (const { index } of place.matchAll(/#/g)) wanted[place.slice(0, index + 1)] = places.filter((each) => each.startsWith(place.slice(0, index + 1))).length;

  // By fold: from the countries down, until none is closed.
  await open('picture/Neighborhoods');
  await page.getByRole('button', { name: 'Folding' }).click();
  await page.getByRole('option', { name: 'Fold 5 levels' }).click();
  await expect.poll(() => foldCounts(page)).toEqual({ 'Canada#': 1, 'USA#': 6 });
  const closed = pane(page).locator('.pic-fold[aria-expanded=false]');
  while (await closed.count()) await closed.first().click();
  expect(await foldCounts(page)).toEqual(wanted);
  expect(await sorts(pane(page))).toEqual(places);
  await shot('picture-levels');

  // By Query, each of them and the neighborhoods themselves.
  await open('explore/Neighborhoods?show=picture');
  await page.getByText('Query', { exact: true }).click();
  await page.getByLabel('pk =').fill('guide');
  await choose(page, 'Condition on sk', 'begins with');
  for (const [prefix, number] of [...Object.entries(wanted), ...places.map((each) => [each, 1] as const)]) {
    await page.getByLabel('sk begins_with').fill(prefix);
    await page.getByTestId('run').click();
    const read = pane(page).locator('[data-read]');
    await expect(read, prefix).toHaveText(places.filter((each) => each.startsWith(prefix)).map((each) => new RegExp(`${each.split('#').at(-1)}$`)));
    await expect(page.getByTestId('query-line')).toContainText(`reads ${number} item`);
  }
});

async function makeTickets(server: Server): Promise<void> {
  await server.createTable('Org', {
    AttributeDefinitions: strings('pk', 'sk', 'GSI1PK', 'GSI1SK'),
    GlobalSecondaryIndexes: [{ IndexName: 'GSI1', KeySchema: schema('GSI1PK', 'GSI1SK'), Projection: { ProjectionType: 'ALL' } }],
  });
  const user = (org: string, name: string) => ({ pk: { S: `ORG#${org}` }, sk: { S: `USER#${name}` }, GSI1PK: { S: `ORG#${org}#USER#${name}` }, GSI1SK: { S: `USER#${name}` }, Addresses: { M: { Home: { S: 'Seattle' } } } });
  const items: Json[] = [
    { pk: { S: 'ORG#MICROSOFT' }, sk: { S: 'METADATA#MICROSOFT' }, Plan: { S: 'Enterprise' } },
    { pk: { S: 'ORG#AMAZON' }, sk: { S: 'METADATA#AMAZON' }, Plan: { S: 'Pro' } },
    user('MICROSOFT', 'BILLGATES'), user('MICROSOFT', 'SATYANADELLA'), user('AMAZON', 'JEFFBEZOS'),
  ];
  for (const n of [1, 2, 3]) items.push({ pk: { S: `TICKET#${n}` }, sk: { S: `TICKET#${n}` }, GSI1PK: { S: 'ORG#MICROSOFT#USER#BILLGATES' }, GSI1SK: { S: `TICKET#${n}` }, open: { BOOL: n > 1 } });
  await server.putItems('Org', items);
}

test('scenario 7: organisations and users in one table, tickets by an index, the user first', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await makeTickets(server);
  await open('explore/Org?mode=query&pk=' + encodeURIComponent('ORG#MICROSOFT') + '&show=picture');
  await expect(page.getByTestId('query-line')).toContainText('reads 3 items');
  expect(await sorts(pane(page))).toEqual(['METADATA#MICROSOFT', 'USER#BILLGATES', 'USER#SATYANADELLA']);
  await open(`explore/Org?mode=query&pk=${encodeURIComponent('ORG#MICROSOFT')}&sk=${condition('begins_with', 'USER#')}&show=picture`);
  await expect(page.getByTestId('query-line')).toContainText('reads 2 items');
  await expect(pane(page).locator('[data-read]')).toHaveText([/BILLGATES/, /SATYANADELLA/]);
  // Descending in the index: the user, then the newest ticket.
  await open(`explore/Org?mode=query&index=GSI1&order=desc&pk=${encodeURIComponent('ORG#MICROSOFT#USER#BILLGATES')}&show=picture`);
  await expect(rows(pane(page, 'GSI1'))).toHaveCount(4);
  expect(await sorts(pane(page, 'GSI1'))).toEqual(['USER#BILLGATES', 'TICKET#3', 'TICKET#2', 'TICKET#1']);

  await open('picture/Org?p.panes=GSI1');
  await expect(pane(page, 'GSI1').getByTestId('pane-note')).toHaveText('not in the index: 2');
  await expect(pane(page).getByTestId('pane-count')).toContainText('8 items in 5 collections');
  const legend = page.getByRole('group', { name: 'Entity types' }).getByRole('button');
  expect((await legend.allInnerTexts()).map((each) => each.replace(/\s+/g, ' ').slice(2)).sort()).toEqual(['METADATA 2', 'TICKET 3', 'USER 3']);
  await legend.filter({ hasText: 'USER' }).click();
  await expect(pane(page).locator('.faded')).toHaveCount(5);
  await shot('picture');
  await pane(page).getByRole('button', { name: /Addresses/ }).first().click();
  await expect(page.getByRole('dialog', { name: 'Value' })).toContainText('Seattle');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Value' })).toBeHidden();
});

test('what the filter drops is struck through inside the box, and paid for', async ({ open, page, server, shot }) => {
  await server.createTable('Orders');
  const order = (n: number) => ({ pk: { S: 'pete' }, sk: { S: `ORDER#${n}` }, total: { N: String(n) }, text: { S: 'x'.repeat(2000) } });
  await server.putItems('Orders', [...Array.from({ length: 6 }, (_, n) => order(n + 1)), { pk: { S: 'pete' }, sk: { S: 'PROFILE' } }]);
  const filter = encodeURIComponent(JSON.stringify(['AND', ['>', 'total', 'N', '4']]));
  await open(`explore/Orders?mode=query&pk=pete&sk=${condition('begins_with', 'ORDER#')}&filter=${filter}&show=picture`);
  const line = page.getByTestId('query-line');
  await expect(line).toContainText('reads 6 items');
  await expect(line).toContainText('The filter drops 4 of them');
  await expect(pane(page).locator('.dropped')).toHaveCount(4);
  await expect(pane(page).locator('[data-read]')).toHaveCount(6);
  await expect(rows(pane(page))).toHaveCount(7);
  await expect(pane(page).locator('.dropped .pic-sort').first()).toHaveCSS('text-decoration-line', 'line-through');
  const { ConsumedCapacity } = await server.call('Query', {
    TableName: 'Orders', ReturnConsumedCapacity: 'TOTAL', KeyConditionExpression: 'pk = :p AND begins_with(sk, :s)', FilterExpression: '#t > :t',
    ExpressionAttributeNames: { '#t': 'total' }, ExpressionAttributeValues: { ':p': { S: 'pete' }, ':s': { S: 'ORDER#' }, ':t': { N: '4' } },
  });
  expect(ConsumedCapacity.CapacityUnits).toBeGreaterThan(1);
  await expect(line).toContainText(`${ConsumedCapacity.CapacityUnits} read units`);
  await shot('picture-filter');
});

test('of 5,000 items those in view are drawn, and a strip scrolls to the others', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await server.createTable('Big');
  const kinds = ['ORDER', 'ITEM', 'USER'];
  const items = Array.from({ length: 5000 }, (_, n) => ({ pk: { S: `C#${n % 97}` }, sk: { S: `${kinds[n % 3]}#${n}` }, n: { N: String(n) }, name: { S: `name ${n}` }, m: { M: { a: { S: 'b' } } } }));
  await Promise.all([0, 1250, 2500, 3750].map((from) => server.putItems('Big', items.slice(from, from + 1250))));
  await open('picture/Big');
  await expect(pane(page).getByTestId('pane-count')).toContainText('5,000 items in 97 collections');
  await expect(page.getByText('there are more')).toBeHidden();
  // Drawn anew by one click: nodes that are made.
  const made = await page.getByText('Aligned', { exact: true }).evaluate(async (element) => {
    let made = 0;
    new MutationObserver((list) => {
      for (const { addedNodes } of list) for (const node of addedNodes) made += node instanceof Element ? 1 + node.querySelectorAll('*').length : 1;
    }).observe(document, { subtree: true, childList: true });
    (element as HTMLElement).click();
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return made;
  });
  expect(made).toBeLessThan(2000); // of all items: ten times as many
  await expect(pane(page).locator('.pic-names').first()).toBeVisible();
  expect(await rows(pane(page)).count()).toBeLessThan(120);
  const strip = page.getByRole('img', { name: 'Sizes of 97 collections' });
  const box = (await strip.boundingBox())!;
  const first = await pane(page).locator('.pic-band-text b').first().innerText();
  await page.mouse.click(box.x + 10, box.y + box.height - 8);
  await expect(pane(page).locator('.pic-band-text b').first()).not.toHaveText(first);
  await shot('picture-strip');
});

test('a picture is saved as SVG and as PNG', async ({ open, page, server }) => {
  await makeTickets(server);
  await open('picture/Org?p.panes=GSI1');
  await expect(rows(pane(page, 'GSI1'))).toHaveCount(6);
  const save = async (kind: string) => {
    await page.getByRole('button', { name: 'Save picture' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: kind }).click()]);
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
  };
  const svg = await save('As SVG');
  expect(svg.name).toBe('Org-GSI1.svg');
  expect(svg.content.toString()).toContain('Index GSI1');
  expect(svg.content.toString()).toContain('>METADATA#MICROSOFT<');
  const png = await save('As PNG');
  expect(png.name).toBe('Org-GSI1.png');
  expect(png.content.subarray(1, 4).toString()).toBe('PNG');
  expect(png.content.length).toBeGreaterThan(10_000);
});

test('hostile and huge texts: the SVG is valid XML without them as elements, the PNG is drawn', async ({ open, page, server, context, shot }) => {
  test.setTimeout(90_000);
  await server.createTable('Hostile');
  const script = '<script>alert(1)</script>';
  const emoji = `${'x'.repeat(32)}\u{1f600}\u{1f600}`; // would be cut inside of a pair
  const item = (sk: string, more: Json) => ({ pk: { S: `<&"'> ${script}` }, sk: { S: sk }, ...more });
  await server.putItems('Hostile', [
    item(`A#${emoji}#1`, { [script]: { S: ']]> &amp; &' }, [`${emoji}n`]: { S: emoji } }),
    item(`A#${emoji}#2`, { bell: { S: '\u0000\u0001\u001b\ufffe' }, lines: { S: 'a\r\n\tb' } }),
    item('C#3', { huge: { S: '&'.repeat(390_000) }, constructor: { N: '1' } }),
    item('D#4', { type: { S: `${script} `.repeat(10_000) }, ['n'.repeat(60_000)]: { BOOL: true }, deep: { M: { [script]: { S: script } } } }),
  ]);
  const save = async (kind: string) => {
    await page.getByRole('button', { name: 'Save picture' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: kind }).click()]);
    return readFileSync(await download.path());
  };
  for (const view of ['p.align=packed', 'p.align=aligned&p.fold=1', 'p.align=packed&p.type=C']) {
    await open(`picture/Hostile?${view}`);
    await expect(pane(page).getByTestId('pane-count')).toContainText('4 items in 1 collection');
    const svg = (await save('As SVG')).toString();
    expect(svg.length).toBeLessThan(20_000);
    const reader = await context.newPage(); // without the console's policy, which refuses to parse text
    const read = await reader.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      return { root: parsed.documentElement.localName, names: [...new Set([...parsed.querySelectorAll('*')].map((each) => each.localName))].sort(), faded: parsed.querySelectorAll('g[opacity]').length, text: parsed.documentElement.textContent };
    }, svg);
    await reader.close();
    expect(read.root).toBe('svg');
    expect(read.names).not.toContain('script');
    expect(read.names).not.toContain('parsererror');
    expect(read.text).toContain(`<&"'> <script>`);
    expect(read.faded).toBe(view.endsWith('type=C') ? 3 : 0);
    expect((await save('As PNG')).subarray(1, 4).toString()).toBe('PNG');
  }
  const widths = await page.locator('.pic-type').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
  expect(Math.max(...widths)).toBeLessThan(400);
  await shot('picture-hostile');
});

test('units of the box are those of the real query: pages, strong reads, an index with several key attributes', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await server.call('CreateTable', {
    TableName: 'Games', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [...strings('pk', 'sk', 'region'), { AttributeName: 'season', AttributeType: 'N' }], KeySchema: schema('pk', 'sk'),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'wide', Projection: { ProjectionType: 'ALL' },
        KeySchema: [['pk', 'HASH'], ['region', 'HASH'], ['season', 'RANGE'], ['sk', 'RANGE']].map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
      },
    ],
  });
  const items = Array.from({ length: 30 }, (_, n) => ({ pk: { S: 'go' }, sk: { S: `s${n}` }, region: { S: n % 5 ? 'eu' : 'us' }, season: { N: String(n % 7) }, text: { S: 'x'.repeat(50_000 + n) } }));
  for (let at = 0; at < items.length; at += 10) await server.putItems('Games', items.slice(at, at + 10));
  const real = async (input: Json) => {
    const sum = { pages: 0, units: 0, scanned: 0 };
    let start: Json | undefined;
    do {
      const reply = await server.call('Query', { TableName: 'Games', ReturnConsumedCapacity: 'TOTAL', ...input, ExclusiveStartKey: start });
      sum.pages++;
      sum.units += reply.ConsumedCapacity.CapacityUnits;
      sum.scanned += reply.ScannedCount;
      start = reply.LastEvaluatedKey;
    } while (start);
    return sum;
  };
  const filter = encodeURIComponent(JSON.stringify(['AND', ['>', 'season', 'N', '4']]));
  const values = { ':p': { S: 'go' }, ':n': { N: '4' } };
  const cases: [string, Json, number][] = [
    [`pk=go&filter=${filter}`, { KeyConditionExpression: 'pk = :p', FilterExpression: 'season > :n', ExpressionAttributeValues: values }, 2],
    [`pk=go&consistent=1`, { KeyConditionExpression: 'pk = :p', ConsistentRead: true, ExpressionAttributeValues: { ':p': values[':p'] } }, 2],
    [
      'index=wide&pk=go&pk=eu', { IndexName: 'wide', KeyConditionExpression: 'pk = :p AND #r = :r', ExpressionAttributeNames: { '#r': 'region' }, ExpressionAttributeValues: { ':p': values[':p'], ':r': { S: 'eu' } } }, 2,
    ],
  ];
  for (const [address, input, pages] of cases) {
    await open(`explore/Games?mode=query&${address}&show=picture`);
    const sum = await real(input);
    expect(sum.pages).toBe(pages);
    await expect(page.getByTestId('query-line')).toContainText(`reads ${sum.scanned} items`);
    await expect(page.getByTestId('query-line')).toContainText(`, ${sum.units.toLocaleString('en')} read units`);
  }
  await expect(pane(page, 'wide').locator('.pic-band-text b')).toHaveText(['go / eu']);
  await expect(pane(page, 'wide').locator('[data-read]').first()).toContainText('0 / s14');
  await shot('picture-several-keys');
});

test('by keyboard: rows, folds, and an item is opened', async ({ open, page, server }) => {
  await server.createTable('Places');
  await server.putItems('Places', ['TX#1', 'TX#2', 'WA#1'].map((sk) => ({ pk: { S: 'USA' }, sk: { S: sk } })));
  await open('picture/Places?p.fold=1');
  const grid = page.getByRole('grid', { name: 'Item collections of Places' });
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(rows(pane(page))).toHaveCount(2);
  await page.keyboard.press('ArrowDown');
  await expect(pane(page).locator('.active')).toContainText('TX#1');
});
