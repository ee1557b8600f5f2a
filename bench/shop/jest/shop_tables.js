// The five tables.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const folder = path.join(__dirname, "tables");
exports.tables = fs.readdirSync(folder).sort().map((file) => JSON.parse(fs.readFileSync(path.join(folder, file))));
