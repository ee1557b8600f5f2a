"use strict";

module.exports = () => globalThis.partitaRun.stop();
