/** Scenario 7 by clicks, parts 1 and 2: a map in its owner, and copies in each item. The other parts are pictures. */
import { expect, type Json, test } from './fixtures.ts';
import { column } from './grid.ts';

const address = (Street: string, City: string, Zip: string): Json => ({ M: { Street: { S: Street }, City: { S: City }, Zip: { S: Zip } } });
const [home, work, parents] = [address('1111 1st St.', 'Omaha', '68102'), address('2222 2nd St.', 'Omaha', '68114'), address('3333 3rd St.', 'Lincoln', '68502')];

test('scenario 7, part 1: addresses in a map, read and written by paths', async ({ open, page, server }) => {
  test.setTimeout(120_000);
  await server.createTable('Customers', { AttributeDefinitions: [{ AttributeName: 'CustomerID', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'CustomerID', KeyType: 'HASH' }] });
  const stored = async () => (await server.call('Scan', { TableName: 'Customers' })).Items as Json[];
  await open('explore/Customers');
  await page.getByRole('button', { name: 'Create item' }).first().click();
  await page.getByLabel('Value of CustomerID').fill('alexdebrie');
  await page.getByRole('button', { name: '+ Add attribute' }).click();
  await page.getByLabel('Name of the new attribute').fill('MailingAddresses');
  await page.getByLabel('Type of MailingAddresses').selectOption('Map');
  for (const [name, { M }] of Object.entries({ Home: home, Work: work, Parents: parents })) {
    await page.getByRole('button', { name: '+ Add to MailingAddresses' }).click();
    await page.getByLabel('Name of the new attribute').fill(name);
    await page.getByLabel(`Type of MailingAddresses.${name}`).selectOption('Map');
    for (const [part, value] of Object.entries(M as Json)) {
      await page.getByRole('button', { name: `+ Add to ${name}` }).click();
      await page.getByLabel('Name of the new attribute').fill(part);
      await page.getByLabel(`Value of MailingAddresses.${name}.${part}`).fill(value.S);
    }
  }
  await page.getByTestId('save').click();
  await expect(page.getByText(/The item is saved/)).toBeVisible();
  expect(await stored()).toEqual([{ CustomerID: { S: 'alexdebrie' }, MailingAddresses: { M: { Home: home, Work: work, Parents: parents } } }]);

  // One address, and one part of another.
  await page.getByRole('button', { name: 'Explore Customers' }).click();
  await page.getByText('Query', { exact: true }).click();
  await page.getByLabel('CustomerID =').fill('alexdebrie');
  await page.getByTestId('dynamodb').click();
  for (const [path, wanted] of [['MailingAddresses.Home', { Home: home }], ['MailingAddresses.Parents.City', { Parents: { M: { City: { S: 'Lincoln' } } } }]] as const) {
    await page.getByLabel('Attributes', { exact: true }).fill(path);
    await page.getByTestId('run').click();
    const text = page.getByLabel('Items as DynamoDB JSON', { exact: true });
    await expect.poll(async () => JSON.parse(await text.innerText())).toEqual([{ CustomerID: { S: 'alexdebrie' }, MailingAddresses: { M: wanted } }]);
  }

  // Written by a path in a statement, and in the form.
  await page.getByRole('link', { name: 'PartiQL' }).click();
  await page.getByRole('textbox', { name: 'Statement', exact: true }).fill('UPDATE Customers REMOVE MailingAddresses.Parents WHERE CustomerID = ?');
  await page.getByLabel('Value of parameter 1').fill('alexdebrie');
  await page.getByTestId('run').click();
  await expect.poll(async () => (await stored())[0]!.MailingAddresses.M).toEqual({ Home: home, Work: work });
  await page.goBack();
  await page.getByTestId('grid').click();
  await page.getByLabel('Attributes', { exact: true }).fill('');
  await page.getByTestId('run').click();
  await page.getByRole('grid').getByText('alexdebrie').click();
  await page.getByLabel('Value of MailingAddresses.Work.Zip').fill('68154');
  await page.getByTestId('save').click();
  await expect.poll(async () => (await stored())[0]!.MailingAddresses.M).toEqual({ Home: home, Work: address('2222 2nd St.', 'Omaha', '68154') });
});

test('scenario 7, part 2: a biography in each book; all copies are found and changed', async ({ open, page, server }) => {
  test.setTimeout(120_000);
  await server.createTable('Books', {
    AttributeDefinitions: ['Author', 'Title'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'Author', KeyType: 'HASH' }, { AttributeName: 'Title', KeyType: 'RANGE' }],
  });
  const book = (Author: string, Title: string, Biography: string) => ({ Author: { S: Author }, Title: { S: Title }, Biography: { S: Biography } });
  const [before, after, other] = ['Born in Maine in 1947.', 'Born in Portland, Maine, in 1947.', 'Born in Yate in 1965.'];
  const titles = ['Carrie', 'It', 'Misery'];
  await server.putItems('Books', [...titles.map((title) => book('Stephen King', title, before)), book('J.K. Rowling', 'The Casual Vacancy', other)]);
  await open('explore/Books');
  await page.getByText('Query', { exact: true }).click();
  await page.getByLabel('Author =').fill('Stephen King');
  await page.getByTestId('run').click();
  await expect.poll(() => column(page, 'Title')).toEqual(titles);
  expect(await column(page, 'Biography')).toEqual([before, before, before]);
  page.on('dialog', (dialog) => void dialog.accept()); // what is left is stored, though the page may not have heard of it
  for (const [row, title] of titles.entries()) {
    const cell = page.getByRole('grid').getByRole('row').nth(1 + row).getByText('Stephen King');
    await cell.click();
    await expect(page.getByRole('heading', { name: `Stephen King · ${title}` })).toBeVisible();
    await page.getByLabel('Value of Biography').fill(after);
    await page.getByTestId('save').click();
    await expect.poll(async () => (await server.call('GetItem', { TableName: 'Books', Key: { Author: { S: 'Stephen King' }, Title: { S: title } } })).Item.Biography.S).toBe(after);
    await page.goBack();
    await expect.poll(() => column(page, 'Biography')).toEqual(titles.map((_, at) => (at <= row ? after : before)));
  }
  // No other item has the old one, and none but these was touched.
  await page.getByText('Scan', { exact: true }).click();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('Attribute or path').fill('Biography');
  await page.keyboard.press('Escape');
  await page.getByLabel('Value for Biography', { exact: true }).fill(before);
  await page.getByTestId('run').click();
  await expect(page.getByTestId('empty')).toContainText('4 scanned to the end');
  const { Items } = await server.call('Scan', { TableName: 'Books' });
  expect(Items.map((each: Json) => each.Biography.S).sort()).toEqual([after, after, after, other].sort());
});
