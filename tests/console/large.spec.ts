/** Large results: rows made while jumping, layout shift, memory. Frames are only reported: they take as long as the machine lets them. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openBare } from './bare.ts';
import { expect, type Json, Server, tableOf, test } from './fixtures.ts';
import { choose, column } from './grid.ts';
import { mainThreadTime, rendererMemory } from './threads.ts';
import { serveUnbuilt } from './unbuilt.ts';

const MIB = 1024 * 1024;

/** Sums in window.shift what moved without an input. */
function sumShift(): void {
  const seen = window as unknown as { shift: number };
  seen.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) if (!entry.hadRecentInput) seen.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}

const shiftOf = (page: Page) => page.evaluate(() => (window as unknown as { shift: number }).shift);

/** Scrolls to places all over the grid; the times between frames, in order of length. */
async function scrollAround(grid: Element, times: number): Promise<number[]> {
  const frames: number[] = [];
  let last = await new Promise<number>(requestAnimationFrame);
  for (let n = 0; n < times; n++) {
    grid.scrollTop = ((n * 0.618) % 1) * grid.scrollHeight;
    for (let frame = 0; frame < 8; frame++) {
      const now = await new Promise<number>(requestAnimationFrame);
      frames.push(now - last);
      last = now;
    }
  }
  return frames.sort((a, b) => a - b);
}

async function readAll(page: Page, count: number): Promise<void> {
  await page.getByRole('button', { name: 'Read to the end' }).click();
  await expect(page.getByTestId('summary')).toContainText(`${count.toLocaleString('en')} items`, { timeout: 240_000 });
  await expect(page.getByTestId('summary')).toContainText('complete');
}

/** What the page holds, without garbage; as Playwright looks on, with a copy of each reply. */
async function memory(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.detach();
  return rendererMemory();
}

/** The sort keys of the first item of a scan and of the last. */
async function ends(server: Server): Promise<{ first: string; last: string }> {
  const found: string[] = [];
  let start: Json | undefined;
  do {
    const reply = await server.call('Scan', { TableName: 'Packages', ProjectionExpression: 'PackageVersion', ExclusiveStartKey: start });
    found.push(reply.Items[0].PackageVersion.S, reply.Items.at(-1).PackageVersion.S);
    start = reply.LastEvaluatedKey;
  } while (start);
  return { first: found[0]!, last: found.at(-1)! };
}

/** The last row, and then the first, whose page was dropped meanwhile. */
async function showsEnds(page: Page, last: string, first: string): Promise<void> {
  const grid = page.getByRole('grid');
  await grid.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Home');
  await expect(grid.getByRole('gridcell', { name: last, exact: true })).toBeVisible();
  await page.keyboard.press('Control+Home');
  await expect(grid.getByRole('gridcell', { name: first, exact: true })).toBeVisible();
}

/** The records of Debian's package index as items, each key once; they have a field in each line, or continue it after a blank. */
function packagesIn(text: string): Json[] {
  const found = new Map<string, Json>();
  for (const record of text.split(/\n\n+/)) {
    const item: Json = { Section: { S: 'unknown' }, Maintainer: { S: 'unknown' } };
    for (const [, name, value] of record.matchAll(/^([^\s:]+):(.*(?:\n[ \t].*)*)/gm)) {
      item[name!] = ['Size', 'Installed-Size'].includes(name!) ? { N: value!.trim() } : { S: value!.trim() };
    }
    if (!item.Package) continue;
    item.PackageVersion = { S: `${item.Package.S}#${item.Version.S}` };
    found.set(`${item.Section.S} ${item.PackageVersion.S}`, item);
  }
  return [...found.values()];
}

/** How many items have each value of an attribute: the most first. */
function counted(items: Json[], name: string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item[name].S, (counts.get(item[name].S) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

const packages = test.extend<{ items: Json[] }>({
  items: async ({}, use, info) => {
    const text = execFileSync('apt-cache', ['dumpavail'], { encoding: 'utf8', maxBuffer: 1 << 30 });
    info.skip(!text.includes('\nFilename: '), 'this machine has no package lists; fetch them with: apt-get update');
    await use(packagesIn(text));
  },
  server: async ({ items }, use) => {
    const server = new Server();
    const keys = (partition: string) => [{ AttributeName: partition, KeyType: 'HASH' }, { AttributeName: 'PackageVersion', KeyType: 'RANGE' }];
    writeFileSync(join(server.folder, 'Packages.json'), JSON.stringify(tableOf('Packages', {
      AttributeDefinitions: ['Section', 'PackageVersion', 'Maintainer'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })), KeySchema: keys('Section'),
      GlobalSecondaryIndexes: [{ IndexName: 'ByMaintainer', KeySchema: keys('Maintainer'), Projection: { ProjectionType: 'KEYS_ONLY' } }],
    })));
    writeFileSync(join(server.folder, 'Packages.jsonl'), items.map((Item) => JSON.stringify({ Item })).join('\n'));
    await server.start(['--seed', server.folder]);
    await use(server);
    await server.stop();
  },
});

packages('scenario 11: 60,000 packages', { tag: '@alone' }, async ({ open, page, server, items, shot }, info) => {
  packages.setTimeout(300_000);
  const count = items.length;
  expect(count).toBeGreaterThan(50_000);
  await page.addInitScript(sumShift);
  await open('tables');
  await expect(page.getByRole('row', { name: /Packages/ })).toContainText(count.toLocaleString('en'));
  await page.getByRole('row', { name: /Packages/ }).getByRole('link', { name: 'Explore' }).click();
  await page.getByText('Query', { exact: true }).click();
  const [toTheEnd, summary] = [page.getByRole('button', { name: 'Read to the end' }), page.getByTestId('summary')];
  const runs = async (what: RegExp) => {
    await page.getByTestId('run').click();
    await expect(async () => {
      if (await toTheEnd.isVisible()) await toTheEnd.click();
      await expect(summary).toContainText(what, { timeout: 2000 });
      await expect(summary).toContainText('complete', { timeout: 2000 });
    }).toPass();
  };
  const numbered = (number: number) => new RegExp(`^${number.toLocaleString('en')} items?`);

  // How many there are in the largest sections, and of the busiest maintainers.
  await page.getByLabel('Count only').check();
  for (const [section, number] of counted(items, 'Section').slice(0, 3)) {
    await page.getByLabel('Section =').fill(section);
    await runs(numbered(number));
  }
  await page.getByRole('button', { name: 'Table or index' }).click();
  await page.getByRole('option', { name: /^ByMaintainer/ }).click();
  for (const [maintainer, number] of counted(items, 'Maintainer').slice(0, 2)) {
    await page.getByLabel('Maintainer =').fill(maintainer);
    await runs(numbered(number));
  }

  // A prefix.
  await page.getByRole('button', { name: 'Table or index' }).click();
  await page.getByRole('option', { name: /^Table/ }).click();
  await page.getByLabel('Count only').uncheck();
  await page.getByLabel('Section =').fill('editors');
  await choose(page, 'Condition on PackageVersion', 'begins with');
  await page.getByLabel('PackageVersion begins_with').fill('vim-s');
  const editors = items.filter((each) => each.Section.S === 'editors' && each.PackageVersion.S.startsWith('vim-s')).map((each) => each.PackageVersion.S as string);
  await runs(numbered(editors.length));
  expect(await column(page, 'PackageVersion')).toEqual(editors.sort());

  // The largest package: one of all is as large.
  const sizes = items.map((each) => Number(each.Size?.N ?? 0));
  const largest = Math.max(...sizes);
  await page.getByText('Scan', { exact: true }).click();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('Attribute or path').fill('Size');
  await page.keyboard.press('Escape');
  await choose(page, 'Operator for Size', '≥');
  await choose(page, 'Type of the value for Size', 'Number');
  await page.getByLabel('Value for Size', { exact: true }).fill(String(largest));
  await runs(new RegExp(`^1 of ${count.toLocaleString('en')} match`));
  expect(await column(page, 'PackageVersion')).toEqual([items[sizes.indexOf(largest)]!.PackageVersion.S]);
  await page.getByRole('button', { name: 'Remove the condition of Size' }).click();

  // All of them in the grid, where nothing shifts.
  await page.evaluate(() => void ((window as unknown as { shift: number }).shift = 0));
  await page.getByTestId('run').click();
  await expect(page.getByTestId('read-on')).toBeVisible();
  const before = await memory(page);
  await readAll(page, count);
  const held = (await memory(page)) - before;
  const load = loadavg()[0]!;
  const start = mainThreadTime();
  const jumps = 60;
  const made = await page.getByRole('grid').evaluateHandle((grid) => {
    const made = { rows: 0 };
    new MutationObserver((list) => {
      for (const { addedNodes } of list) for (const node of addedNodes) made.rows += Number(node instanceof Element && node.role === 'row');
    }).observe(grid, { subtree: true, childList: true });
    return made;
  });
  const frames = await page.getByRole('grid').evaluate(scrollAround, jumps);
  const busy = (mainThreadTime() - start) / jumps;
  const p95 = frames[Math.floor(frames.length * 0.95)]!;
  const measured = `frames: p95 ${p95.toFixed(0)} ms, longest ${frames.at(-1)!.toFixed(0)} ms; a jump ${busy.toFixed(1)} ms of processor; memory of the results ${(held / MIB).toFixed(0)} MiB; load ${load.toFixed(1)}`;
  console.log(measured);
  info.annotations.push({ type: 'measured', description: measured });
  // A jump draws into the rows that are there, but for one or two more where it ends.
  expect(await made.evaluate((each) => each.rows)).toBeLessThan(3 * jumps);
  const rows = await ends(server);
  await showsEnds(page, rows.last, rows.first);
  await shot('packages');
  expect(held).toBeLessThan(300 * MIB);
  expect(await shiftOf(page)).toBeLessThanOrEqual(0.01);
});

test('a million items: the page holds less than 200 MiB, does not shift, and reads far pages again', { tag: '@alone' }, async ({ browser, server }, info) => {
  test.setTimeout(300_000);
  const [count, perPage] = [1_000_000, 10_000];
  await server.createTable('Million');
  let replies = 0;
  const keyOf = (n: number) => `"pk":{"S":"all"},"sk":{"S":"${String(n).padStart(7, '0')}"}`;
  const front = await serveUnbuilt(process.env.CONSOLE_DIST, server.direct, (target, { ExclusiveStartKey: start }) => {
    if (!target.endsWith('.Query')) return undefined;
    replies++;
    const first = start ? Number(start.sk.S) + 1 : 0;
    const items = Array.from({ length: perPage }, (_, n) => `{${keyOf(first + n)},"weight":{"N":"${first + n}"},"text":{"S":"a text of some wörds – 四字"}}`);
    const last = first + perPage - 1;
    const next = last < count - 1 ? `,"LastEvaluatedKey":{${keyOf(last)}}` : '';
    return `{"Items":[${items.join(',')}],"Count":${perPage},"ScannedCount":${perPage},"ConsumedCapacity":{"CapacityUnits":128}${next}}`;
  });
  const tab = await openBare(browser, `${front.url}/console/explore/Million?mode=query&pk=all`);
  const memory = async () => {
    await tab.collectGarbage();
    return rendererMemory() / MIB;
  };
  const summary = `(document.querySelector('[data-testid=summary]')?.textContent ?? '')`;
  const grid = `document.querySelector('[role=grid]')`;
  const shows = (text: string) => tab.until(`[...${grid}.querySelectorAll('[role=gridcell]')].some((each) => each.textContent === '${text}')`);
  try {
    await tab.until(`${summary}.includes('there is more')`);
    await tab.evaluate(`(${sumShift})()`);
    const before = await memory();
    await tab.evaluate(`[...document.querySelectorAll('button')].find((each) => each.textContent.trim() === 'Read to the end').click()`);
    await tab.until(`${summary}.includes('1,000,000 items') && ${summary}.includes('complete')`, 240_000);
    const held = await memory();
    expect(replies).toBe(count / perPage);
    await tab.evaluate(`(${scrollAround})(${grid}, 20)`);
    await tab.evaluate(`${grid}.scrollTop = ${grid}.scrollHeight`);
    await shows('0999999');
    await tab.evaluate(`${grid}.scrollTop = 0`);
    await shows('0000000');
    expect(replies).toBeGreaterThan(count / perPage); // the first page again
    const after = await memory();
    const shift = await tab.evaluate<number>('shift');
    const measured = `memory of the page ${before.toFixed(0)} MiB after one page, ${held.toFixed(0)} after all, ${after.toFixed(0)} after jumps; shift ${shift.toFixed(3)}; load ${loadavg()[0]!.toFixed(1)}`;
    console.log(measured);
    info.annotations.push({ type: 'measured', description: measured });
    expect(Math.max(held, after)).toBeLessThan(200);
    expect(shift).toBeLessThanOrEqual(0.01);
  } finally {
    await tab.close();
    front.close();
  }
});
