// A plug-in of vitest.
"use strict";

exports.partita = () => ({
  name: "partita",
  config: () => ({
    test: {
      globalSetup: [require.resolve("./vitest_begin.mjs")],
      setupFiles: [require.resolve("./vitest_each_file.mjs")],
    },
  }),
});
