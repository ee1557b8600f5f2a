#!/usr/bin/env node
/**
 * Places: hierarchies in a sort key, from the general to the particular, queried with the JavaScript SDK.
 *
 * Table Places: partition key `Guide`, sort key `Place`. The guide "city-first" writes its places as
 * city-state-country, "country-first" as country-state-city, and "neighborhoods" as
 * country#region#state#county#city#neighborhood.
 *
 * Table StoreLocations: partition key `Country`, sort key `StateCityZip` = STATE#CITY#ZIP.
 *
 * Usage: npm ci, then: places.mjs [--endpoint-url URL]
 */
import {
  CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists, waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const cities = [
  ["Austin", "TX", "USA"], ["Houston", "TX", "USA"], ["Houston", "MO", "USA"], ["Houston", "BC", "Canada"],
  ["Seattle", "WA", "USA"],
];
const neighborhoods = [
  "USA#South#TX#Harris#Houston#Montrose", "USA#South#TX#Harris#Houston#Midtown", "USA#South#TX#Harris#Pasadena#Deepwater",
  "USA#South#TX#Travis#Austin#Hyde Park", "USA#South#LA#Orleans#New Orleans#Treme", "USA#West#WA#King#Seattle#Ballard",
  "Canada#West#BC#Bulkley#Houston#Centre",
];
const stores = [
  ["USA", "NY#New York#10001"], ["USA", "NY#New York#10019"], ["USA", "NY#Buffalo#14202"], ["USA", "TX#Houston#77002"],
  ["USA", "WA#Seattle#98101"], ["Canada", "BC#Vancouver#V6B"],
];

export async function freshTable(client, TableName, partitionKey, sortKey, items) {
  const quickly = { client, maxWaitTime: 60, minDelay: 0.1, maxDelay: 0.5 };
  try {
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists(quickly, { TableName });
  } catch (error) {
    if (error.name !== "ResourceNotFoundException") throw error;
  }
  await client.send(new CreateTableCommand({
    TableName,
    KeySchema: [{ AttributeName: partitionKey, KeyType: "HASH" }, { AttributeName: sortKey, KeyType: "RANGE" }],
    AttributeDefinitions: [partitionKey, sortKey].map((name) => ({ AttributeName: name, AttributeType: "S" })),
    BillingMode: "PAY_PER_REQUEST",
  }));
  await waitUntilTableExists(quickly, { TableName });

  let requests = { [TableName]: items.map((Item) => ({ PutRequest: { Item } })) };
  while (Object.keys(requests).length > 0) {
    requests = (await client.send(new BatchWriteCommand({ RequestItems: requests }))).UnprocessedItems;
  }
}

/** Asks the questions. Answers with an object: the question in English, and the sort keys of the places found. */
export async function run(client) {
  await freshTable(client, "Places", "Guide", "Place", [
    ...cities.map(([city, state, country]) => ({ Guide: "city-first", Place: `${city}-${state}-${country}` })),
    ...cities.map(([city, state, country]) => ({ Guide: "country-first", Place: `${country}-${state}-${city}` })),
    ...neighborhoods.map((place) => ({ Guide: "neighborhoods", Place: place })),
  ]);
  await freshTable(client, "StoreLocations", "Country", "StateCityZip",
    stores.map(([Country, StateCityZip]) => ({ Country, StateCityZip })));

  async function beginning(TableName, partitionKey, partition, sortKey, prefix) {
    const found = [];
    const pages = paginateQuery({ client }, {
      TableName,
      KeyConditionExpression: "#partition = :partition" + (prefix ? " AND begins_with(#sort, :prefix)" : ""),
      ExpressionAttributeNames: { "#partition": partitionKey, ...(prefix && { "#sort": sortKey }) },
      ExpressionAttributeValues: { ":partition": partition, ...(prefix && { ":prefix": prefix }) },
    });
    for await (const page of pages) found.push(...page.Items.map((item) => item[sortKey]));
    return found;
  }
  const places = (guide, prefix) => beginning("Places", "Guide", guide, "Place", prefix);
  const storesIn = (country, prefix) => beginning("StoreLocations", "Country", country, "StateCityZip", prefix);

  return {
    "City first: every Houston": await places("city-first", "Houston"),
    "City first: all of the USA cannot be asked": await places("city-first", "USA"),
    "Country first: the USA": await places("country-first", "USA"),
    "Country first: Texas": await places("country-first", "USA-TX"),
    "Country first: Houston, Texas": await places("country-first", "USA-TX-Houston"),
    "Neighborhoods of a country": await places("neighborhoods", "USA#"),
    "Neighborhoods of a region": await places("neighborhoods", "USA#South#"),
    "Neighborhoods of a state": await places("neighborhoods", "USA#South#TX#"),
    "Neighborhoods of a county": await places("neighborhoods", "USA#South#TX#Harris#"),
    "Neighborhoods of a city": await places("neighborhoods", "USA#South#TX#Harris#Houston#"),
    "One neighborhood": await places("neighborhoods", "USA#South#TX#Harris#Houston#Montrose"),
    "Stores in a country": await storesIn("USA"),
    "Stores in a state": await storesIn("USA", "NY#"),
    "Stores in a city": await storesIn("USA", "NY#New York#"),
    "Stores at a zip code": await storesIn("USA", "NY#New York#10019"),
  };
}

/** A client of the server at `endpoint`. Without credentials in the environment, any will do. */
export function connect(endpoint) {
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION } = process.env;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  return DynamoDBDocumentClient.from(new DynamoDBClient({
    endpoint, region: AWS_REGION ?? "us-east-1", ...(AWS_ACCESS_KEY_ID || AWS_PROFILE ? {} : { credentials }),
  }));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { "endpoint-url": { type: "string", default: "http://localhost:8000" } } });
  for (const [question, found] of Object.entries(await run(connect(values["endpoint-url"])))) {
    console.log(question);
    for (const place of found.length > 0 ? found : ["(nothing)"]) console.log(`    ${place}`);
  }
}
