/** Any operation: what is typed goes out as it is, and the reply is shown as it came. */
import { expect, test } from './fixtures.ts';

test('a request, its reply, and its code', async ({ open, page, server, shot }) => {
  await server.createTable('Music');
  await open('any');
  await page.getByRole('button', { name: /^Operation/ }).click();
  await page.keyboard.type('PutI');
  await page.getByRole('option', { name: 'PutItem', exact: true }).click();
  await expect(page).toHaveURL(/operation=PutItem/);
  const number = '12345678901234567890123456789012345678';
  await page.getByLabel('Body').fill(`{"TableName": "Music", "Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "n": {"N": "${number}"}}}`);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('outcome')).toContainText('HTTP 200');
  const { Item } = await server.call('GetItem', { TableName: 'Music', Key: { pk: { S: 'a' }, sk: { S: 'b' } } });
  expect(Item.n).toEqual({ N: number });
  await page.getByRole('button', { name: 'Request as code' }).click();
  await expect(page.getByLabel('Request as CLI', { exact: true })).toContainText('aws dynamodb put-item');
  await page.getByRole('button', { name: 'Python' }).click();
  await expect(page.getByLabel('Request as Python', { exact: true })).toContainText('client.put_item(');
  await shot('any');
});

test('a fault of JSON is found before it is sent, the server’s is shown whole', async ({ open, page, server }) => {
  await server.createTable('Music');
  await open('any?operation=GetItem');
  await page.getByLabel('Body').fill('{"TableName": "Music",\n "Key": }');
  await expect(page.getByText('line 2, column 9')).toBeVisible();
  await page.getByLabel('Body').fill('{"TableName": "Music", "Key": {"pk": {"N": "1"}, "sk": {"S": "b"}}}');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByTestId('error-text')).toHaveText('The provided key element does not match the schema');
  await expect(page.getByText(/ValidationException · GetItem · HTTP 400/)).toBeVisible();
});

test('an operation that is not in the list is sent to the server', async ({ open, page }) => {
  await open('any?operation=CreateBackup');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByTestId('error-text')).toContainText('CreateBackup is not served by Partita');
});

test('Kinesis streaming and sinks: what reads is sent while the console is read-only, what changes is not', async ({ go, page, server }) => {
  await server.createTable('Music');
  await go('any?operation=DescribeKinesisStreamingDestination');
  await page.getByRole('button', { name: /switch to read-only/ }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByLabel('Reply', { exact: true })).toContainText('"KinesisDataStreamDestinations": []');
  for (const name of ['Enable', 'Disable', 'Update']) {
    await go(`any?operation=${name}KinesisStreamingDestination`);
    await expect(page.getByLabel('Body')).toHaveValue(/"StreamArn": "arn:aws:kinesis:/);
    await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled();
  }
  await go('any?operation=ListSinks');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByLabel('Reply', { exact: true })).toContainText('"Sinks": []');
  for (const name of ['CreateSink', 'PauseSink', 'ResumeSink', 'RetrySink', 'DeleteSink']) {
    await go(`any?operation=${name}`);
    await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled();
  }
});
