// Creates the tables that are missing, adds the first book, and lends it.
const { CreateTableCommand, ResourceInUseException, waitUntilTableExists } = require("@aws-sdk/client-dynamodb");
const { client } = require("./client.js");
const library = require("./library.js");
const { tables } = require("./tables.js");

async function createTable(table) {
  try {
    await client.send(new CreateTableCommand(table));
    console.log(`created ${table.TableName}`);
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 30 }, { TableName: table.TableName });
}

async function main() {
  for (const table of tables) await createTable(table);
  if (!(await library.book("978-0"))) await library.add("978-0", "The Leopard", 2);
  const member = process.argv[2] ?? "ada";
  console.log(`${member}: ${(await library.lend(member, "978-0", "2026-12-24")) ? "lent" : "refused"}`);
  for (const loan of await library.dueOn("2026-12-24")) console.log(`due: ${loan.Member} ${loan.Isbn}`);
}

main();
