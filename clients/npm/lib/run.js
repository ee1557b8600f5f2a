// What the presets for jest and vitest share: one server for a run, and the same tables and items before each test.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { CallFailed, Database, start } = require("./index.js");

const CLEAN = "run-clean";
const START = "run-start";
const FILES = ["partita.config.cjs", "partita.config.js", "partita.config.json"];

/** What partita.config.* of that folder says: { tables, options }. */
exports.configIn = (folder) => {
  for (const name of FILES) {
    const file = path.join(folder, name);
    if (!fs.existsSync(file)) continue;
    const config = require(file);
    for (const member of Object.keys(config)) {
      if (!["tables", "options"].includes(member)) throw new Error(`${file} has ${member}; it may have tables and options.`);
    }
    return config;
  }
  return {};
};

/** Starts the server of a run, unless PARTITA_ENDPOINT names one. Workers find it in their environment. */
exports.beginRun = async (folder) => {
  process.env.PARTITA_FOLDER = folder;
  if (process.env.PARTITA_ENDPOINT) return { stop: async () => {} };
  const { options = [] } = exports.configIn(folder);
  const server = await start({ options: ["--namespaces", "key", ...options] });
  process.env.PARTITA_ENDPOINT = server.endpoint;
  return { stop: async () => {
    delete process.env.PARTITA_ENDPOINT;
    await server.stop();
  } };
};

async function unlessMissing(call) {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof CallFailed && error.code === "ResourceNotFoundException") return false;
    throw error;
  }
}

/** The database of a worker, with the tables of the configuration and nothing else. */
exports.beginFile = async (worker) => {
  const database = new Database(process.env.PARTITA_ENDPOINT, `worker${worker}`);
  if (!(await unlessMissing(database.rollback(START)))) await database.createSnapshot(START);
  await unlessMissing(database.deleteSnapshot(CLEAN));
  for (const table of exports.configIn(process.env.PARTITA_FOLDER).tables ?? []) {
    await database.dynamodb("CreateTable", { BillingMode: table.ProvisionedThroughput ? "PROVISIONED" : "PAY_PER_REQUEST", ...table });
  }
  await database.createSnapshot(CLEAN);
  return database;
};

exports.afterTest = async (database) => {
  await database.rollback(CLEAN);
  await database.resetClock();
};
