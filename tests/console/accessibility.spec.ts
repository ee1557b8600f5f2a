/** axe on every page and on the dialogs, light and dark: nothing serious or critical. */
import { seriousInBoth } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { makeMusic, PLACES } from './places.ts';

test('pages and dialogs', async ({ go, page, server, settled }) => {
  test.setTimeout(300_000); // axe takes seconds a page on a busy machine
  await makeMusic(server);
  const faults: string[] = [];
  const look = async (where: string) => {
    for (const fault of await seriousInBoth(page, settled)) faults.push(`${where}: ${fault}`);
  };
  for (const path of PLACES) {
    await go(path);
    await expect(page.locator('main h1')).toBeVisible();
    await look(path);
  }
  await go('tables/Music');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await look('the dialog that deletes');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await look('the palette');
  expect(faults).toEqual([]);
});

test('a model', async ({ open, page, settled }) => {
  test.setTimeout(120_000);
  await open('models');
  await page.getByRole('button', { name: 'New model' }).click();
  const faults: string[] = [];
  for (const add of ['Index', 'Facet', 'Attribute']) await page.getByRole('button', { name: add, exact: true }).click();
  for (const [view, seen] of [['design', 'Global indexes'], ['picture', 'Save picture'], ['difference', 'Compare again']]) {
    await page.getByTestId(view!).click();
    await expect(page.getByText(seen!)).toBeVisible();
    for (const fault of await seriousInBoth(page, settled)) faults.push(`${view}: ${fault}`);
  }
  expect(faults).toEqual([]);
});
