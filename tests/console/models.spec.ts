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
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as file', exact: true }).click()]);
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

  await page.getByTestId('difference').click();
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
  await page.getByTestId('design').click();
  await page.getByLabel('Table name').fill('Volumes');
  await page.getByRole('button', { name: 'Index', exact: true }).click();
  await page.getByRole('group', { name: 'Index GSI2' }).getByLabel('Index name').fill('by-title');
  await page.getByRole('group', { name: 'Index by-title' }).getByLabel('Partition key: attribute').fill('title');
  await page.getByRole('group', { name: 'Facet Book' }).getByLabel('Facet name').fill('Volume');
  // Commas can be typed; a look at the picture loses nothing; other members of the file are shown.
  await page.getByRole('group', { name: 'Facet Volume' }).getByLabel('Attributes').press('End');
  await page.keyboard.type(', tags,');
  await page.getByTestId('picture').click();
  await expect(page.getByTestId('design')).toHaveText('Design (not applied)');
  await page.getByTestId('design').click();
  await expect(page.getByRole('group', { name: 'Facet Volume' }).getByLabel('Attributes')).toHaveValue('title, author, tags,');
  await page.getByRole('button', { name: 'Other members of the file' }).click();
  await expect(page.getByRole('group', { name: 'Other members of the file' })).toContainText('"xTable"');
  await shot('model-design', { fullPage: true });
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByTestId('picture').click();
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
  table.TableFacets[0].NonKeyAttributes = ['title', 'author', 'tags'];
  table.GlobalSecondaryIndexes.push({ IndexName: 'by-title', KeyAttributes: { PartitionKey: key('title') }, Projection: { ProjectionType: 'ALL' } });
  table.TableData[0] = { shelf: { S: 'A' }, place: { N: '11' }, title: { S: 'Eleven' } };
  expect(saved.DataModel).toEqual(wanted.DataModel);
  expect(saved.xSaved).toEqual(wanted.xSaved);
  expect(saved.ModelMetadata.xMeta).toBe('kept');
});

/** An index with keys of several attributes; Workbench's format has no form for those beyond the first. */
function scores(): Json {
  const keys = { PartitionKey: key('game'), SortKey: key('season', 'N'), MorePartitionKeys: [key('region')], MoreSortKeys: [key('round', 'N')] };
  const score = (id: string, region: string, round: string) => ({ id: { S: id }, game: { S: 'go' }, region: { S: region }, season: { N: '9' }, round: { N: round } });
  return {
    ModelName: 'Scores', ModelMetadata: { Version: '3.0' },
    DataModel: [
      {
        TableName: 'Scores', KeyAttributes: { PartitionKey: key('id') }, NonKeyAttributes: [key('game'), key('region'), key('season', 'N'), key('round', 'N')],
        GlobalSecondaryIndexes: [{ IndexName: 'by-game', KeyAttributes: keys, Projection: { ProjectionType: 'ALL' } }],
        TableData: [score('a', 'eu', '10'), score('b', 'eu', '9'), score('c', 'us', '1')],
      },
    ],
  };
}

test('keys of several attributes: drawn, told, made into a table and back; CloudFormation and CSV out, CSV in', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await open('models');
  await openFile(page, server.folder, 'scores.json', JSON.stringify(scores()));
  await expect(page.getByText('which NoSQL Workbench is not known to read')).toBeVisible();
  await page.goto(`${page.url()}?p.panes=by-game`);
  const pane = page.getByTestId('pane-by-game');
  await expect(pane.locator('.pic-band-text b')).toHaveText(['go / eu', 'go / us']);
  await expect(pane.locator('[data-item] .pic-sort')).toHaveText(['9 / 9', '9 / 10', '9 / 1']);
  await shot('model-several-keys');
  expect(await savedFile(page)).toEqual(scores());

  const saveAs = async (name: string) => {
    await page.getByRole('button', { name: 'Save in another format' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()]);
    return readFileSync(await download.path(), 'utf8');
  };
  expect(await saveAs('CloudFormation template')).toContain('- AttributeName: region\n              KeyType: HASH\n            - AttributeName: season\n              KeyType: RANGE');
  expect(await saveAs('Sample items of Scores as CSV')).toBe('id:S,game:S,region:S,season:N,round:N\r\na,go,eu,9,10\r\nb,go,eu,9,9\r\nc,go,us,9,1\r\n');
  const csv = join(server.folder, 'more.csv');
  writeFileSync(csv, 'id,game,region,season,round,points\nb,go,eu,9,2,7\nd,go,eu,9,x,\ne,go,eu,9,11,8\n');
  await page.getByTestId('sample-file').setInputFiles(csv);
  await expect(page.getByText('2 sample items read into Scores. Row 2: round: ')).toBeVisible();
  await expect(pane.locator('[data-item] .pic-sort')).toHaveText(['9 / 2', '9 / 10', '9 / 11', '9 / 1']);

  await page.getByRole('button', { name: 'Make tables' }).click();
  await page.getByRole('button', { name: 'Make 1 table' }).click();
  await expect(page.getByText('1 table with 4 items is on the server.')).toBeVisible({ timeout: 15_000 });
  const { Items } = await server.call('Query', {
    TableName: 'Scores', IndexName: 'by-game', KeyConditionExpression: 'game = :g AND #r = :r AND season = :s', ExpressionAttributeNames: { '#r': 'region' },
    ExpressionAttributeValues: { ':g': { S: 'go' }, ':r': { S: 'eu' }, ':s': { N: '9' } },
  });
  expect(Items.map((item: Json) => item.round.N)).toEqual(['2', '10', '11']);
  await open('models');
  await page.getByRole('button', { name: 'From tables' }).click();
  await page.getByRole('button', { name: 'Tables', exact: false }).last().click();
  await page.getByRole('option', { name: 'Scores' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Make the model' }).click();
  await expect(page.getByRole('heading', { name: 'Scores' })).toBeVisible();
  expect((await savedFile(page)).DataModel[0].GlobalSecondaryIndexes).toEqual(scores().DataModel[0].GlobalSecondaryIndexes);
});

test('differences are applied by choice, to the server or to the model', async ({ open, page, server, shot }) => {
  test.setTimeout(60_000);
  await server.call('CreateTable', {
    TableName: 'Books', BillingMode: 'PROVISIONED', ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 2 },
    AttributeDefinitions: [key('shelf'), key('place', 'N'), key('title')], KeySchema: [{ AttributeName: 'shelf', KeyType: 'HASH' }, { AttributeName: 'place', KeyType: 'RANGE' }],
    GlobalSecondaryIndexes: [{ IndexName: 'by-title', KeySchema: [{ AttributeName: 'title', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' }, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } }],
  });
  await server.putItems('Books', [{ shelf: { S: 'A' }, place: { N: '9' }, title: { S: 'Neuf' } }]);
  await open('models');
  await openFile(page, server.folder, 'library.json', JSON.stringify(library()));
  await page.getByTestId('difference').click();
  const row = (name: RegExp) => page.getByRole('row', { name });
  await expect(row(/Capacity on demand provisioned: 3 read, 2 write/)).toBeVisible();
  await shot('model-apply');
  for (const name of ['Apply: Capacity', 'Apply: Index by-author']) {
    await page.getByRole('button', { name }).click();
    await page.getByTestId('save').click();
    await expect(page.getByRole('button', { name })).toBeHidden({ timeout: 15_000 });
  }
  const { Table } = await server.call('DescribeTable', { TableName: 'Books' });
  expect(Table.BillingModeSummary.BillingMode).toBe('PAY_PER_REQUEST');
  expect(Table.GlobalSecondaryIndexes.map((each: Json) => each.IndexName).sort()).toEqual(['by-author', 'by-title']);
  const read = async () => (await server.call('GetItem', { TableName: 'Books', Key: { shelf: { S: 'A' }, place: { N: '9' } } })).Item.title.S;
  await page.getByRole('button', { name: 'Put sample items' }).click();
  await page.getByRole('button', { name: 'Put 2 items' }).click();
  await expect(page.getByText('2 items the same, 1 with other attributes, 0 not on the server')).toBeVisible();
  expect(await read()).toBe('Neuf');
  await page.getByRole('button', { name: 'Read 1 item into the model' }).click();
  await expect(page.getByText('3 items the same')).toBeVisible();
  await page.getByRole('button', { name: 'Read keys and indexes into the model' }).click();
  await expect(page.getByText('Keys, indexes and capacity are the same.')).toHaveCount(1);
  const [books] = (await savedFile(page)).DataModel;
  expect(books.GlobalSecondaryIndexes.map((each: Json) => [each.IndexName, each.xIndex])).toEqual([['by-author', true], ['by-title', undefined]]);
  expect(books.TableData[0].title).toEqual({ S: 'Neuf' });
  expect(books.xTable).toEqual({ queries: ['a', 'b'] });
});

test('two tabs on one model: the second is told, and loses nothing', async ({ open, page, server, context }) => {
  test.setTimeout(90_000);
  await open('models');
  await openFile(page, server.folder, 'library.json', JSON.stringify(library()));
  await expect(page.getByTestId('item-picture')).toBeVisible();
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByTestId('item-picture')).toBeVisible();
  const rename = async (where: Page, name: string) => {
    await where.getByRole('button', { name: 'Rename the model' }).click();
    await where.getByLabel('Name of the model').fill(name);
    await where.keyboard.press('Enter');
  };
  const kept = (names: string[]) =>
    expect(async () => {
      await other.goto(`${server.url}/console/models`);
      await expect(other.getByRole('row').getByRole('link')).toHaveText(names, { timeout: 5000 });
    }).toPass();
  const address = page.url();
  await rename(page, 'First');
  await rename(page, 'First again'); // a tab does not conflict with itself
  await expect(page.getByRole('heading', { name: 'First again' })).toBeVisible();
  await rename(other, 'Second');
  const dialog = other.getByRole('dialog', { name: 'The model was changed in another tab' });
  await expect(dialog).toContainText('First again');
  await other.screenshot({ path: 'artefacts/model-conflict.png', animations: 'disabled' });
  await other.keyboard.press('Escape');
  await expect(other.getByText('Changes are not kept')).toBeVisible();
  await other.getByRole('button', { name: 'Decide' }).click();
  await dialog.getByRole('button', { name: 'Keep both' }).click();
  await expect(other.getByRole('heading', { name: 'Second (copy)' })).toBeVisible();
  await kept(['Second (copy)', 'First again']);

  await other.goto(address);
  await expect(other.getByTestId('item-picture')).toBeVisible();
  await rename(page, 'Third');
  await rename(other, 'Fourth');
  await dialog.getByRole('button', { name: 'Use the other version' }).click();
  await expect(other.getByRole('heading', { name: 'Third' })).toBeVisible();
  await rename(other, 'Fifth');
  await rename(page, 'Sixth');
  await page.getByRole('dialog').getByRole('button', { name: 'Replace it with this version' }).click();
  await expect(page.getByText('Changes are not kept')).toBeHidden();
  await kept(['Sixth', 'Second (copy)']);
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
