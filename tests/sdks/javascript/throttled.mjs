// The cases through the SDK for JavaScript: one JSON line per case.
//
//   node throttled.mjs ENDPOINT

import * as dynamodb from "@aws-sdk/client-dynamodb";

const CHANGE = (table) => ({ Statement: `UPDATE "${table}" SET v = 1 WHERE k = 'a' AND n = 1` });
const SELECT = (table) => ({ Statement: `SELECT v FROM "${table}" WHERE k = 'a'` });
const key = (k = "a", n = 1) => ({ k: { S: k }, n: { N: String(n) } });
const both = (table) => [`${table}-open`, table];

const put = (k = "a", more = {}) => (table) =>
  new dynamodb.PutItemCommand({ TableName: table, Item: { ...key(k, 9), ...more } });
const get = (table) => new dynamodb.GetItemCommand({ TableName: table, Key: key() });
const query = (name, value, more = {}) => (table) => new dynamodb.QueryCommand({
  TableName: table, KeyConditionExpression: `${name} = :v`, ExpressionAttributeValues: { ":v": { S: value } }, ...more });
const batchWrite = (tablesOf) => (table) => new dynamodb.BatchWriteItemCommand({
  RequestItems: Object.fromEntries(tablesOf(table).map((name) => [name, [{ PutRequest: { Item: key("a", 9) } }]])) });
const batchRead = (table) => new dynamodb.BatchGetItemCommand({ RequestItems: { [table]: { Keys: [key()] } } });
const writeBoth = (k = "a") => (table) => new dynamodb.TransactWriteItemsCommand({
  TransactItems: [
    { Put: { TableName: `${table}-open`, Item: key("a", 9) } }, { Put: { TableName: table, Item: key(k, 9) } }] });
const readBoth = (table) => new dynamodb.TransactGetItemsCommand({
  TransactItems: both(table).map((name) => ({ Get: { TableName: name, Key: key() } })) });
const statement = (of) => (table) => new dynamodb.ExecuteStatementCommand(of(table));

const CASES = {
  "table-write": put(),
  "table-read": get,
  "index-write": put("a", { g: { S: "g" } }),
  "index-read": query("g", "g", { IndexName: "by-g" }),
  "hot-write": put("hot"),
  "hot-read": query("k", "hot"),
  "hot-write-on-demand": put("hot"),
  "hot-index-write": put("cold", { g: { S: "hot" } }),
  "maximum-write": put(),
  "maximum-read": get,
  "batch-write": batchWrite((table) => [table]),
  "batch-read": batchRead,
  "batch-maximum": batchWrite((table) => [table]),
  "batch-part": batchWrite(both),
  "transaction-write": writeBoth(),
  "transaction-read": readBoth,
  "transaction-hot": writeBoth("hot"),
  "transaction-maximum": writeBoth(),
  "statement-write": statement(CHANGE),
  "statement-read": statement(SELECT),
  "statement-maximum": statement(CHANGE),
  "statement-batch": (table) => new dynamodb.BatchExecuteStatementCommand({ Statements: both(table).map(CHANGE) }),
  "statement-transaction": (table) => new dynamodb.ExecuteTransactionCommand({ TransactStatements: both(table).map(CHANGE) }),
  "patient-table": put(),
  "patient-hot": put("hot"),
  "patient-maximum": put(),
};

// What became of each part of a call: [[code, text], ...]; of a batch, which tables have unprocessed items.
function partsOf(reply) {
  if (reply.UnprocessedItems) return Object.keys(reply.UnprocessedItems).map((table) => ["Unprocessed", table]);
  const errors = reply.CancellationReasons ?? (reply.Responses ?? []).map((each) => each.Error ?? {});
  return errors.map((each) => [each.Code ?? "None", each.Message ?? null]);
}

async function run(name) {
  const client = new dynamodb.DynamoDBClient({
    endpoint: process.argv[2], region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } });
  const told = { case: name, error: null, code: null, message: null, reasons: [] };
  const began = performance.now();
  let reply;
  try {
    reply = await client.send(CASES[name](name));
  } catch (error) {
    reply = error;
    Object.assign(told, { error: error.constructor.name, code: error.name, message: error.message });
    // The member is not spelt alike in both exceptions.
    const reasons = error instanceof dynamodb.ThrottlingException ? error.throttlingReasons : error.ThrottlingReasons;
    told.reasons = (reasons ?? []).map((each) => [each.reason, each.resource]);
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(JSON.stringify({ ...told, parts: partsOf(reply), attempts: reply.$metadata.attempts, seconds }));
}

await Promise.all(Object.keys(CASES).map(run));
