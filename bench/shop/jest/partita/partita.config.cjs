module.exports = { tables: require("./shop_tables.js").tables };
