// Partita, a DynamoDB that you own: a server of one's own, and the calls that DynamoDB does not have.
"use strict";
const { spawn } = require("node:child_process");
const { Database, CallFailed } = require("./database.js");
const { program } = require("./program.js");

const START_MS = 60_000;
const STOP_MS = 30_000;
// Becomes the server, and has a process beside it that ends it when this one has gone, and with it its end of the pipe.
const UNTIL_END_OF_INPUT = `exec 3<&0
{ read -r _; read -r _ _ _ parent _ </proc/self/stat; [ "$parent" != $$ ] || kill $$; } <&3 >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

class Server extends Database {
  #process;

  constructor(child, endpoint) {
    super(endpoint);
    this.#process = child;
  }

  get pid() {
    return this.#process.pid;
  }

  database(namespace) {
    return new Database(this.endpoint, namespace);
  }

  async stop() {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
  }
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let out = "";
    let said = "";
    const timer = setTimeout(() => fail("it said nothing in a minute"), START_MS);
    const fail = (why) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new Error(`The server did not start: ${said.trim().slice(-2000) || why}`));
    };
    child.stderr.on("data", (bytes) => (said = (said + bytes).slice(-8000)));
    child.stdout.on("data", (bytes) => {
      out += bytes;
      if (!out.includes("\n")) return;
      clearTimeout(timer);
      const url = /https?:\/\/[^ ,]+/.exec(out);
      if (url) resolve(url[0]);
      else fail(out);
    });
    child.once("error", (error) => fail(error.message));
    child.once("close", () => fail("it has ended"));
  });
}

exports.start = async ({ data, options = [] } = {}) => {
  const where = data === undefined ? ["--in-memory"] : ["--data", data];
  const words = [program(), "serve", "--listen", "127.0.0.1:0", ...where, ...options];
  const child = spawn("/bin/sh", ["-c", UNTIL_END_OF_INPUT, "partita", ...words], { stdio: "pipe" });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => {
    process.removeListener("exit", end);
    child.stdin.destroy();
  });
  const endpoint = await firstLine(child);
  // A test run may end while the server runs.
  child.unref();
  child.stdin.unref();
  child.stdout.unref();
  child.stderr.unref();
  return new Server(child, endpoint);
};

/** Has the requests of a client of the SDK (version 3) go to a namespace; the server has `--namespaces header`. */
exports.inNamespace = (client, namespace) => {
  client.middlewareStack.add((next) => (args) => {
    args.request.headers["x-partita-namespace"] = namespace;
    return next(args);
  }, { step: "build", name: "partitaNamespace", override: true });
  return client;
};

exports.Database = Database;
exports.CallFailed = CallFailed;
exports.program = program;
