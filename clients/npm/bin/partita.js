#!/usr/bin/env node
// The command `partita`: the program, with this process's streams, signals and status.
"use strict";
const { spawn } = require("node:child_process");
const { program } = require("../lib/program.js");

let path;
try {
  path = program();
} catch (error) {
  console.error(`partita: ${error.message}`);
  process.exit(1);
}
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {}); // a terminal sends it to the program, too
child.on("error", (error) => {
  console.error(`partita: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));
