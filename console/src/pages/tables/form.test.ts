import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequests, createTableInput, fieldOf, formFaults, newIndex, newTable, newVector } from './form.ts';

test('the smallest table', () => {
  const form = { ...newTable(), name: ' Music ', partition: { name: 'Artist', type: 'S' as const } };
  assert.deepEqual(formFaults(form), {});
  assert.deepEqual(createTableInput(form), {
    TableName: 'Music',
    AttributeDefinitions: [{ AttributeName: 'Artist', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'Artist', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
});

test('everything at once', () => {
  const form = {
    ...newTable(),
    name: 'All',
    partition: { name: 'pk', type: 'S' as const },
    sort: { name: 'sk', type: 'N' as const },
    billing: 'PROVISIONED' as const,
    provisioned: { read: '3', write: '4' },
    stream: 'NEW_AND_OLD_IMAGES' as const,
    ttl: 'expires',
    protection: true,
    tags: [{ key: 'team', value: 'x' }, { key: '', value: '' }],
    globals: [
      {
        ...newIndex(),
        name: 'by-two',
        partition: [{ name: 'a', type: 'S' as const }, { name: 'b', type: 'S' as const }],
        sort: [{ name: 'sk', type: 'N' as const }],
        projection: 'INCLUDE' as const,
        included: 'x, y',
      },
    ],
    locals: [{ ...newIndex(true), name: 'local', sort: [{ name: 'at', type: 'B' as const }] }],
  };
  const input = createTableInput(form);
  assert.deepEqual(input.AttributeDefinitions!.map((each) => `${each.AttributeName}${each.AttributeType}`), ['pkS', 'skN', 'atB', 'aS', 'bS']);
  assert.deepEqual(input.GlobalSecondaryIndexes![0], {
    IndexName: 'by-two',
    KeySchema: [
      { AttributeName: 'a', KeyType: 'HASH' },
      { AttributeName: 'b', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x', 'y'] },
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
  });
  assert.deepEqual(input.LocalSecondaryIndexes![0]!.KeySchema![0], { AttributeName: 'pk', KeyType: 'HASH' });
  assert.deepEqual(input.Tags, [{ Key: 'team', Value: 'x' }]);
  assert.deepEqual(createRequests(form).map((each) => each.operation), ['CreateTable', 'UpdateTimeToLive']);
});

test('a vector index', () => {
  const form = {
    ...newTable(),
    name: 'Books',
    partition: { name: 'Title', type: 'S' as const },
    vectors: [{ ...newVector(), name: 'by-meaning', attribute: 'Meaning', dimensions: '3', filters: [{ name: 'Shelf', type: 'S' as const }] }],
  };
  const input = createTableInput(form);
  assert.deepEqual(input.VectorIndexes, [
    {
      IndexName: 'by-meaning',
      VectorAttribute: { AttributeName: 'Meaning' },
      Dimensions: 3,
      DistanceFunction: 'COSINE',
      SearchSchema: [{ AttributeName: 'Shelf', SearchSchemaElementType: 'INLINE_FILTER' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ]);
  assert.equal(input.AttributeDefinitions!.length, 2);
});

test('faults are at their fields', () => {
  const index = { ...newIndex(), name: 'gsi', partition: [{ name: 'pk', type: 'N' as const }] };
  const form = { ...newTable(), name: 'x y', partition: { name: 'pk', type: 'S' as const }, globals: [index], policy: '{' };
  const faults = formFaults(form);
  assert.match(faults.name!, /3 to 255/);
  assert.match(faults[index.id]!, /one type/);
  assert.match(faults.policy!, /JSON/);
  assert.equal(formFaults(newTable()).partition, 'A table needs a partition key.');
  assert.equal(fieldOf('Table already exists: x', form), 'name');
  assert.equal(fieldOf('No provisioned throughput specified for the index: gsi', form), index.id);
});

test('the request that makes a described table again', async () => {
  const { createInputOf } = await import('./from_description.ts');
  const input = createInputOf(
    {
      TableName: 'T',
      TableArn: 'arn:x',
      TableStatus: 'ACTIVE',
      ItemCount: 3,
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4, NumberOfDecreasesToday: 0 },
      GlobalSecondaryIndexes: [
        {
          IndexName: 'g',
          IndexStatus: 'ACTIVE',
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
          ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 2, NumberOfDecreasesToday: 0 },
          ItemCount: 3,
        },
      ],
    },
    [{ Key: 'a', Value: 'b' }],
  );
  assert.deepEqual(input, {
    TableName: 'T',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
    GlobalSecondaryIndexes: [
      {
        IndexName: 'g',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
        ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 2 },
      },
    ],
    Tags: [{ Key: 'a', Value: 'b' }],
  });
});

test('the template after changes: what is set, removed and left at its default', async () => {
  const { templateAfter } = await import('./template.ts');
  const table = {
    TableName: 'T',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' as const }, { AttributeName: 'old', AttributeType: 'S' as const }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' as const }],
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' as const },
    OnDemandThroughput: { MaxReadRequestUnits: 4, MaxWriteRequestUnits: 5 },
    WarmThroughput: { ReadUnitsPerSecond: 12000, WriteUnitsPerSecond: 4000 },
    DeletionProtectionEnabled: true,
    GlobalSecondaryIndexes: ['g', 'h'].map((IndexName) => ({
      IndexName,
      KeySchema: [{ AttributeName: IndexName === 'g' ? 'old' : 'pk', KeyType: 'HASH' as const }],
      Projection: { ProjectionType: 'ALL' as const },
    })),
  };
  const update = (input: object) => ({ operation: 'UpdateTable', input: { TableName: 'T', ...input } });
  const known = { tags: [{ Key: 'a', Value: '1' }, { Key: 'b', Value: '2' }], ttl: 'expires', policy: '{}', insights: [{ index: 'h', mode: 'THROTTLED_KEYS' }] };
  const { input, extras } = templateAfter(table, known, [
    update({ OnDemandThroughput: { MaxReadRequestUnits: -1, MaxWriteRequestUnits: -1 } }),
    update({ GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'g' } }] }),
    update({ GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'h', WarmThroughput: { ReadUnitsPerSecond: 13000, WriteUnitsPerSecond: 5000 } } }] }),
    update({ DeletionProtectionEnabled: false }),
    update({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } }),
    { operation: 'TagResource', input: { Tags: [{ Key: 'a', Value: '3' }] } },
    { operation: 'UntagResource', input: { TagKeys: ['b'] } },
    { operation: 'UpdateTimeToLive', input: { TimeToLiveSpecification: { AttributeName: 'expires', Enabled: false } } },
    { operation: 'UpdateContributorInsights', input: { ContributorInsightsAction: 'ENABLE', ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS' } },
  ]);
  assert.deepEqual(JSON.parse(JSON.stringify(input)), {
    TableName: 'T',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
    GlobalSecondaryIndexes: [
      {
        IndexName: 'h',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
        WarmThroughput: { ReadUnitsPerSecond: 13000, WriteUnitsPerSecond: 5000 },
        ContributorInsightsSpecification: { Enabled: true, Mode: 'THROTTLED_KEYS' },
      },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    Tags: [{ Key: 'a', Value: '3' }],
  });
  assert.deepEqual(extras, {
    timeToLive: undefined,
    resourcePolicy: '{}',
    contributorInsights: { Enabled: true, Mode: 'ACCESSED_AND_THROTTLED_KEYS' },
  });
});
