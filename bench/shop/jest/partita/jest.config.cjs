module.exports = { preset: "partita" };
