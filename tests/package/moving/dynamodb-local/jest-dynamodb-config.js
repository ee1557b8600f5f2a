const { tables } = require("./src/tables.js");

module.exports = { tables, port: 8000, options: ["-sharedDb"] };
