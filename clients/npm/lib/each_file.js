// In each file of tests, for jest and vitest with globals.
"use strict";
const { afterTest, beginFile } = require("./run.js");
const { Database } = require("./database.js");

exports.install = ({ beforeAll, afterEach }) => {
  const worker = process.env.JEST_WORKER_ID ?? process.env.VITEST_POOL_ID ?? "1";
  // Before the file is read, since it may make its client at once.
  const database = new Database(process.env.PARTITA_ENDPOINT, `worker${worker}`);
  Object.assign(process.env, database.environment());
  globalThis.partita = database;
  beforeAll(() => beginFile(worker));
  afterEach(() => afterTest(database));
};

if (globalThis.beforeAll && globalThis.afterEach) exports.install(globalThis);
