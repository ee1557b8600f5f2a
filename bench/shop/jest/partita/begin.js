// With the preset of the package partita: its configuration has the tables, and each test's changes are rolled back.
"use strict";
const { DynamoDBClient } = require("@aws-sdk/client-dynamodb");
const { tests } = require("./shop.js");

exports.begin = (first) => tests(first, new DynamoDBClient({}), (table) => table);
