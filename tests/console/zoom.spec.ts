/** At 200 % a window of 1280×800 has 640×400: every page can be used, none scrolls sideways, nothing is cut. */
import type { Page } from '@playwright/test';
import { serious } from './axe.ts';
import { expect, test } from './fixtures.ts';

const KEY = encodeURIComponent('{"pk":{"S":"a"},"sk":{"S":"b"}}');
const PATHS = [
  'tables', 'tables/new', 'tables/Music', 'tables/Music?tab=indexes', 'tables/Music?tab=code', 'explore', 'explore/Music', 'explore/Music?mode=query&pk=a&sk=%5B"between","a","c"%5D',
  'explore/Music?show=picture', 'picture/Music', `item/Music?key=${KEY}`, 'item/Music?new=1', 'partiql', 'import?table=Music', 'export?table=Music', 'models',
  'watch', 'watch?tab=keys&table=Music', 'watch?tab=jobs', 'watch?tab=stream&table=Music', 'any',
];

/** What reaches over the window's edge, or over that of a box that does not scroll. */
function cut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} px wide, the window ${clientWidth}`);
    for (const element of document.querySelectorAll<HTMLElement>('button, a[href], input:not([type=file]), textarea, select, [role=tab], [role=combobox], h1, h2, label')) {
      const box = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      if (!box.width || !box.height || style.visibility !== 'visible' || element.closest('[aria-hidden=true], .off-screen, [inert]')) continue;
      let [left, right] = [0, clientWidth];
      let scrolls = false;
      for (let parent = element.parentElement; parent && !scrolls; parent = parent.parentElement) {
        const { overflowX, position } = getComputedStyle(parent);
        if (['auto', 'scroll'].includes(overflowX)) scrolls = true;
        if (['hidden', 'clip'].includes(overflowX)) {
          const outer = parent.getBoundingClientRect();
          [left, right] = [Math.max(left, outer.left), Math.min(right, outer.right)];
        }
        if (position === 'fixed') break;
      }
      // Cloudscape hides native inputs under its own marks.
      if (scrolls || style.opacity === '0' || style.clipPath !== 'none' || box.width < 2) continue;
      if (box.left < left - 1 || box.right > right + 1) {
        found.push(`${element.tagName} “${(element.ariaLabel ?? element.textContent ?? '').trim().slice(0, 40)}” from ${Math.round(box.left)} to ${Math.round(box.right)}, seen from ${Math.round(left)} to ${Math.round(right)}`);
      }
    }
    return found;
  });
}

test('every page at 200 %', async ({ open, page, server, shot }) => {
  test.setTimeout(300_000);
  await page.setViewportSize({ width: 640, height: 400 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await server.createTable('Music', { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  await server.putItems('Music', [{ pk: { S: 'a' }, sk: { S: 'b' }, tags: { SS: ['x'] }, long: { S: 'x'.repeat(200) } }]);
  const faults: string[] = [];
  for (const path of PATHS) {
    await open(path);
    await expect(page.locator('main h1')).toBeVisible();
    await page.waitForTimeout(300);
    for (const fault of [...(await cut(page)), ...(await serious(page))]) faults.push(`${path}: ${fault}`);
  }
  expect(faults).toEqual([]);
  await shot('zoom');
  // The navigation is over the page, not beside it.
  await open('tables');
  await page.getByRole('button', { name: 'Show the navigation' }).click();
  expect(await cut(page)).toEqual([]);
  await page.getByRole('link', { name: 'Watch' }).click();
  await expect(page).toHaveURL(/watch/);
  await expect(page.getByRole('button', { name: 'Show the navigation' })).toBeVisible();
  // A dialog fits, and its button can be reached.
  await open('tables/Music');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  expect(await cut(page)).toEqual([]);
  await page.getByRole('dialog').getByLabel(/To confirm/).fill('Music');
  await page.getByTestId('confirm').click();
  await expect.poll(async () => (await server.call('ListTables', {})).TableNames).toEqual([]);
});
