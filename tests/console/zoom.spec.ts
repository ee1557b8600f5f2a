/** At 200 % a window of 1280×800 has 640×400: every page can be used, none scrolls sideways, nothing is cut. */
import type { Page } from '@playwright/test';
import { serious } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { makeMusic, PLACES } from './places.ts';

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

test('every page at 200 %', async ({ go, page, server, settled, shot }) => {
  test.setTimeout(300_000);
  await page.setViewportSize({ width: 640, height: 400 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await makeMusic(server);
  const faults: string[] = [];
  for (const path of PLACES) {
    await go(path);
    await expect(page.locator('main h1')).toBeVisible();
    await settled();
    for (const fault of [...(await cut(page)), ...(await serious(page))]) faults.push(`${path}: ${fault}`);
  }
  expect(faults).toEqual([]);
  await shot('zoom');
  // The navigation is over the page, not beside it.
  await go('tables');
  await page.getByRole('button', { name: 'Show the navigation' }).click();
  expect(await cut(page)).toEqual([]);
  await page.getByRole('link', { name: 'Watch' }).click();
  await expect(page).toHaveURL(/watch/);
  await expect(page.getByRole('button', { name: 'Show the navigation' })).toBeVisible();
  // A dialog fits, and its button can be reached.
  await go('tables/Music');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  expect(await cut(page)).toEqual([]);
  await page.getByRole('dialog').getByLabel(/To confirm/).fill('Music');
  await page.getByTestId('confirm').click();
  await expect.poll(async () => (await server.call('ListTables', {})).TableNames).toEqual([]);
});
