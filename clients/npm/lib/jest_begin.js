"use strict";
const { beginRun } = require("./run.js");

module.exports = async (globalConfig) => {
  globalThis.partitaRun = await beginRun(globalConfig.rootDir);
};
