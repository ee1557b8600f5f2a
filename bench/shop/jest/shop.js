// The tests of a shop. Each finds five empty tables.
"use strict";
const dynamodb = require("@aws-sdk/client-dynamodb");

const TESTS = 10;

/** The tests of one file, numbered from `first`. `name` makes a table's name on the server of what it is here. */
exports.tests = (first, client, name) => {
  for (let n = first; n < first + TESTS; ++n) test(`an order ${n}`, () => order(client, name, n));
};

async function order(client, name, n) {
  const send = (command, input) => client.send(new dynamodb[`${command}Command`](input));
  const Customer = { S: `customer ${n}` };
  const Product = { S: `product ${n}` };
  const Order = { S: `order ${n}` };
  await send("PutItem", { TableName: name("Customers"), Item: { Customer, Town: { S: "Turin" } } });
  await send("PutItem", { TableName: name("Products"), Item: { Product, Stock: { N: "10" } } });
  const lines = [0, 1, 2, 3, 4].map((line) => ({ Customer, Product: { S: `${Product.S}-${line}` }, Count: { N: "2" } }));
  await send("BatchWriteItem", { RequestItems: { [name("Carts")]: lines.map((Item) => ({ PutRequest: { Item } })) } });

  const cart = await send("Query", { TableName: name("Carts"), KeyConditionExpression: "Customer = :customer",
                                     ExpressionAttributeValues: { ":customer": Customer } });
  expect(cart.Items).toEqual(lines);

  const taken = await send("UpdateItem", {
    TableName: name("Products"), Key: { Product }, UpdateExpression: "SET Stock = Stock - :count",
    ConditionExpression: "Stock >= :count", ExpressionAttributeValues: { ":count": { N: "2" } }, ReturnValues: "UPDATED_NEW" });
  expect(taken.Attributes).toEqual({ Stock: { N: "8" } });

  const item = { Customer, Order, State: { S: "PAID" } };
  const TransactItems = [
    { Put: { TableName: name("Orders"), Item: item } },
    { Put: { TableName: name("Payments"), Item: { Order, Amount: { N: "19.9" } },
             ConditionExpression: "attribute_not_exists(#order)", ExpressionAttributeNames: { "#order": "Order" } } },
    { Delete: { TableName: name("Carts"), Key: { Customer, Product: lines[0].Product } } },
  ];
  await send("TransactWriteItems", { TransactItems });
  await expect(send("TransactWriteItems", { TransactItems })).rejects.toThrow(dynamodb.TransactionCanceledException);

  const paid = await send("Query", {
    TableName: name("Orders"), IndexName: "ByState", KeyConditionExpression: "#state = :state",
    ExpressionAttributeNames: { "#state": "State" }, ExpressionAttributeValues: { ":state": { S: "PAID" } } });
  expect(paid.Items).toEqual([item]);
  const payment = await send("GetItem", { TableName: name("Payments"), Key: { Order }, ConsistentRead: true });
  expect(payment.Item.Amount).toEqual({ N: "19.9" });
  expect((await send("Scan", { TableName: name("Customers") })).Count).toBe(1);
  expect((await send("Scan", { TableName: name("Carts") })).Count).toBe(4);
}
