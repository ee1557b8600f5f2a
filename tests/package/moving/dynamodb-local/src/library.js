const { TransactionCanceledException } = require("@aws-sdk/client-dynamodb");
const { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } = require("@aws-sdk/lib-dynamodb");
const { documents } = require("./client.js");

exports.add = (Isbn, Title, Copies) =>
  documents.send(new PutCommand({ TableName: "Books", Item: { Isbn, Title, Copies } }));

exports.book = async (Isbn) => (await documents.send(new GetCommand({ TableName: "Books", Key: { Isbn } }))).Item;

/** Whether there was a copy, and the member did not have one. */
exports.lend = async (Member, Isbn, Due) => {
  try {
    await documents.send(new TransactWriteCommand({ TransactItems: [
      { Update: { TableName: "Books", Key: { Isbn }, UpdateExpression: "ADD Copies :minus",
                  ConditionExpression: "Copies > :none", ExpressionAttributeValues: { ":minus": -1, ":none": 0 } } },
      { Put: { TableName: "Loans", Item: { Member, Isbn, Due }, ConditionExpression: "attribute_not_exists(Isbn)" } },
    ] }));
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException) return false;
    throw error;
  }
};

exports.dueOn = async (Due) => (await documents.send(new QueryCommand({
  TableName: "Loans", IndexName: "ByDue", KeyConditionExpression: "Due = :due", ExpressionAttributeValues: { ":due": Due },
}))).Items;
