// Where the program is.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    const head = Buffer.alloc(2);
    const opened = fs.openSync(file, "r");
    fs.readSync(opened, head);
    fs.closeSync(opened);
    return head.toString() !== "#!"; // the command of this package is a script that asks here
  } catch {
    return false;
  }
}

/** PARTITA_BINARY, or the program of the package for this platform, or else the first in PATH. */
exports.program = () => {
  const named = process.env.PARTITA_BINARY;
  if (named) {
    if (isProgram(named)) return named;
    throw new Error(`PARTITA_BINARY is ${named}, which is no program that can be run.`);
  }
  const platform = `partita-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${platform}/partita`);
  } catch {
    // not installed: an optional dependency
  }
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(folder, "partita");
    if (folder && isProgram(file)) return file;
  }
  throw new Error(
    `The program partita is neither in the package ${platform} nor in PATH: install it, or name it in PARTITA_BINARY.`);
};
