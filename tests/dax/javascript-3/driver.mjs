// Makes the calls that it reads as JSON lines, with @aws-sdk/client-dynamodb (http:) or @amazon-dax-sdk/client-dax.
//
//   node driver.mjs dax://127.0.0.1:8111 <steps >results

import readline from "node:readline";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { Dax } from "@amazon-dax-sdk/client-dax";

// Binaries as bytes. An attribute whose name is B has an object as its value, no text.
function decoded(value) {
  if (Array.isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.B === "string") return { B: Buffer.from(value.B, "base64") };
  if (Array.isArray(value.BS)) return { BS: value.BS.map((each) => Buffer.from(each, "base64")) };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, decoded(each)]));
}

function encoded(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(encoded);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, encoded(each)]));
}

function failure(error) {
  const code = error.code ?? error.name;
  const reasons = error.CancellationReasons ?? error.cancellationReasons;
  const client = error.$metadata || error.codeSeq ? undefined : code; // it refused the call by itself
  return { code, message: error.message, reasons: encoded(reasons), item: encoded(error.Item), client };
}

async function outputs(client, step, done) {
  const call = step.call[0].toLowerCase() + step.call.slice(1);
  let given = step.input;
  for (let times = 0; times < 1000; ++times) {
    const { $metadata, ...output } = encoded(await client[call](decoded(given)));
    done.push(output);
    const left = [output.UnprocessedKeys, output.UnprocessedItems];
    const unprocessed = left.find((each) => each && Object.keys(each).length);
    if (step.again === "LastEvaluatedKey" && output.LastEvaluatedKey) {
      given = { ...given, ExclusiveStartKey: output.LastEvaluatedKey };
    } else if (step.again === "Unprocessed" && unprocessed) given = { ...given, RequestItems: unprocessed };
    else return;
  }
}

const url = process.argv[2];
const region = process.env.AWS_REGION;
const client = url.startsWith("http")
  ? new DynamoDB({ endpoint: url, region, maxAttempts: 1 })
  : new Dax({ endpoint: url, region });

for await (const line of readline.createInterface({ input: process.stdin })) {
  const step = JSON.parse(line);
  const result = { name: step.name, outputs: [] };
  try {
    await outputs(client, step, result.outputs);
  } catch (error) {
    result.error = failure(error);
  }
  process.stdout.write(JSON.stringify(result) + "\n");
}
process.exit(0);
