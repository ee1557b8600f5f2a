/** Large results: frames while jumping, layout shift, memory. Frames are asserted where the machine is not busy otherwise. */
import { cpus, loadavg } from 'node:os';
import type { Page } from '@playwright/test';
import { openBare } from './bare.ts';
import { expect, test } from './fixtures.ts';
import { rendererMemory, threadTime } from './threads.ts';
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

/** The last row, and then the first, whose page was dropped meanwhile. */
async function showsEnds(page: Page, last: string): Promise<void> {
  const grid = page.getByRole('grid');
  await grid.focus();
  await page.keyboard.press('Control+End');
  await expect(grid.getByRole('gridcell', { name: last, exact: true })).toBeVisible();
  await page.keyboard.press('Control+Home');
  await expect(grid.getByRole('gridcell', { name: '0000000', exact: true })).toBeVisible();
}

test('60,000 items of 1.5 kB are jumped through without a stop', async ({ open, page, server }, info) => {
  test.setTimeout(300_000);
  const count = 60_000;
  await server.createTable('Packages');
  const text = 'x'.repeat(1400);
  const itemOf = (n: number) => ({ pk: { S: 'all' }, sk: { S: String(n).padStart(7, '0') }, weight: { N: String(n) }, text: { S: text } });
  let from = 0;
  const write = async () => {
    for (let at = from; at < count; at = from) {
      from += 25;
      await server.putItems('Packages', Array.from({ length: 25 }, (_, n) => itemOf(at + n)));
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));
  await page.addInitScript(sumShift);
  await open('explore/Packages?mode=query&pk=all');
  await expect(page.getByTestId('read-on')).toBeVisible();
  await readAll(page, count);

  const load = loadavg()[0]!;
  const before = threadTime('main');
  const jumps = 60;
  const frames = await page.getByRole('grid').evaluate(scrollAround, jumps);
  const busy = (threadTime('main') - before) / jumps;
  const p95 = frames[Math.floor(frames.length * 0.95)]!;
  const measured = `frames: p95 ${p95.toFixed(0)} ms, longest ${frames.at(-1)!.toFixed(0)} ms; a jump ${busy.toFixed(1)} ms of processor; load ${load.toFixed(1)}`;
  console.log(measured);
  info.annotations.push({ type: 'measured', description: measured });
  await showsEnds(page, '0059999');
  expect(await shiftOf(page)).toBeLessThanOrEqual(0.01);
  if (load < cpus().length) expect(p95).toBeLessThan(33);
});

test('a million items: the page holds less than 200 MiB, does not shift, and reads far pages again', async ({ browser, server }, info) => {
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
