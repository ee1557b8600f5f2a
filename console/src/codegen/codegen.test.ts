import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli, cloudFormation, javascript3, kebab, python3 } from './index.ts';

const target = { endpoint: 'http://localhost:8000', region: 'eu-central-1' };

test('the CLI names members as botocore does', () => {
  assert.equal(kebab('SSESpecification'), 'sse-specification');
  assert.equal(kebab('ExpressionAttributeNames'), 'expression-attribute-names');
  assert.equal(kebab('ListTagsOfResource'), 'list-tags-of-resource');
});

test('CLI: quotes in values, booleans, lists of text, members left out', () => {
  const text = cli(
    {
      operation: 'Query',
      input: {
        TableName: 'Cart',
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': { S: "Pete's Cart" } },
        ScanIndexForward: false,
        ConsistentRead: true,
        AttributesToGet: ['a', 'b c'],
        Limit: undefined,
      },
    },
    target,
  );
  assert.equal(
    text,
    `aws dynamodb query \\
  --table-name Cart \\
  --key-condition-expression 'pk = :p' \\
  --expression-attribute-values '{":p": {"S": "Pete'\\''s Cart"}}' \\
  --no-scan-index-forward \\
  --consistent-read \\
  --attributes-to-get a 'b c' \\
  --endpoint-url http://localhost:8000 --region eu-central-1`,
  );
});

test('Python: True and None, bytes, method names', () => {
  const text = python3(
    { operation: 'PutItem', input: { TableName: 'T', Item: { id: { N: '1' }, raw: { B: 'AQI=' }, ok: { BOOL: true } } } },
    target,
  );
  assert.match(text, /^from base64 import b64decode\n/);
  assert.match(text, /client\.put_item\(\n {4}TableName="T",\n/);
  assert.match(text, /"raw": \{"B": b64decode\("AQI="\)\}/);
  assert.match(text, /"ok": \{"BOOL": True\}/);
});

test('a map with an attribute named B is no binary value', () => {
  const input = { Item: { m: { M: { B: { S: 'x' } } } } };
  assert.doesNotMatch(python3({ operation: 'PutItem', input }, target), /b64decode/);
  assert.doesNotMatch(javascript3({ operation: 'PutItem', input }, target), /Buffer/);
});

test('JavaScript: bytes, names that need quotes, __proto__, streams', () => {
  const text = javascript3(
    { operation: 'PutItem', input: { Item: JSON.parse('{"a-b":{"BS":["AQI="]},"__proto__":{"S":"x"}}') } },
    target,
  );
  assert.match(text, /"a-b": \{ BS: \[Buffer\.from\("AQI=", "base64"\)\] \}/);
  assert.match(text, /\["__proto__"\]: \{ S: "x" \}/);
  assert.match(javascript3({ operation: 'ListStreams', input: {} }, target), /client-dynamodb-streams/);
});

test('several requests: one import, one client, no reply kept', () => {
  const requests = ['CreateTable', 'UpdateTimeToLive', 'UpdateTimeToLive'].map((operation) => ({ operation, input: { TableName: 'T' } }));
  assert.equal(
    javascript3(requests, target),
    `import { DynamoDBClient, CreateTableCommand, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({ endpoint: "http://localhost:8000", region: "eu-central-1" });
await client.send(new CreateTableCommand({ TableName: "T" }));
await client.send(new UpdateTimeToLiveCommand({ TableName: "T" }));
await client.send(new UpdateTimeToLiveCommand({ TableName: "T" }));
`,
  );
  assert.equal(python3(requests, target).match(/^client\./gm)!.length, 3);
});

test('queries and scans are read to the end, unless a page is asked for', () => {
  const scan = { operation: 'Scan', input: { TableName: 'T' } };
  assert.match(python3(scan, target), /^response = client\.get_paginator\("scan"\)\.paginate\(\n {4}TableName="T",\n\)\.build_full_result\(\)$/m);
  assert.match(javascript3(scan, target), /^import \{ DynamoDBClient, paginateScan \}/);
  assert.match(javascript3(scan, target), /^const pages = paginateScan\(\{ client \}, \{ TableName: "T" \}\);$/m);
  for (const more of [{ Limit: 5 }, { ExclusiveStartKey: { id: { N: '1' } } }]) {
    const page = { operation: 'Scan', input: { TableName: 'T', ...more } };
    assert.match(python3(page, target), /^response = client\.scan\(/m);
    assert.match(javascript3(page, target), /await client\.send\(new ScanCommand\(/);
  }
});

test('CloudFormation: streams, TTL, quoting', () => {
  const text = cloudFormation([{
    input: {
      TableName: 'my.table-1',
      AttributeDefinitions: [{ AttributeName: 'N', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'N', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      Tags: [{ Key: 'team', Value: 'yes' }],
    },
    extras: { timeToLive: { AttributeName: 'expires', Enabled: true } },
  }]);
  assert.equal(
    text,
    `AWSTemplateFormatVersion: "2010-09-09"
Resources:
  MyTable1Table:
    Type: "AWS::DynamoDB::Table"
    Properties:
      TableName: my.table-1
      AttributeDefinitions:
        - AttributeName: "N"
          AttributeType: S
      KeySchema:
        - AttributeName: "N"
          KeyType: HASH
      BillingMode: PAY_PER_REQUEST
      StreamSpecification:
        StreamViewType: KEYS_ONLY
      Tags:
        - Key: team
          Value: "yes"
      TimeToLiveSpecification:
        AttributeName: expires
        Enabled: true
`,
  );
});

test('CloudFormation: all tables, each under an id of its own', () => {
  const tables = ['a-b', 'a.b', 'other'].map((TableName) => ({ input: { TableName, KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }] } }));
  const text = cloudFormation(tables);
  assert.deepEqual(text.match(/^ {2}\w+/gm), ['  ABTable', '  ABTable2', '  OtherTable']);
  assert.deepEqual(text.match(/TableName: .*/g), ['TableName: a-b', 'TableName: a.b', 'TableName: other']);
});
