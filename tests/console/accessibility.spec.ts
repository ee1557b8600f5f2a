/** axe on every page of the navigation and on the dialogs, light and dark: nothing serious or critical. */
import { serious } from './axe.ts';
import { expect, test } from './fixtures.ts';

const FILTER = encodeURIComponent(JSON.stringify(['AND', ['=', 'tags', 'SS', '["x"]'], ['OR', ['type', 'sk', 'S', 'S'], ['!between', 'sk', 'N', '1', 'x']]]));
const EXPLORED = [
  `/console/explore/Music?mode=query&pk=a&sk=["between","a","c"]&filter=${FILTER}`,
  '/console/explore/Music?show=dynamodb',
  '/console/explore/Music?show=picture',
  '/console/item/Music?key={"pk":{"S":"a"},"sk":{"S":"b"}}',
  '/console/item/Music?new=1',
  '/console/partiql?s=[["SELECT * FROM Music WHERE pk = ?",["S","a"]]]',
];

for (const scheme of ['light', 'dark'] as const) {
  test(`pages and dialogs, ${scheme}`, async ({ open, page, server }) => {
    test.setTimeout(300_000); // axe takes seconds a page on a busy machine
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await server.createTable('Music', { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
    await server.putItems('Music', [{ pk: { S: 'a' }, sk: { S: 'b' }, tags: { SS: ['x'] } }]);
    const faults: string[] = [];
    const look = async (where: string) => {
      await page.waitForTimeout(400);
      for (const fault of await serious(page)) faults.push(`${where}: ${fault}`);
    };
    await open('tables');
    const nav = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await expect(nav.first()).toBeVisible();
    const paths = await nav.evaluateAll((links) => links.map((link) => link.getAttribute('href')!));
    expect(paths.length).toBeGreaterThan(1);
    for (const path of [...paths, '/console/tables/new', '/console/tables/Music', '/console/tables/Music?tab=indexes', '/console/tables/Music?tab=code',
      '/console/picture/Music', '/console/watch?tab=keys&table=Music', '/console/watch?tab=jobs', '/console/watch?tab=stream&table=Music', ...EXPLORED]) {
      await page.goto(server.url + path);
      await expect(page.locator('main h1')).toBeVisible();
      await look(path);
    }
    await page.goto(`${server.url}/console/tables/Music`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await look('the dialog that deletes');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await look('the palette');
    expect(faults).toEqual([]);
  });
  test(`a model, ${scheme}`, async ({ open, page }) => {
    test.setTimeout(120_000);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await open('models');
    await page.getByRole('button', { name: 'New model' }).click();
    const faults: string[] = [];
    for (const add of ['Index', 'Facet', 'Attribute']) await page.getByRole('button', { name: add, exact: true }).click();
    for (const [view, seen] of [['design', 'Global indexes'], ['picture', 'Save picture'], ['difference', 'Compare again']]) {
      await page.getByTestId(view!).click();
      await expect(page.getByText(seen!)).toBeVisible();
      await page.waitForTimeout(400);
      for (const fault of await serious(page)) faults.push(`${view}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
}
