/** The requests that the page shows as code are run as they are: each program gets what a direct call gets. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expect, type Json, test } from './fixtures.ts';

const CONSOLE = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'console');
const ENVIRONMENT = { ...process.env, PATH: `/usr/bin:${process.env.PATH}`, AWS_ACCESS_KEY_ID: 'console', AWS_SECRET_ACCESS_KEY: 'console', AWS_PAGER: '', AWS_CONFIG_FILE: '/dev/null', AWS_EC2_METADATA_DISABLED: 'true' };

/** Prints the reply as JSON, bytes as base64. */
const SHOW = {
  Python: '\nimport base64, json\nresponse.pop("ResponseMetadata", None)\nprint(json.dumps(response, default=lambda each: base64.b64encode(each).decode()))\n',
  JavaScript:
    '\ndelete response.$metadata;\nconst plain = (each) => each instanceof Uint8Array ? Buffer.from(each).toString("base64") : Array.isArray(each) ? each.map(plain)' +
    ' : each && typeof each === "object" ? Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined).map(([name, value]) => [name, plain(value)])) : each;' +
    '\nconsole.log(JSON.stringify(plain(response)));\n',
};

async function run(language: string, code: string): Promise<Json> {
  // Modules are found from the file's place upwards.
  const folder = mkdtempSync(join(CONSOLE, 'node_modules', '.code-'));
  try {
    const [name, program] = language === 'CLI' ? ['run.sh', 'sh'] : language === 'Python' ? ['run.py', 'python3'] : ['run.mjs', process.execPath];
    writeFileSync(join(folder, name), code + (language === 'CLI' ? '' : SHOW[language as keyof typeof SHOW]));
    const { stdout } = await promisify(execFile)(program, [join(folder, name)], { env: ENVIRONMENT, timeout: 90_000 });
    return stdout.trim() ? JSON.parse(stdout) : {};
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function code(page: Page, language: string): Promise<string> {
  await page.getByRole('button', { name: language, exact: true }).click();
  return (await page.getByLabel(`Request as ${language}`, { exact: true }).textContent())!;
}

const LANGUAGES = ['CLI', 'Python', 'JavaScript'];
/** What the request that is shown gets, in each language. For reads: they run side by side. */
async function runAll(page: Page): Promise<[string, Json][]> {
  const codes: [string, string][] = [];
  for (const language of LANGUAGES) codes.push([language, await code(page, language)]);
  return Promise.all(codes.map(async ([language, text]): Promise<[string, Json]> => [language, await run(language, text)]));
}

const TEXT = `it's "quoted" \\ and \\n, $HOME \`date\` %s {x}\nsecond line\ttab 🦊 \u2028 é`;
const DIGITS = '-1234567890123456789012345678901234567.8';
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString('base64');
const ODD = {
  pk: { S: TEXT }, sk: { S: '1' },
  [`it's "odd" \\ name`]: { S: TEXT }, 'a.b': { M: { B: { S: 'no bytes' }, '#': { N: DIGITS }, constructor: { NULL: true } } }, _version: { N: '1' }, size: { BOOL: false }, '🦊': { S: '' },
  bytes: { B: BYTES }, sets: { L: [{ SS: ["a'", '"b'] }, { NS: ['1E+30', DIGITS] }, { BS: ['AP8K', ''] }] },
};

test('a query with odd names and values', async ({ open, page, server }) => {
  test.setTimeout(180_000);
  await server.createTable('Odd.table-1_x');
  await server.putItems('Odd.table-1_x', [ODD, { pk: { S: TEXT }, sk: { S: '2' } }, { ...ODD, sk: { S: '3' }, bytes: { B: 'AA==' } }]);
  const filter = [
    'AND', ['=', `"it's \\"odd\\" \\\\ name"`, 'S', TEXT], ['=', 'bytes', 'B', BYTES], ['=', '"a.b"."#"', 'N', DIGITS],
    ['OR', ['!exists', '_version', 'S'], ['contains', 'sets', 'SS', `["a'", "\\"b"]`]], ['=', 'size', 'BOOL', 'false'],
  ];
  const query = new URLSearchParams({ mode: 'query', pk: TEXT, filter: JSON.stringify(filter), order: 'desc', consistent: '1' });
  query.append('sk', JSON.stringify(['between', '0', '9']));
  let sent: Json | undefined;
  page.on('request', (request) => {
    if (request.headers()['x-amz-target']?.endsWith('.Query')) sent = request.postDataJSON() as Json;
  });
  await open(`explore/Odd.table-1_x?${query}`);
  await expect(page.getByTestId('summary')).toContainText('1 of 3 match');
  const expected = await server.call('Query', sent!);
  expect(expected.Items).toHaveLength(1);
  await page.getByRole('button', { name: 'Request as code' }).click();
  for (const [language, { ConsumedCapacity: none, ...reply }] of await runAll(page)) {
    expect(none ?? null, language).toBeNull(); // the CLI and boto3 name what was not asked for
    expect(reply, language).toEqual({ Items: expected.Items, Count: expected.Count, ScannedCount: expected.ScannedCount });
  }
});

test('a query of several pages is read to its end, also to count', async ({ open, page, server }) => {
  test.setTimeout(180_000);
  await server.createTable('Long');
  const text = 'x'.repeat(300_000);
  for (const sk of ['1', '2', '3', '4', '5', '6', '7']) await server.putItems('Long', [{ pk: { S: 'p' }, sk: { S: sk }, text: { S: text } }]);
  for (const count of [false, true]) {
    await open(`explore/Long?mode=query&pk=p${count ? '&select=count' : '&attributes=sk'}`);
    await expect(page.getByTestId('summary')).toContainText('there is more');
    await page.getByRole('button', { name: 'Request as code' }).click();
    for (const [language, reply] of await runAll(page)) {
      expect([reply.Count, reply.ScannedCount], language).toEqual([7, 7]);
      expect((reply.Items ?? []).map((each: Json) => each.sk.S), language).toEqual(count ? [] : ['1', '2', '3', '4', '5', '6', '7']);
    }
  }
  // A page of so many items is what was asked for.
  await open('explore/Long?mode=query&pk=p&attributes=sk&limit=2');
  await expect(page.getByTestId('summary')).toContainText('2 items');
  await page.getByRole('button', { name: 'Request as code' }).click();
  for (const [language, reply] of await runAll(page)) expect(reply.Count, language).toBe(2);
});

test('the code of an item that is saved runs with the CLI and boto3 of Debian', async ({ open, page, server }) => {
  test.setTimeout(180_000);
  await server.createTable('Types');
  const Key = { pk: { S: 'a' }, sk: { S: '1' } };
  const stored = async () => (await server.call('GetItem', { TableName: 'Types', Key })).Item;
  const before = { ...Key, note: { S: 'was' } };
  const note = `it's "now" $HOME`;
  page.on('dialog', (dialog) => dialog.accept()); // leaves the change unsaved
  for (const language of LANGUAGES) {
    await server.putItems('Types', [before]);
    await open(`item/Types?key=${encodeURIComponent(JSON.stringify(Key))}`);
    await page.getByLabel('Value of note').fill(note);
    await page.getByRole('button', { name: 'Request as code' }).click();
    const text = await code(page, language);
    await run(language, text);
    expect((await stored()).note, language).toEqual({ S: note });
    // The condition holds no more.
    await expect(run(language, text), language).rejects.toThrow(/ConditionalCheckFailedException/);
  }
});

test('an item of all types is put', async ({ open, page, server }) => {
  test.setTimeout(180_000);
  await server.createTable('Types');
  const put = { ...ODD, sk: { S: "new ' key" } };
  const Key = { pk: put.pk, sk: put.sk };
  const stored = async () => (await server.call('GetItem', { TableName: 'Types', Key })).Item;
  await server.putItems('Types', [put]);
  const expected = await stored();
  await server.call('DeleteItem', { TableName: 'Types', Key });
  await open('any?operation=PutItem');
  await page.getByLabel('Body').fill(JSON.stringify({ TableName: 'Types', Item: put }));
  await page.getByRole('button', { name: 'Request as code' }).click();
  for (const language of LANGUAGES) {
    await run(language, await code(page, language));
    expect(await stored(), language).toEqual(expected);
    await server.call('DeleteItem', { TableName: 'Types', Key });
  }
});

test('a table is created by two requests', async ({ open, page, server }) => {
  test.setTimeout(180_000);
  await open('tables/new');
  await page.getByLabel('Table name').fill('Books');
  await page.getByLabel('Partition key: attribute').fill(`it's "odd"`);
  await page.getByLabel('Time to live').fill('expires at');
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByLabel('Key of tag 1').fill('team');
  await page.getByLabel('Value of tag 1').fill('a b');
  await page.getByRole('button', { name: 'Global index' }).click();
  const index = page.getByRole('group', { name: 'Global index' });
  await index.getByLabel('Index name').fill('by-x');
  await index.getByLabel('Partition key: attribute').fill('x y');
  for (const language of LANGUAGES) {
    const text = await code(page, language);
    // Two requests: the CLI prints a reply for each.
    if (language === 'CLI') for (const each of text.split('\n\n')) await run(language, each);
    else await run(language, text + '\nresponse = {}\n'.replace('response', language === 'Python' ? 'response' : 'var response'));
    const { Table } = await server.call('DescribeTable', { TableName: 'Books' });
    expect(Table.KeySchema, language).toEqual([{ AttributeName: `it's "odd"`, KeyType: 'HASH' }]);
    expect(Table.GlobalSecondaryIndexes[0].KeySchema, language).toEqual([{ AttributeName: 'x y', KeyType: 'HASH' }]);
    expect((await server.call('DescribeTimeToLive', { TableName: 'Books' })).TimeToLiveDescription.AttributeName, language).toBe('expires at');
    expect((await server.call('ListTagsOfResource', { ResourceArn: Table.TableArn })).Tags, language).toEqual([{ Key: 'team', Value: 'a b' }]);
    await server.call('DeleteTable', { TableName: 'Books' });
  }
});

test('a vector search', async ({ open, page, server }) => {
  await server.call('CreateTable', {
    TableName: 'Books', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'Title', KeyType: 'HASH' }],
    AttributeDefinitions: ['Title', 'shelf of'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    VectorIndexes: [{
      IndexName: 'by-meaning', VectorAttribute: { AttributeName: 'Meaning' }, Dimensions: 2, DistanceFunction: 'EUCLIDEAN', Projection: { ProjectionType: 'ALL' },
      SearchSchema: [{ AttributeName: 'shelf of', SearchSchemaElementType: 'HASH' }],
    }],
  });
  await server.putItems('Books', ['1', '2', '3'].map((n) => ({ Title: { S: n }, 'shelf of': { S: TEXT }, Meaning: { L: [{ N: n }, { N: '0.5' }] } })));
  const query = new URLSearchParams({ mode: 'search', index: 'by-meaning', vector: '1.6 0.5', top: '2', where: JSON.stringify([['shelf of', TEXT]]) });
  await open(`explore/Books?${query}`);
  await expect(page.getByTestId('summary')).toContainText('2 items');
  await page.getByRole('button', { name: 'Request as code' }).click();
  // The CLI and boto3 of Debian 12 are older than the operation.
  const { SearchResults } = await run('JavaScript', await code(page, 'JavaScript'));
  expect(SearchResults.map((each: Json) => each.Item.Title.S)).toEqual(['2', '1']);
  const [CLI, Python] = [await code(page, 'CLI'), await code(page, 'Python')];
  expect(CLI).toContain('aws dynamodb search-vectors');
  expect(Python).toContain('client.search_vectors(');
});

test('a statement with quotes and newlines', async ({ open, page, server }) => {
  test.setTimeout(180_000);
  await server.createTable('Types');
  await server.putItems('Types', [{ pk: { S: TEXT }, sk: { S: '1' } }, { pk: { S: 'x' }, sk: { S: '1' } }]);
  const input = { Statement: `SELECT *\nFROM "Types" WHERE pk = '${TEXT.replace(/'/g, "''")}'`, ReturnConsumedCapacity: 'NONE' };
  const expected = await server.call('ExecuteStatement', input);
  expect(expected.Items).toHaveLength(1);
  await open('any?operation=ExecuteStatement');
  await page.getByLabel('Body').fill(JSON.stringify(input));
  await page.getByRole('button', { name: 'Request as code' }).click();
  for (const [language, reply] of await runAll(page)) expect(reply, language).toEqual(expected);
});
