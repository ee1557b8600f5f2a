const { DeleteCommand, ScanCommand } = require("@aws-sdk/lib-dynamodb");
const { documents } = require("./src/client.js");
const library = require("./src/library.js");
const { tables } = require("./src/tables.js");

// All tests share the tables.
beforeEach(async () => {
  for (const { TableName, KeySchema } of tables) {
    for (const item of (await documents.send(new ScanCommand({ TableName }))).Items) {
      const Key = Object.fromEntries(KeySchema.map(({ AttributeName }) => [AttributeName, item[AttributeName]]));
      await documents.send(new DeleteCommand({ TableName, Key }));
    }
  }
});

test("a book is lent until there is no copy left", async () => {
  await library.add("1", "Emma", 2);
  expect(await library.lend("ada", "1", "2026-12-01")).toBe(true);
  expect(await library.lend("ada", "1", "2026-12-01")).toBe(false);
  expect(await library.lend("bob", "1", "2026-12-01")).toBe(true);
  expect(await library.lend("eve", "1", "2026-12-01")).toBe(false);
  expect(await library.book("1")).toEqual({ Isbn: "1", Title: "Emma", Copies: 0 });
});

test("loans are found by the day they are due", async () => {
  await library.add("2", "Ivanhoe", 5);
  await library.lend("ada", "2", "2026-12-01");
  await library.lend("bob", "2", "2026-12-02");
  expect((await library.dueOn("2026-12-01")).map(({ Member }) => Member)).toEqual(["ada"]);
});
