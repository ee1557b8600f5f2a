/** Models: a Workbench file is read, drawn, edited, made into tables and back; unknown members survive. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, type Json, test } from './fixtures.ts';

const key = (name: string, type = 'S') => ({ AttributeName: name, AttributeType: type });

/** Written for this test; members that begin with x are unknown to the console. */
function library(): Json {
  return {
    ModelName: 'Library',
    xSaved: [1, { deep: null }],
    ModelMetadata: { Author: 'us', DateCreated: 'Jan 02, 2026, 03:04 PM', DateLastModified: 'Jan 02, 2026, 03:04 PM', Description: '', AWSService: 'Amazon DynamoDB', Version: '2.0', xMeta: 'kept' },
    DataModel: [
      {
        TableName: 'Books',
        xTable: { queries: ['a', 'b'] },
        KeyAttributes: { PartitionKey: key('shelf'), SortKey: { ...key('place', 'N'), xFunction: 'f' } },
        NonKeyAttributes: [key('title'), key('author'), key('tags', 'SS')],
        TableFacets: [
          {
            FacetName: 'Book', KeyAttributeAlias: { PartitionKeyAlias: 'Shelf', SortKeyAlias: 'Place' }, NonKeyAttributes: ['title', 'author'],
            TableData: [{ shelf: { S: 'A' }, place: { N: '10' }, title: { S: 'Ten' }, author: { S: 'Woolf' } }], DataAccess: { MySql: {} },
          },
        ],
        GlobalSecondaryIndexes: [{ IndexName: 'by-author', KeyAttributes: { PartitionKey: key('author') }, Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['shelf', 'title'] }, xIndex: true }],
        TableData: [
          { shelf: { S: 'A' }, place: { N: '9' }, title: { S: 'Nine' }, author: { S: 'Joyce' } },
          { shelf: { S: 'B' }, place: { N: '1' }, tags: { SS: ['new', 'lent'] }, details: { M: { pages: 12, signed: true } } },
        ],
        DataAccess: { MySql: {} },
      },
      { TableName: 'Loans', KeyAttributes: { PartitionKey: key('reader') }, TableData: [{ reader: { S: 'r1' } }] },
    ],
  };
}

async function openFile(page: Page, folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, name);
  writeFileSync(path, content);
  await page.getByTestId('model-file').setInputFiles(path);
}

async function savedFile(page: Page): Promise<Json> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as file' }).click()]);
  return JSON.parse(readFileSync(await download.path(), 'utf8')) as Json;
}

test('a file is drawn, saved as it was, made into tables, compared, and made of tables again', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await open('models');
  await openFile(page, server.folder, 'library.json', JSON.stringify(library()));
  await expect(page).toHaveURL(/models\/library-/);
  const pane = page.getByTestId('pane-');
  // The facet's item and the table's, numbers in order, the facet as an entity type.
  await expect(pane.locator('[data-item] .pic-sort')).toHaveText(['9', '10', '1']);
  await expect(page.getByRole('group', { name: 'Entity types' })).toContainText('Book');
  await page.getByRole('button', { name: 'Shown beside' }).click();
  await page.getByRole('option', { name: 'Index by-author' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('pane-by-author').getByTestId('pane-note')).toHaveText('not in the index: 1');
  await shot('model');

  const saved = await savedFile(page);
  const wanted = library();
  wanted.ModelMetadata.Version = '3.0';
  expect(saved).toEqual(wanted);

  await page.getByRole('button', { name: 'Make tables' }).click();
  await page.getByRole('button', { name: 'Make 2 tables' }).click();
  await expect(page.getByText('2 tables with 4 items are on the server.')).toBeVisible({ timeout: 15_000 });
  const { Table } = await server.call('DescribeTable', { TableName: 'Books' });
  expect(Table.GlobalSecondaryIndexes[0].Projection).toEqual({ ProjectionType: 'INCLUDE', NonKeyAttributes: ['title'] });
  const { Items } = await server.call('Query', { TableName: 'Books', KeyConditionExpression: 'shelf = :s', ExpressionAttributeValues: { ':s': { S: 'A' } } });
  expect(Items.map((item: Json) => item.place.N)).toEqual(['9', '10']);
  const { Item } = await server.call('GetItem', { TableName: 'Books', Key: { shelf: { S: 'B' }, place: { N: '1' } } });
  expect(Item.details).toEqual({ M: { pages: { N: '12' }, signed: { BOOL: true } } });

  await page.getByText('Difference to the server').click();
  await expect(page.getByText('Keys, indexes and capacity are the same.')).toHaveCount(2);
  await expect(page.getByText('Sample items: 3 items the same, 0 with other attributes, 0 not on the server')).toBeVisible();
  await server.call('UpdateItem', { TableName: 'Books', Key: { shelf: { S: 'A' }, place: { N: '9' } }, UpdateExpression: 'SET title = :t', ExpressionAttributeValues: { ':t': { S: 'other' } } });
  await server.call('DeleteTable', { TableName: 'Loans' });
  await page.getByRole('button', { name: 'Compare again' }).click();
  await expect(page.getByText('2 items the same, 1 with other attributes')).toBeVisible();
  await expect(page.getByRole('row', { name: /Table Loans/ })).toBeVisible();
  await shot('model-difference');

  await open('models');
  await page.getByRole('button', { name: 'From tables' }).click();
  await page.getByRole('button', { name: 'Tables', exact: false }).last().click();
  await page.getByRole('option', { name: 'Books' }).click();
  await page.keyboard.press('Escape');
  await page.getByLabel('Name of the model').fill('Copy');
  await page.getByRole('button', { name: 'Make the model' }).click();
  await expect(page.getByRole('heading', { name: 'Copy' })).toBeVisible();
  const copy = await savedFile(page);
  expect(copy.ModelMetadata.Version).toBe('3.0');
  const table = copy.DataModel[0];
  expect(table.KeyAttributes).toEqual({ PartitionKey: key('shelf'), SortKey: key('place', 'N') });
  expect(table.GlobalSecondaryIndexes).toEqual([{ IndexName: 'by-author', KeyAttributes: { PartitionKey: key('author') }, Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['title'] } }]);
  const all = await server.call('Scan', { TableName: 'Books' });
  expect(table.TableData).toEqual(all.Items);
});

test('edits: keys, an index, a facet and an item; undo; what is unknown stays', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await open('models');
  await openFile(page, server.folder, 'library.json', JSON.stringify(library()));
  await expect(page.getByTestId('item-picture')).toBeVisible();
  await page.getByText('Keys, indexes and facets').click();
  await page.getByLabel('Table name').fill('Volumes');
  await page.getByRole('button', { name: 'Index', exact: true }).click();
  await page.getByRole('group', { name: 'Index GSI2' }).getByLabel('Index name').fill('by-title');
  await page.getByRole('group', { name: 'Index by-title' }).getByLabel('Partition key', { exact: true }).fill('title');
  await page.getByRole('group', { name: 'Facet Book' }).getByLabel('Facet name').fill('Volume');
  await shot('model-design', { fullPage: true });
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Picture', { exact: true }).click();
  await expect(page.getByTestId('pane-')).toContainText('Volumes');

  await page.getByTestId('pane-').locator('[data-item]').first().dblclick();
  const editor = page.getByRole('textbox', { name: 'DynamoDB JSON' });
  await expect(editor).toHaveValue(/Nine/);
  await editor.fill('{"shelf": {"S": "A"}, "place": {"S": "9"}}');
  await expect(page.getByText('The key attribute "place" must be of type N.')).toBeVisible();
  await editor.fill('{"shelf": {"S": "A"}, "place": {"N": "11"}, "title": {"S": "Eleven"}}');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByTestId('pane-').locator('[data-item] .pic-sort')).toHaveText(['10', '11', '1']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByTestId('pane-').locator('[data-item] .pic-sort')).toHaveText(['9', '10', '1']);
  await page.getByRole('button', { name: 'Redo' }).click();

  // Kept in the browser.
  await expect(page.getByTestId('pane-').locator('[data-item] .pic-sort')).toHaveText(['10', '11', '1']);
  await page.reload();
  await expect(page.getByTestId('pane-').locator('[data-item] .pic-sort')).toHaveText(['10', '11', '1']);
  const saved = await savedFile(page);
  const wanted = library();
  const table = wanted.DataModel[0];
  table.TableName = 'Volumes';
  table.TableFacets[0].FacetName = 'Volume';
  table.GlobalSecondaryIndexes.push({ IndexName: 'by-title', KeyAttributes: { PartitionKey: key('title') }, Projection: { ProjectionType: 'ALL' } });
  table.TableData[0] = { shelf: { S: 'A' }, place: { N: '11' }, title: { S: 'Eleven' } };
  expect(saved.DataModel).toEqual(wanted.DataModel);
  expect(saved.xSaved).toEqual(wanted.xSaved);
  expect(saved.ModelMetadata.xMeta).toBe('kept');
});

test('what is no model is refused with the reason', async ({ open, page, server }) => {
  await open('models');
  const cases: [string, RegExp][] = [
    ['{"models": {}, "indexes": {}}', /There is no “DataModel” in it\. It looks like a OneTable schema\./],
    ['{"DataModel": [{"TableName": "t"}]}', /“DataModel\[0\]\.KeyAttributes” is missing/],
    ['{"DataModel": [', /This is not JSON: .*line 1, column 16/],
  ];
  for (const [index, [content, reason]] of cases.entries()) {
    await openFile(page, server.folder, `bad-${index}.json`, content);
    await expect(page.getByText(reason).first()).toBeVisible();
    await expect(page.getByText(`bad-${index}.json is no model that can be read`).first()).toBeVisible();
  }
  await expect(page.getByText('No models yet')).toBeVisible();
});
