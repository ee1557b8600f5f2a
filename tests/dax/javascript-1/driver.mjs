// Makes the calls that it reads as JSON lines, with aws-sdk 2 (http:) or amazon-dax-client 1.2 (dax:).
//
//   node driver.mjs dax://127.0.0.1:8111 <steps >results

import readline from "node:readline";
import AWS from "aws-sdk";
import AmazonDaxClient from "amazon-dax-client";

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

let body; // of the last reply over HTTP: the SDK itself gives no reasons
function failure(error, dax) {
  const said = !dax && error.code === "TransactionCanceledException" ? JSON.parse(body) : error;
  const reasons = said.CancellationReasons ?? said.cancellationReasons;
  const client = (dax ? error.codeSeq : error.statusCode) ? undefined : error.code ?? error.name; // it refused it
  return { code: error.code, message: error.message, reasons: encoded(reasons), client };
}

async function outputs(client, step, done) {
  const call = step.call[0].toLowerCase() + step.call.slice(1);
  let given = step.input;
  for (let times = 0; times < 1000; ++times) {
    const request = client[call](decoded(given));
    if (request.httpRequest) request.on("extractError", ({ httpResponse }) => (body = httpResponse.body.toString()));
    const { $response, ...output } = await request.promise();
    done.push(encoded(output));
    const left = [output.UnprocessedKeys, output.UnprocessedItems];
    const unprocessed = left.find((each) => each && Object.keys(each).length);
    if (step.again === "LastEvaluatedKey" && output.LastEvaluatedKey) {
      given = { ...given, ExclusiveStartKey: encoded(output.LastEvaluatedKey) };
    } else if (step.again === "Unprocessed" && unprocessed) given = { ...given, RequestItems: encoded(unprocessed) };
    else return;
  }
}

const url = process.argv[2];
const dax = !url.startsWith("http");
const region = process.env.AWS_REGION;
const client = dax
  ? new AmazonDaxClient({ endpoints: [url], region })
  : new AWS.DynamoDB({ endpoint: url, region, maxRetries: 0 });

for await (const line of readline.createInterface({ input: process.stdin })) {
  const step = JSON.parse(line);
  const result = { name: step.name, outputs: [] };
  try {
    await outputs(client, step, result.outputs);
  } catch (error) {
    result.error = failure(error, dax);
  }
  process.stdout.write(JSON.stringify(result) + "\n");
}
process.exit(0);
