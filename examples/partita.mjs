/**
 * Calls of Partita that DynamoDB does not have, through the SDK's client: snapshots for test suites, and the clock.
 *
 * With vitest, in a file of `setupFiles` (with jest in one of `setupFilesAfterEnv`, without the import):
 *
 *     import { afterEach, beforeAll } from "vitest";
 *     beforeAll(() => begin(client, makeTables));
 *     afterEach(() => restore(client));
 */
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";

/** One call, such as partita(client, "CreateSnapshot", { Name: "clean" }); answers with its reply. */
export async function partita(client, operation, members = {}) {
  const command = new ListTablesCommand({});
  let reply;
  command.middlewareStack.add((next) => (args) => {
    args.request.headers["x-amz-target"] = `Partita_20261123.${operation}`;
    args.request.body = JSON.stringify(members);
    return next(args);
  }, { step: "build", priority: "high" });
  command.middlewareStack.add((next) => async (args) => {
    const result = await next(args);
    const chunks = [];
    for await (const chunk of result.response.body) chunks.push(chunk);
    result.response.body = Buffer.concat(chunks);
    reply = result.response.body.toString();
    return result;
  }, { step: "deserialize", priority: "low" });
  await client.send(command);
  return JSON.parse(reply);
}

async function unlessMissing(call) {
  try {
    await call;
    return true;
  } catch (error) {
    if (error.name === "ResourceNotFoundException") return false;
    throw error;
  }
}

/**
 * Call it before the tests of every run: rolls the database back to its first state, has `makeTables` create the
 * tables for the tests, and takes a snapshot.
 */
export async function begin(client, makeTables) {
  const known = await unlessMissing(partita(client, "RollbackToSnapshot", { Name: "start" }));
  if (!known) await partita(client, "CreateSnapshot", { Name: "start" });
  await unlessMissing(partita(client, "DeleteSnapshot", { Name: "clean" }));
  await makeTables(client);
  await partita(client, "CreateSnapshot", { Name: "clean" });
}

/** After each test. */
export async function restore(client) {
  await partita(client, "RollbackToSnapshot", { Name: "clean" });
}
