/** The pictures of docs/console.md: `npm run pictures` copies them there. */
import { expect, type Server, test } from './fixtures.ts';

/** Of load, for charts: as long as a picture needs it, or to see that it is taken. */
const SECONDS = process.env.PICTURES ? 12 : 2;

const S = (text: string) => ({ S: text });
const N = (number: number) => ({ N: String(number) });

/** A chat room, an order table with provisioned capacity, and versions of documents. */
async function fill(server: Server): Promise<void> {
  await server.createTable('ChatRoom');
  const users = ['amsg', 'bill', 'carol', 'dave'];
  await server.putItems(
    'ChatRoom',
    Array.from({ length: 120 }, (_, n) => ({
      pk: S(`seattle-${(n % 3) + 1}`),
      sk: S(`${users[n % 4]}#2018-08-${String((n % 28) + 1).padStart(2, '0')}:12:${String(n % 60).padStart(2, '0')}:00`),
      Message: S(['Lunch?', 'Is it raining again?', 'On my way', 'See you at nine'][n % 4]!),
    })),
  );
  await server.createTable('Orders', {
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 100, WriteCapacityUnits: 50 },
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  await server.putItems('Orders', Array.from({ length: 40 }, (_, n) => ({ pk: S(`order-${n % 8}`), sk: S(`sku-${100 + n}`), Quantity: N(n % 5 + 1) })));
  await server.createTable('Documents');
  await server.putItems('Documents', Array.from({ length: 30 }, (_, n) => ({ pk: S(`doc-${n % 6}`), sk: S(`v_${n}`), Body: S('…'.repeat(200)) })));
}

test('tables, a query, its picture, the load', async ({ open, page, server, shot }) => {
  test.setTimeout(90_000);
  await page.setViewportSize({ width: 1280, height: 720 });
  await open();
  await page.getByRole('button', { name: 'Load a sample' }).click();
  await expect(page.getByRole('link', { name: 'SampleTickets' })).toBeVisible();
  await fill(server);
  await open('tables');
  await expect(page.getByRole('row', { name: /SampleTickets/ })).toContainText('Active');
  await shot('console-tables');

  await open('explore/SampleTickets');
  await page.getByText('Query', { exact: true }).click();
  await page.getByLabel('PK =').fill('ORG#MICROSOFT');
  await page.getByTestId('run').click();
  await expect(page.getByRole('grid')).toContainText('METADATA#MICROSOFT');
  await shot('console-explore');

  await open('picture/SampleTickets');
  await expect(page.getByText('ORG#AMAZON').first()).toBeVisible();
  await shot('console-picture');

  await open('watch');
  await expect(page.getByRole('tab', { name: 'Requests' })).toBeVisible();
  for (let second = 0; second < SECONDS; second++) {
    const until = Date.now() + 800;
    for (let n = 0; Date.now() < until && n < 40 + 25 * (second % 4); n++) {
      await server.call('GetItem', { TableName: 'ChatRoom', Key: { pk: S('seattle-1'), sk: S('amsg') } });
      if (n % 3 === 0) await server.call('PutItem', { TableName: 'Orders', Item: { pk: S(`order-${n % 8}`), sk: S('x'), n: N(n) } });
    }
    await page.waitForTimeout(Math.max(0, until + 200 - Date.now()));
  }
  await shot('console-watch');
});
