#!/usr/bin/env node
/**
 * A chat room through DAX: the same calls with @amazon-dax-sdk/lib-dax and with @aws-sdk/lib-dynamodb.
 *
 *     npm ci
 *     partita serve --in-memory --dax 127.0.0.1:8111 --dax-cache 64
 *     examples/dax.mjs [--endpoint-url URL] [--dax-url URL] [--calls N]
 *
 * Without --dax-cache no read is stale. To show what happens after five minutes, the example moves the server's clock.
 */
import { DaxDocument } from "@amazon-dax-sdk/lib-dax";
import { DynamoDBDocument } from "@aws-sdk/lib-dynamodb";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { partita } from "./partita.mjs";
import { connect, freshTable } from "./places.mjs";

const TableName = "ChatRoomOverDax";
const ChatRoomID = "seattle-1";
const FIRST = { ChatRoomID, ChatMessageIdentifier: "amsg#2018-08-29:12:00:00" };
const MESSAGES = 50;
const TTL_S = 300; // of both caches

const messages = Array.from({ length: MESSAGES }, (_, minute) => ({
  ChatRoomID,
  ChatMessageIdentifier: `amsg#2018-08-29:12:${String(minute).padStart(2, "0")}:00`,
  Message: `Message ${minute}`,
}));

/** The text of the first message, by GetItem. */
async function said(documents, more = {}) {
  return (await documents.get({ TableName, Key: FIRST, ...more })).Item?.Message ?? "(nothing)";
}

/** A user's messages, by Query. */
async function ofUser(documents, prefix = "amsg#") {
  const { Items } = await documents.query({
    TableName,
    KeyConditionExpression: "ChatRoomID = :room AND begins_with(ChatMessageIdentifier, :prefix)",
    ExpressionAttributeValues: { ":room": ChatRoomID, ":prefix": prefix },
  });
  return Items;
}

function percentiles(microseconds) {
  const ordered = [...microseconds].sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((part) => Math.round(ordered[Math.floor((ordered.length - 1) * part)]));
  return `p50 ${p50.toLocaleString("en")} µs, p99 ${p99.toLocaleString("en")} µs`;
}

/** What two functions take, called in turn. */
async function compared(calls, overHttp, overDax) {
  const functions = { "over HTTP": overHttp, "over DAX": overDax };
  const taken = { "over HTTP": [], "over DAX": [] };
  for (let call = 0; call < calls; ++call) {
    for (const [name, make] of Object.entries(functions)) {
      const began = process.hrtime.bigint();
      await make();
      taken[name].push(Number(process.hrtime.bigint() - began) / 1000);
    }
  }
  return Object.entries(taken).map(([name, its]) => `${name}: ${percentiles(its)}`);
}

/** Hits and misses of a cache of the server since it started, from its metrics. */
async function hitsAndMisses(endpoint, cache) {
  const text = await (await fetch(`${endpoint}/metrics`)).text();
  return ["hits", "misses"].map((what) =>
    Number(text.match(new RegExp(`^partita_dax_cache_${what}_total{cache="${cache}"} (\\d+)`, "m"))?.[1] ?? NaN));
}

/** What `make` answers, with the hits and misses meanwhile. */
async function counted(endpoint, cache, make) {
  const before = await hitsAndMisses(endpoint, cache);
  const answer = await make();
  const [hits, misses] = (await hitsAndMisses(endpoint, cache)).map((now, place) => now - before[place]);
  return [...answer, Number.isNaN(hits) ? "no cache: the server reads the store" : `hits ${hits}, misses ${misses}`];
}

/** What is read over DAX, before and after five minutes, of a message that is edited through `documents`. */
async function editedOver(documents, dax, client, text) {
  const reads = {
    GetItem: () => said(dax),
    "consistent GetItem": () => said(dax, { ConsistentRead: true }),
    Query: async () => (await ofUser(dax, FIRST.ChatMessageIdentifier))[0].Message,
  };
  await reads.GetItem(); // now in the caches
  await reads.Query();
  await documents.put({ TableName, Item: { ...FIRST, Message: text } });
  const lines = [];
  for (const [name, read] of Object.entries(reads)) lines.push(`${name}: ${await read()}`);
  await partita(client, "MoveClock", { Seconds: TTL_S });
  for (const name of ["GetItem", "Query"]) lines.push(`${name}, five minutes later: ${await reads[name]()}`);
  await partita(client, "MoveClock", { Seconds: -TTL_S });
  return lines;
}

/** Asks the questions. Answers with an object: the question in English, and lines. */
export async function run(client, endpoint, dax, calls) {
  await freshTable(client, TableName, "ChatRoomID", "ChatMessageIdentifier", messages.slice(0, 25));
  const http = DynamoDBDocument.from(client);
  const puts = messages.slice(25).map((Item) => ({ PutRequest: { Item } }));
  await http.batchWrite({ RequestItems: { [TableName]: puts } });
  const same = isDeepStrictEqual(await ofUser(http), await ofUser(dax));
  return {
    "A room over HTTP and over DAX": [same ? "the same" : "different"],
    "GetItem of a message": await counted(endpoint, "item", () => compared(calls, () => said(http), () => said(dax))),
    [`Query of ${MESSAGES} messages`]:
      await counted(endpoint, "query", () => compared(calls, () => ofUser(http), () => ofUser(dax))),
    "A message that is edited over HTTP": await editedOver(http, dax, client, "Lunch?"),
    "A message that is edited over DAX": await editedOver(dax, dax, client, "Dinner?"),
  };
}

/** A client of DAX, with the credentials that the other examples use. */
export function connectDax(endpoint) {
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION } = process.env;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  return new DaxDocument({
    endpoint, region: AWS_REGION ?? "us-east-1", ...(AWS_ACCESS_KEY_ID || AWS_PROFILE ? {} : { credentials }),
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      "endpoint-url": { type: "string", default: "http://localhost:8000" },
      "dax-url": { type: "string", default: "dax://127.0.0.1:8111" },
      calls: { type: "string", default: "1000" },
    },
  });
  const endpoint = values["endpoint-url"];
  const answers = await run(connect(endpoint), endpoint, connectDax(values["dax-url"]), Number(values.calls));
  for (const [question, lines] of Object.entries(answers)) {
    console.log(question);
    for (const line of lines) console.log(`    ${line}`);
  }
  process.exit(0); // the DAX client keeps its connections
}
