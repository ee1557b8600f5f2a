/**
 * A suite in which each test finds the same tables and items.
 *
 * Usage: npm ci, then: node --test snapshots.test.mjs, with the server's address in AWS_ENDPOINT_URL_DYNAMODB
 * (default http://localhost:8000).
 */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import {
  CreateTableCommand, DeleteItemCommand, DeleteTableCommand, DynamoDBClient, ListTablesCommand, PutItemCommand,
  ScanCommand, UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { begin, partita, restore } from "./partita.mjs";

const client = new DynamoDBClient({
  endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "http://localhost:8000",
  region: "us-east-1",
  credentials: { accessKeyId: `worker${process.env.JEST_WORKER_ID ?? 1}`, secretAccessKey: "any" },
});
const TableName = "Music";
const artist = (name) => ({ Artist: { S: name } });
const artists = async () =>
  (await client.send(new ScanCommand({ TableName }))).Items.map((item) => item.Artist.S).sort();

async function makeTables() {
  await client.send(new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "Artist", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "Artist", KeyType: "HASH" }],
  }));
  await client.send(new UpdateTimeToLiveCommand({
    TableName, TimeToLiveSpecification: { AttributeName: "Until", Enabled: true },
  }));
  await client.send(new PutItemCommand({ TableName, Item: artist("Acme") }));
}

before(() => begin(client, makeTables));
afterEach(() => restore(client));
after(() => client.destroy());

test("an item is added", async () => {
  await client.send(new PutItemCommand({ TableName, Item: artist("Zelda") }));
  assert.deepEqual(await artists(), ["Acme", "Zelda"]);
});

test("an item is deleted", async () => {
  await client.send(new DeleteItemCommand({ TableName, Key: artist("Acme") }));
  assert.deepEqual(await artists(), []);
});

test("the table is deleted", async () => {
  await client.send(new DeleteTableCommand({ TableName }));
  assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
});

test("an item expires a month later", async (context) => {
  context.after(() => partita(client, "MoveClock", { OffsetSeconds: 0 }));
  const Until = { N: String(Math.floor(Date.now() / 1000) + 30 * 86_400) };
  await client.send(new PutItemCommand({ TableName, Item: { ...artist("Brief"), Until } }));
  const { OffsetSeconds } = await partita(client, "MoveClock", { Seconds: 31 * 86_400 });
  assert.equal(OffsetSeconds, 31 * 86_400);
  const deadline = Date.now() + 10_000;
  while ((await artists()).includes("Brief")) assert.ok(Date.now() < deadline, "it is still there");
});

test("nothing is left of all that", async () => {
  assert.deepEqual(await artists(), ["Acme"]);
});
