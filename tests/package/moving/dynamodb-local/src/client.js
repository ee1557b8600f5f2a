const { DynamoDBClient } = require("@aws-sdk/client-dynamodb");
const { DynamoDBDocumentClient } = require("@aws-sdk/lib-dynamodb");

// DynamoDB Local takes any key. Production has the SDK's own settings.
const local = {
  endpoint: process.env.DYNAMODB_ENDPOINT ?? "http://localhost:8000",
  region: "local-env",
  credentials: { accessKeyId: "fakeMyKeyId", secretAccessKey: "fakeSecretAccessKey" },
};

exports.client = new DynamoDBClient(process.env.NODE_ENV === "production" ? {} : local);
exports.documents = DynamoDBDocumentClient.from(exports.client);
