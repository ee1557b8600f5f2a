// With any server of the API: each test creates its tables and deletes them. AWS's variables name the server.
"use strict";
const { CreateTableCommand, DeleteTableCommand, DynamoDBClient } = require("@aws-sdk/client-dynamodb");
const { tests } = require("./shop.js");
const { tables } = require("./shop_tables.js");

exports.begin = (first) => {
  const client = new DynamoDBClient({});
  const name = (table) => `worker${process.env.JEST_WORKER_ID}-${table}`;
  beforeEach(async () => {
    for (const { TableName, ...rest } of tables) {
      await client.send(new CreateTableCommand({ ...rest, TableName: name(TableName) }));
    }
  });
  afterEach(async () => {
    for (const { TableName } of tables) await client.send(new DeleteTableCommand({ TableName: name(TableName) }));
  });
  tests(first, client, name);
};
