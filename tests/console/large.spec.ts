/** Large results: frames while jumping, layout shift, memory. Frames are asserted where the machine is not busy otherwise. */
import { cpus, loadavg } from 'node:os';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { rendererMemory, threadTime } from './threads.ts';

const MIB = 1024 * 1024;

async function watchShift(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = window as unknown as { shift: number };
    seen.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) if (!entry.hadRecentInput) seen.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

const shiftOf = (page: Page) => page.evaluate(() => (window as unknown as { shift: number }).shift);

/** Scrolls to places all over the grid; the times between frames, in order of length. */
const jump = (page: Page, times: number): Promise<number[]> =>
  page.getByRole('grid').evaluate(async (grid, times) => {
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
  }, times);

/** What the page holds, without garbage. */
async function memory(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.detach();
  return rendererMemory();
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
  await watchShift(page);
  await open('explore/Packages?mode=query&pk=all');
  await expect(page.getByTestId('read-on')).toBeVisible();
  await readAll(page, count);

  const load = loadavg()[0]!;
  const before = threadTime('main');
  const jumps = 60;
  const frames = await jump(page, jumps);
  const busy = (threadTime('main') - before) / jumps;
  const p95 = frames[Math.floor(frames.length * 0.95)]!;
  const measured = `frames: p95 ${p95.toFixed(0)} ms, longest ${frames.at(-1)!.toFixed(0)} ms; a jump ${busy.toFixed(1)} ms of processor; memory ${((await memory(page)) / MIB).toFixed(0)} MiB; load ${load.toFixed(1)}`;
  console.log(measured);
  info.annotations.push({ type: 'measured', description: measured });
  await showsEnds(page, '0059999');
  expect(await shiftOf(page)).toBeLessThanOrEqual(0.01);
  if (load < cpus().length) expect(p95).toBeLessThan(33);
});

test('a million items: no shift, and far pages are dropped and read again', async ({ open, page, server }, info) => {
  test.setTimeout(300_000);
  const [count, perPage] = [1_000_000, 10_000];
  await server.createTable('Million');
  let replies = 0;
  await page.route('**/', async (route) => {
    if (!route.request().headers()['x-amz-target']?.endsWith('.Query')) return route.fallback();
    const { ExclusiveStartKey: start } = route.request().postDataJSON();
    const first = start ? Number(start.sk.S) + 1 : 0;
    const items: string[] = [];
    for (let n = first; n < first + perPage; n++) items.push(`{"pk":{"S":"all"},"sk":{"S":"${String(n).padStart(7, '0')}"},"weight":{"N":"${n}"},"text":{"S":"a text of some words"}}`);
    const last = first + perPage - 1;
    const next = last < count - 1 ? `,"LastEvaluatedKey":{"pk":{"S":"all"},"sk":{"S":"${String(last).padStart(7, '0')}"}}` : '';
    replies++;
    await route.fulfill({
      contentType: 'application/x-amz-json-1.0',
      body: `{"Items":[${items.join(',')}],"Count":${perPage},"ScannedCount":${perPage},"ConsumedCapacity":{"CapacityUnits":128}${next}}`,
    });
  });
  await watchShift(page);
  await open('explore/Million?mode=query&pk=all');
  await expect(page.getByTestId('read-on')).toBeVisible();
  const before = await memory(page);
  await readAll(page, count);
  const held = (await memory(page)) - before;
  expect(replies).toBe(count / perPage);
  await jump(page, 20);
  await showsEnds(page, '0999999');
  expect(replies).toBeGreaterThan(count / perPage); // the first page again
  const after = (await memory(page)) - before;
  const measured = `memory of the results ${(held / MIB).toFixed(0)} MiB, after jumps ${(after / MIB).toFixed(0)} MiB; load ${loadavg()[0]!.toFixed(1)}`;
  console.log(measured);
  info.annotations.push({ type: 'measured', description: measured });
  expect(Math.max(held, after)).toBeLessThan(300 * MIB);
  expect(await shiftOf(page)).toBeLessThanOrEqual(0.01);
});
