/** Tables by clicks: each form sends what it shows, and the server has what was asked for. */
import { expect, test } from './fixtures.ts';

const field = (label: string) => new RegExp(`^${label}`);

test('create with everything, and as code', async ({ open, page, server, shot }) => {
  await open('tables/new');
  await page.getByLabel('Table name').fill('Everything');
  await page.getByLabel('Partition key: attribute').fill('Device');
  await page.getByLabel('Sort key: attribute').fill('At');
  await page.getByRole('button', { name: 'Sort key: type' }).click();
  await page.getByRole('option', { name: 'Number' }).click();
  await page.getByText('Provisioned', { exact: true }).click();
  await page.getByLabel('Read units a second').first().fill('7');

  await page.getByRole('button', { name: 'Global index' }).click();
  const global = page.getByRole('group', { name: 'Global index' });
  await global.getByLabel('Index name').fill('by-place');
  await global.getByLabel('Partition key: attribute').fill('Country');
  await global.getByRole('button', { name: 'Add attribute' }).first().click();
  await global.getByLabel('Partition key 2: attribute').fill('City');
  await global.getByRole('button', { name: 'Add attribute' }).last().click();
  await global.getByLabel('Sort key: attribute').fill('At');
  await global.getByRole('button', { name: 'Sort key: type' }).click();
  await page.getByRole('option', { name: 'Number' }).click();
  await global.getByRole('button', { name: field('Projected attributes') }).click();
  await page.getByRole('option', { name: 'Keys and chosen attributes' }).click();
  await global.getByRole('textbox', { name: 'Chosen attributes' }).fill('Name, Size');

  await global.getByRole('button', { name: 'Warm throughput' }).click();
  await global.getByLabel('Warm reads a second').fill('15000');
  await global.getByLabel('Warm writes a second').fill('7000');

  await page.getByRole('button', { name: 'Local index' }).click();
  const local = page.getByRole('group', { name: 'Local index' });
  await local.getByLabel('Index name').fill('by-kind');
  await local.getByLabel('Sort key: attribute').fill('Kind');

  // The list opens at the page's end and may move, so that a click meets no option.
  const stream = page.getByRole('button', { name: field('Stream') });
  await expect(async () => {
    await stream.click();
    await page.getByRole('option', { name: 'New and old images' }).click({ timeout: 2000 });
    await expect(stream).toContainText('New and old images', { timeout: 1000 });
  }).toPass();
  await page.getByLabel('Time to live').fill('expires');
  await page.getByLabel('Deletion protection').check();
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByLabel('Key of tag 1').fill('team');
  await page.getByLabel('Value of tag 1').fill('devices');

  const request = page.getByRole('complementary', { name: 'Request' });
  await expect(request.locator('pre')).toContainText('aws dynamodb update-time-to-live');
  await page.evaluate(() => scrollTo(0, 0));
  await shot('create');
  await request.getByRole('button', { name: 'CloudFormation' }).click();
  await expect(request.locator('pre')).toContainText('AttributeName: expires');
  await expect(request.locator('pre')).toContainText('StreamViewType: NEW_AND_OLD_IMAGES');

  await page.getByTestId('create').click();
  await expect(page).toHaveURL(/tables\/Everything$/);
  await expect(page.getByText('Table Everything is created.')).toBeVisible();
  await shot('detail');

  const { Table } = await server.call('DescribeTable', { TableName: 'Everything' });
  expect(Table.KeySchema).toEqual([
    { AttributeName: 'Device', KeyType: 'HASH' },
    { AttributeName: 'At', KeyType: 'RANGE' },
  ]);
  expect(Table.ProvisionedThroughput).toMatchObject({ ReadCapacityUnits: 7, WriteCapacityUnits: 5 });
  expect(Table.GlobalSecondaryIndexes[0]).toMatchObject({
    IndexName: 'by-place',
    KeySchema: [
      { AttributeName: 'Country', KeyType: 'HASH' },
      { AttributeName: 'City', KeyType: 'HASH' },
      { AttributeName: 'At', KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'INCLUDE' },
    WarmThroughput: { ReadUnitsPerSecond: 15000, WriteUnitsPerSecond: 7000 },
  });
  expect([...Table.GlobalSecondaryIndexes[0].Projection.NonKeyAttributes].sort()).toEqual(['Name', 'Size']);
  expect(Table.LocalSecondaryIndexes[0].KeySchema[1]).toEqual({ AttributeName: 'Kind', KeyType: 'RANGE' });
  expect(Table.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  expect(Table.DeletionProtectionEnabled).toBe(true);
  const ttl = await server.call('DescribeTimeToLive', { TableName: 'Everything' });
  expect(ttl.TimeToLiveDescription).toMatchObject({ AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' });
  const tags = await server.call('ListTagsOfResource', { ResourceArn: Table.TableArn });
  expect(tags.Tags).toEqual([{ Key: 'team', Value: 'devices' }]);
});

test('a vector index', async ({ open, page, server }) => {
  await open('tables/new');
  await page.getByLabel('Table name').fill('Books');
  await page.getByLabel('Partition key: attribute').fill('Title');
  await page.getByRole('button', { name: 'Vector index' }).click();
  const index = page.getByRole('group', { name: 'Vector index' });
  await index.getByLabel('Index name').fill('by-meaning');
  await index.getByLabel('Vector attribute').fill('Meaning');
  await index.getByLabel('Dimensions').fill('3');
  await index.getByRole('button', { name: 'Add attribute' }).click();
  await index.getByLabel('Filter: attribute').fill('Shelf');
  await page.getByTestId('create').click();
  await expect(page).toHaveURL(/tables\/Books$/);
  const { Table } = await server.call('DescribeTable', { TableName: 'Books' });
  expect(Table.VectorIndexes[0]).toMatchObject({ IndexName: 'by-meaning', Dimensions: 3, DistanceFunction: 'COSINE' });
  await page.getByRole('tab', { name: 'Indexes (1)' }).click();
  await expect(page.getByRole('row', { name: /by-meaning/ })).toContainText('Meaning (3, cosine)');
});

test('faults stand at their fields: the page’s own and the server’s', async ({ open, page, server, shot }) => {
  await server.createTable('Taken');
  await open('tables/new');
  await page.getByLabel('Table name').fill('a b');
  await page.getByTestId('create').click();
  await expect(page.getByText('A name has 3 to 255 letters')).toBeVisible();
  await expect(page.getByText('A table needs a partition key.')).toBeVisible();
  await page.getByLabel('Table name').fill('Taken');
  await page.getByLabel('Partition key: attribute').fill('pk');
  await page.getByTestId('create').click();
  await expect(page.getByTestId('error-text')).toContainText('Taken');
  await expect(page.getByLabel('Table name')).toHaveAttribute('aria-invalid', 'true');
  await shot('create-fault');
  expect((await server.call('ListTables', {})).TableNames).toEqual(['Taken']);
});

test('change capacity, stream, TTL, tags, policy, protection', async ({ open, page, server, shot }) => {
  await server.createTable('Music');
  await open('tables/Music');
  const change = async (entry: string) => {
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  const save = async () => {
    await page.getByTestId('save').click();
    await expect(page.getByRole('dialog')).toBeHidden();
  };
  const dialog = page.getByRole('dialog');

  await change('Capacity');
  await dialog.getByText('Provisioned', { exact: true }).click();
  await dialog.getByLabel('Write units a second').fill('9');
  await expect(dialog.locator('pre')).toContainText('--billing-mode PROVISIONED');
  await dialog.getByRole('button', { name: 'CloudFormation' }).click();
  await expect(dialog.locator('pre')).toContainText('WriteCapacityUnits: 9');
  await shot('change-capacity');
  await save();
  await expect(page.getByText('5 read, 9 write')).toBeVisible();

  await change('Stream');
  await save();
  await expect(page.getByText('New and old images')).toBeVisible();

  await change('Time to live');
  await dialog.getByLabel('Attribute').fill('expires');
  await save();
  await expect(page.getByText('expires', { exact: false }).first()).toBeVisible();

  await change('Stream');
  await dialog.getByRole('button', { name: field('Records hold') }).click();
  await page.getByRole('option', { name: 'Keys only' }).click();
  await save();
  await expect(page.getByText('Keys only')).toBeVisible();

  await change('Deletion protection');
  await dialog.getByLabel('Deletion protection').check();
  await dialog.getByRole('button', { name: field('Table class') }).click();
  await page.getByRole('option', { name: 'Standard, infrequent access' }).click();
  await dialog.getByRole('button', { name: field('Encryption') }).click();
  await page.getByRole('option', { name: 'KMS key' }).click();
  await expect(dialog.locator('pre')).toContainText('SSEEnabled: true');
  await save();
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled();
  await expect(page.getByText('Infrequent access')).toBeVisible();

  await page.getByRole('tab', { name: 'Tags and policy' }).click();
  await page.getByRole('button', { name: 'Change tags' }).click();
  await dialog.getByRole('button', { name: 'Add tag' }).click();
  await dialog.getByLabel('Key of tag 1').fill('a');
  await dialog.getByLabel('Value of tag 1').fill('b');
  await save();
  await expect(page.getByText('a: b')).toBeVisible();

  const { Table } = await server.call('DescribeTable', { TableName: 'Music' });
  expect(Table.ProvisionedThroughput).toMatchObject({ ReadCapacityUnits: 5, WriteCapacityUnits: 9 });
  expect(Table.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'KEYS_ONLY' });
  expect(Table.DeletionProtectionEnabled).toBe(true);
  expect(Table.TableClassSummary.TableClass).toBe('STANDARD_INFREQUENT_ACCESS');
  expect(Table.SSEDescription).toMatchObject({ Status: 'ENABLED', SSEType: 'KMS' });

  await page.getByRole('tab', { name: 'Backups' }).click();
  await expect(page.getByText('partita backup STORE BACKUPS')).toBeVisible();
});

test('warm throughput, limits of one index, Contributor Insights', async ({ open, page, server, shot }) => {
  await server.createTable('Songs', {
    GlobalSecondaryIndexes: [{ IndexName: 'by-sk', KeySchema: [{ AttributeName: 'sk', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }],
  });
  await open('tables/Songs');
  const dialog = page.getByRole('dialog');
  const save = async () => {
    await page.getByTestId('save').click();
    await expect(dialog).toBeHidden();
  };
  const warm = async (reads: string, writes: string) => {
    await dialog.getByRole('button', { name: 'Warm throughput' }).click();
    await dialog.getByLabel('Warm reads a second').fill(reads);
    await dialog.getByLabel('Warm writes a second').fill(writes);
  };
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Capacity' }).click();
  await expect(page.getByTestId('save')).toBeDisabled();
  await warm('13000', '5000');
  await save();
  await expect(page.getByText('13,000 read, 5,000 write')).toBeVisible();

  await page.getByRole('button', { name: 'Change: insights' }).click();
  await dialog.getByRole('button', { name: field('Index by-sk') }).click();
  await page.getByRole('option', { name: 'Throttled keys', exact: true }).click();
  await dialog.getByRole('button', { name: field('Table') }).click();
  await page.getByRole('option', { name: 'Accessed and throttled keys' }).click();
  await save();
  await expect(page.getByText('On: table, index by-sk')).toBeVisible();

  await page.getByRole('tab', { name: 'Indexes (1)' }).click();
  await page.getByRole('button', { name: 'Change index by-sk' }).click();
  await dialog.getByLabel('Most read units a second').fill('40');
  await dialog.getByLabel('Most write units a second').fill('50');
  await warm('14000', '6000');
  await dialog.getByRole('button', { name: 'CloudFormation' }).click();
  await expect(dialog.locator('pre')).toContainText('MaxReadRequestUnits: 40');
  await expect(dialog.locator('pre')).toContainText('Mode: THROTTLED_KEYS');
  await shot('change-index');
  await save();
  await expect(page.getByRole('row', { name: /by-sk/ })).toContainText('40 read, 50 write');
  await expect(page.getByRole('row', { name: /by-sk/ })).toContainText('14,000 read, 6,000 write');
  await page.getByRole('button', { name: 'Change index by-sk' }).click();
  await dialog.getByLabel('Most write units a second').fill('');
  await save();

  const { Table } = await server.call('DescribeTable', { TableName: 'Songs' });
  expect(Table.WarmThroughput).toMatchObject({ ReadUnitsPerSecond: 13000, WriteUnitsPerSecond: 5000 });
  expect(Table.GlobalSecondaryIndexes[0]).toMatchObject({
    OnDemandThroughput: { MaxReadRequestUnits: 40 },
    WarmThroughput: { ReadUnitsPerSecond: 14000, WriteUnitsPerSecond: 6000 },
  });
  expect(Table.GlobalSecondaryIndexes[0].OnDemandThroughput.MaxWriteRequestUnits ?? -1).toBe(-1);
  const { ContributorInsightsSummaries } = await server.call('ListContributorInsights', { TableName: 'Songs' });
  expect(ContributorInsightsSummaries).toMatchObject([{ ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS' }, { IndexName: 'by-sk', ContributorInsightsMode: 'THROTTLED_KEYS' }]);
});

test('an index is added to a live table with its progress, and deleted by name', async ({ open, page, server, shot }) => {
  await server.createTable('Live');
  const items = Array.from({ length: 2000 }, (_, n) => ({ pk: { S: `p${n % 10}` }, sk: { S: String(n) }, at: { N: String(n) } }));
  await server.putItems('Live', items);
  await open('tables/Live?tab=indexes');
  await page.getByRole('button', { name: 'Add global index' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Index name').fill('by-time');
  await dialog.getByLabel('Partition key: attribute').fill('pk');
  await dialog.getByRole('button', { name: 'Add attribute' }).last().click();
  await dialog.getByLabel('Sort key: attribute').fill('at');
  await dialog.getByRole('button', { name: 'Sort key: type' }).click();
  await page.getByRole('option', { name: 'Number' }).click();
  await page.getByTestId('save').click();
  const row = page.getByRole('row', { name: /by-time/ });
  await expect(row).toBeVisible();
  await expect(row).toContainText('Active', { timeout: 15_000 });
  await expect(row).toContainText('2,000', { timeout: 15_000 });
  await shot('indexes');
  const found = await server.call('Query', {
    TableName: 'Live', IndexName: 'by-time', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'p3' } }, Limit: 2,
  });
  expect(found.Items.map((item: { at: { N: string } }) => item.at.N)).toEqual(['3', '13']);

  await row.getByRole('button', { name: 'Delete index by-time' }).click();
  await expect(page.getByTestId('confirm')).toBeDisabled();
  await dialog.getByLabel(/To confirm/).fill('by-tim');
  await expect(page.getByTestId('confirm')).toBeDisabled();
  await dialog.getByLabel(/To confirm/).fill('by-time');
  await page.getByTestId('confirm').click();
  await expect(row).toBeHidden({ timeout: 15_000 });
});

test('delete needs the name, and says where', async ({ open, page, server, shot }) => {
  await server.createTable('Old');
  await server.createTable('Older');
  await open('tables');
  await page.getByRole('radio', { name: 'Old', exact: true }).check();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(server.url);
  await expect(dialog.getByLabel(/To confirm/)).toBeFocused();
  await page.keyboard.type('Older');
  await page.keyboard.press('Enter');
  expect((await server.call('ListTables', {})).TableNames).toEqual(['Old', 'Older']);
  await dialog.getByLabel(/To confirm/).fill('Old');
  await shot('delete');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'Old', exact: true })).toBeHidden();
  expect((await server.call('ListTables', {})).TableNames).toEqual(['Older']);
});

test('a table that another client deletes meanwhile', async ({ open, page, server }) => {
  await server.createTable('Gone');
  await open('tables/Gone');
  await expect(page.getByRole('heading', { name: 'Gone' })).toBeVisible();
  await server.call('DeleteTable', { TableName: 'Gone' });
  await page.getByRole('button', { name: 'Load again' }).click();
  await expect(page.getByText('Table Gone was deleted meanwhile')).toBeVisible();
});

test('read-only: nothing can be changed', async ({ open, page, server }) => {
  await server.createTable('Music');
  await open('tables');
  await page.getByRole('button', { name: 'Read and write: switch to read-only' }).click();
  await expect(page.getByRole('button', { name: 'Create table' })).toBeDisabled();
  await page.getByRole('link', { name: 'Music' }).click();
  await expect(page.getByRole('button', { name: 'Change', exact: true })).toBeDisabled();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled();
  await open('any?operation=PutItem');
  await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled();
  await open('any?operation=GetItem');
  await expect(page.getByRole('button', { name: 'Send' })).toBeEnabled();
});

test('two hundred tables: pages, the filter is kept, descriptions only of what is seen', async ({ open, page, server }) => {
  for (let n = 0; n < 200; n++) await server.createTable(`table-${String(n).padStart(3, '0')}`);
  let described = 0;
  page.on('request', (request) => {
    if (request.headers()['x-amz-target']?.endsWith('DescribeTable')) described++;
  });
  await open('tables');
  await expect(page.getByRole('heading', { name: 'Tables (200)' })).toBeVisible();
  await expect(page.getByRole('row', { name: /table-049/ })).toContainText('Active');
  expect(described).toBe(50);
  await page.getByRole('button', { name: 'Page 4' }).click();
  await expect(page.getByRole('link', { name: 'table-199' })).toBeVisible();
  await page.getByRole('searchbox').fill('07');
  await expect(page.getByRole('link', { name: 'table-007' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'table-199' })).toBeHidden();
  await page.getByRole('link', { name: 'table-007' }).click();
  await expect(page).toHaveURL(/tables\/table-007/);
  await page.getByRole('link', { name: 'Tables', exact: true }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('07');
  await expect(page.getByRole('link', { name: 'table-199' })).toBeHidden();
});
