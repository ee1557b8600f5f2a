"use strict";
module.exports = {
  globalSetup: require.resolve("./lib/jest_begin.js"),
  globalTeardown: require.resolve("./lib/jest_end.js"),
  setupFilesAfterEnv: [require.resolve("./lib/each_file.js")],
};
