/** Reading the grid of items, which has only the rows in sight. */
import type { Page } from '@playwright/test';

/** The texts of a column, from the first row on. */
export async function column(page: Page, name: string): Promise<string[]> {
  return page.getByRole('grid').evaluate((grid, wanted) => {
    const header = [...grid.querySelectorAll('[role=columnheader]')].find((each) => each.textContent === wanted);
    const index = header?.getAttribute('aria-colindex');
    const rows = [...grid.querySelectorAll('[role=row]')].slice(1);
    rows.sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')));
    return index ? rows.map((row) => row.querySelector(`[role=gridcell][aria-colindex="${index}"]`)?.textContent ?? '') : [];
  }, name);
}

export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
