/** The operations that the page offers, each with a body to start from. */
import { targetOf } from '../../aws/client.ts';

export interface Operation {
  name: string;
  target: string;
  /** read changes nothing; write changes items; control changes tables or the server. */
  kind: 'read' | 'write' | 'control';
  template: string;
}

const TABLE = '{\n  "TableName": "Music"\n}';
const ARN = '{\n  "ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Music"\n}';
const KINESIS = '{\n  "TableName": "Music",\n  "StreamArn": "arn:aws:kinesis:us-east-1:123456789012:stream/music"\n}';
const KEY = '{\n  "TableName": "Music",\n  "Key": { "Artist": { "S": "Bach" } }\n}';
const STATEMENT = '{\n  "Statement": "SELECT * FROM Music WHERE Artist = ?",\n  "Parameters": [{ "S": "Bach" }]\n}';

type Row = [name: string, kind: Operation['kind'], template: string];

const DYNAMODB: Row[] = [
  ['BatchExecuteStatement', 'write', `{\n  "Statements": [${STATEMENT.replace(/\n/g, '\n  ')}]\n}`],
  ['BatchGetItem', 'read', '{\n  "RequestItems": {\n    "Music": { "Keys": [{ "Artist": { "S": "Bach" } }] }\n  }\n}'],
  ['BatchWriteItem', 'write', '{\n  "RequestItems": {\n    "Music": [{ "PutRequest": { "Item": { "Artist": { "S": "Bach" } } } }]\n  }\n}'],
  [
    'CreateTable',
    'control',
    '{\n  "TableName": "Music",\n  "AttributeDefinitions": [{ "AttributeName": "Artist", "AttributeType": "S" }],\n  "KeySchema": [{ "AttributeName": "Artist", "KeyType": "HASH" }],\n  "BillingMode": "PAY_PER_REQUEST"\n}',
  ],
  ['DeleteItem', 'write', KEY],
  ['DeleteResourcePolicy', 'control', ARN],
  ['DeleteTable', 'control', TABLE],
  ['DescribeContinuousBackups', 'read', TABLE],
  ['DescribeContributorInsights', 'read', TABLE],
  ['DescribeEndpoints', 'read', '{}'],
  ['DescribeKinesisStreamingDestination', 'read', TABLE],
  ['DescribeLimits', 'read', '{}'],
  ['DescribeTable', 'read', TABLE],
  ['DescribeTableReplicaAutoScaling', 'read', TABLE],
  ['DescribeTimeToLive', 'read', TABLE],
  ['DisableKinesisStreamingDestination', 'control', KINESIS],
  ['EnableKinesisStreamingDestination', 'control', KINESIS],
  ['ExecuteStatement', 'write', STATEMENT],
  ['ExecuteTransaction', 'write', `{\n  "TransactStatements": [${STATEMENT.replace(/\n/g, '\n  ')}]\n}`],
  ['GetItem', 'read', KEY.replace(/\n}$/, ',\n  "ReturnConsumedCapacity": "TOTAL"\n}')],
  ['GetResourcePolicy', 'read', ARN],
  ['ListContributorInsights', 'read', '{}'],
  ['ListTables', 'read', '{}'],
  ['ListTagsOfResource', 'read', ARN],
  ['PutItem', 'write', '{\n  "TableName": "Music",\n  "Item": { "Artist": { "S": "Bach" }, "Works": { "N": "1128" } }\n}'],
  ['PutResourcePolicy', 'control', ARN.replace(/\n}$/, ',\n  "Policy": "{\\"Version\\": \\"2012-10-17\\", \\"Statement\\": []}"\n}')],
  [
    'Query',
    'read',
    '{\n  "TableName": "Music",\n  "KeyConditionExpression": "Artist = :artist",\n  "ExpressionAttributeValues": { ":artist": { "S": "Bach" } },\n  "ReturnConsumedCapacity": "TOTAL"\n}',
  ],
  ['Scan', 'read', '{\n  "TableName": "Music",\n  "Limit": 25,\n  "ReturnConsumedCapacity": "TOTAL"\n}'],
  ['SearchVectors', 'read', TABLE.replace(/\n}$/, ',\n  "IndexName": "by-meaning",\n  "TopK": 10,\n  "SearchVector": [{ "N": "1" }, { "N": "0" }]\n}')],
  ['TagResource', 'control', ARN.replace(/\n}$/, ',\n  "Tags": [{ "Key": "team", "Value": "music" }]\n}')],
  ['TransactGetItems', 'read', `{\n  "TransactItems": [{ "Get": ${KEY.replace(/\n/g, '\n  ')} }]\n}`],
  ['TransactWriteItems', 'write', `{\n  "TransactItems": [{ "Delete": ${KEY.replace(/\n/g, '\n  ')} }]\n}`],
  ['UntagResource', 'control', ARN.replace(/\n}$/, ',\n  "TagKeys": ["team"]\n}')],
  ['UpdateContributorInsights', 'control', TABLE.replace(/\n}$/, ',\n  "ContributorInsightsAction": "ENABLE"\n}')],
  [
    'UpdateItem',
    'write',
    KEY.replace(
      /\n}$/,
      ',\n  "UpdateExpression": "SET Works = :works",\n  "ExpressionAttributeValues": { ":works": { "N": "1128" } },\n  "ReturnValues": "ALL_NEW"\n}',
    ),
  ],
  [
    'UpdateKinesisStreamingDestination',
    'control',
    KINESIS.replace(/\n}$/, ',\n  "UpdateKinesisStreamingConfiguration": { "ApproximateCreationDateTimePrecision": "MICROSECOND" }\n}'),
  ],
  ['UpdateTable', 'control', TABLE.replace(/\n}$/, ',\n  "BillingMode": "PAY_PER_REQUEST"\n}')],
  [
    'UpdateTimeToLive',
    'control',
    TABLE.replace(/\n}$/, ',\n  "TimeToLiveSpecification": { "AttributeName": "expires", "Enabled": true }\n}'),
  ],
];

const STREAM = '{\n  "StreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Music/stream/2026-01-01T00:00:00.000"\n}';

const STREAMS: Row[] = [
  ['DescribeStream', 'read', STREAM],
  ['GetRecords', 'read', '{\n  "ShardIterator": ""\n}'],
  ['GetShardIterator', 'read', STREAM.replace(/\n}$/, ',\n  "ShardId": "",\n  "ShardIteratorType": "TRIM_HORIZON"\n}')],
  ['ListStreams', 'read', '{}'],
];

const NAME = '{\n  "Name": "clean"\n}';

const SINK = '{\n  "TableName": "Music",\n  "SinkName": "opensearch"\n}';

const PARTITA: Row[] = [
  ['CreateSink', 'control', TABLE.replace(/\n}$/, ',\n  "Url": "opensearch+https://search.example.com:9200"\n}')],
  ['CreateSnapshot', 'control', NAME],
  ['DeleteNamespace', 'control', '{\n  "Name": "worker1"\n}'],
  ['DeleteSink', 'control', SINK],
  ['DeleteSnapshot', 'control', NAME],
  ['DescribeClock', 'read', '{}'],
  ['DescribeConsole', 'read', '{}'],
  ['DescribeHeat', 'read', TABLE],
  ['DescribeHotKeys', 'read', TABLE],
  ['DescribeMetrics', 'read', '{}'],
  ['DescribeSink', 'read', SINK],
  ['ListJobs', 'read', '{}'],
  ['ListNamespaces', 'read', '{}'],
  ['ListSinks', 'read', '{}'],
  ['ListSnapshots', 'read', '{}'],
  ['MoveClock', 'control', '{\n  "Seconds": 3600\n}'],
  ['PauseSink', 'control', SINK],
  ['ResumeSink', 'control', SINK],
  ['RetrySink', 'control', SINK],
  ['RollbackToSnapshot', 'control', NAME],
  ['VerifySink', 'read', SINK],
];

const rows = (list: Row[], target: (name: string) => string): Operation[] =>
  list.map(([name, kind, template]) => ({ name, kind, template, target: target(name) }));

export const operations = [
  { service: 'DynamoDB', operations: rows(DYNAMODB, targetOf) },
  { service: 'DynamoDB Streams', operations: rows(STREAMS, targetOf) },
  { service: 'Partita', operations: rows(PARTITA, (name) => `Partita_20261123.${name}`) },
];

/** An operation that the list does not have is sent to DynamoDB, and may change something for all that is known. */
export function byName(name: string): Operation {
  const found = operations.flatMap((group) => group.operations).find((each) => each.name === name);
  return found ?? { name, target: targetOf(name), kind: 'control', template: '{}' };
}
