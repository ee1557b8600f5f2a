exports.tables = [
  {
    TableName: "Books",
    AttributeDefinitions: [{ AttributeName: "Isbn", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "Isbn", KeyType: "HASH" }],
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
  },
  {
    TableName: "Loans",
    AttributeDefinitions: [
      { AttributeName: "Member", AttributeType: "S" },
      { AttributeName: "Isbn", AttributeType: "S" },
      { AttributeName: "Due", AttributeType: "S" },
    ],
    KeySchema: [{ AttributeName: "Member", KeyType: "HASH" }, { AttributeName: "Isbn", KeyType: "RANGE" }],
    GlobalSecondaryIndexes: [{
      IndexName: "ByDue",
      KeySchema: [{ AttributeName: "Due", KeyType: "HASH" }],
      Projection: { ProjectionType: "ALL" },
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
  },
];
