import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf } from './diff.ts';
import { appendSamples, axisEnd, operationLines, pointOf, quantile, type Sample, shortFigure, tableLines } from './samples.ts';
import { type Send, type StreamRecord, Tail } from './tail.ts';

function sample(time: number, more: Partial<Sample> = {}): Sample {
  return { Time: time, Seconds: 2, Requests: 10, Errors: 2, Throttled: 0, Operations: [], Tables: [], ...more };
}

test('samples are kept for ten minutes, once each', () => {
  const first = appendSamples([], [sample(100), sample(101)]);
  assert.deepEqual(appendSamples(first, [sample(101), sample(102)]).map((each) => each.Time), [100, 101, 102]);
  assert.deepEqual(appendSamples(first, [sample(700.5)]).map((each) => each.Time), [101, 700.5]);
  assert.equal(appendSamples(first, []), first);
});

test('a server that started anew replaces what is kept', () => {
  assert.deepEqual(appendSamples([sample(100), sample(101)], [sample(50)]).map((each) => each.Time), [50]);
});

test('points are rates of the scope', () => {
  const one = sample(1, {
    P50Ms: 0.5,
    Operations: [{ Operation: 'Query', Requests: 4, Errors: 1, Throttled: 2, P99Ms: 3 }],
    Tables: [
      { TableName: 'a', Requests: 6, ReadUnits: 3, WriteUnits: 8, Throttled: 2, WouldThrottle: 8 },
      { TableName: 'b', Requests: 4, ReadUnits: 1, WriteUnits: 0, Throttled: 0, WouldThrottle: 2 },
    ],
  });
  const server = pointOf(one, { kind: 'server' });
  assert.deepEqual([server.requests, server.errors, server.readUnits, server.writeUnits, server.p50], [5, 1, 2, 4, 0.5]);
  assert.equal(server.wouldThrottle, 5);
  const table = pointOf(one, { kind: 'table', name: 'a' });
  assert.deepEqual([table.requests, table.errors, table.throttled, table.readUnits, table.wouldThrottle], [3, undefined, 1, 1.5, 4]);
  const operation = pointOf(one, { kind: 'operation', name: 'Query' });
  assert.deepEqual([operation.requests, operation.errors, operation.p99, operation.readUnits, operation.wouldThrottle], [2, 0.5, 3, undefined, undefined]);
  assert.equal(pointOf(one, { kind: 'table', name: 'c' }).requests, 0);
});

test('quantiles come from merged buckets', () => {
  const samples = [sample(1, { Latency: [[1, 98]] }), sample(2, { Latency: [[0.5, 1], [null, 1]] })];
  assert.equal(quantile(samples, 0.01), 0.5);
  assert.equal(quantile(samples, 0.5), 1);
  assert.equal(quantile(samples, 0.99), 1);
  assert.equal(quantile(samples, 0.999), Infinity);
  assert.equal(quantile([sample(3)], 0.5), undefined);
});

test('lines add up per table and operation, the busiest first, with gaps in the trend', () => {
  const samples = [
    sample(1, { Tables: [{ TableName: 'a', Requests: 2, P50Ms: 9, ReadUnits: 1, WriteUnits: 0, Throttled: 1, WouldThrottle: 3 }] }),
    sample(2, { Tables: [
      { TableName: 'b', Requests: 9, ReadUnits: 4.5, WriteUnits: 0, Throttled: 0, WouldThrottle: 0 },
      { TableName: 'a', Requests: 4, P50Ms: 2, ReadUnits: 2, WriteUnits: 3, Throttled: 0, WouldThrottle: 2 },
    ], Operations: [{ Operation: 'Scan', Requests: 1, Errors: 1, Throttled: 0 }] }),
  ];
  const [first, second] = tableLines(samples);
  assert.equal(first!.name, 'b');
  assert.deepEqual(first!.trend, [0, 4.5]);
  assert.deepEqual([second!.requests, second!.readUnits, second!.writeUnits, second!.throttled, second!.p50], [6, 3, 3, 1, 2]);
  assert.deepEqual([first!.wouldThrottle, second!.wouldThrottle], [0, 5]);
  assert.equal(operationLines(samples)[0]!.errors, 1);
});

test('figures are short, axes end at round numbers', () => {
  assert.deepEqual([0, 0.256, 5.5, 100, 120, 12_345, 2e6, Infinity].map(shortFigure), ['0', '0.26', '5.5', '100', '120', '12.3 k', '2 M', '∞']);
  assert.deepEqual([0, 0.3, 1, 3, 12, 51].map(axisEnd), [1, 0.5, 1, 5, 20, 100]);
});

test('changes name documents paths and compare numbers by value', () => {
  const changes = changesOf(
    { pk: { S: 'a' }, n: { N: '1e1' }, m: { M: { x: { N: '1' }, y: { S: 'y' } } }, gone: { BOOL: true } },
    { pk: { S: 'a' }, n: { N: '10' }, m: { M: { x: { N: '2' }, y: { S: 'y' } } }, fresh: { NULL: true } },
  );
  assert.deepEqual(changes.map((each) => `${each.kind} ${each.path}`), ['same pk', 'same n', 'changed m.x', 'removed gone', 'added fresh']);
});

// --- a stream of two generations of shards ---

function record(sequence: number): StreamRecord {
  return {
    eventID: String(sequence), eventName: 'INSERT',
    dynamodb: { Keys: { pk: { N: String(sequence) } }, SequenceNumber: String(sequence), ApproximateCreationDateTime: sequence },
  };
}

class FakeStream {
  shards: { id: string; records: StreamRecord[]; ended: boolean }[] = [{ id: 's1', records: [record(1)], ended: false }];
  expireNext = false;
  /** The shard that cannot be read. */
  broken = '';
  asked: string[] = [];

  send: Send = async (operation, input) => {
    this.asked.push(operation);
    if (operation === 'DescribeStream') {
      return {
        StreamDescription: {
          Shards: this.shards.map((each) => ({ ShardId: each.id, SequenceNumberRange: each.ended ? { EndingSequenceNumber: '9' } : {} })),
        },
      };
    }
    if (operation === 'GetShardIterator') {
      const shard = this.shards.find((each) => each.id === input.ShardId)!;
      const at =
        input.ShardIteratorType === 'LATEST' ? shard.records.length
        : input.ShardIteratorType === 'TRIM_HORIZON' ? 0
        : shard.records.findIndex((each) => each.dynamodb.SequenceNumber === input.SequenceNumber) + 1;
      return { ShardIterator: `${shard.id} ${at}` };
    }
    if (this.expireNext) {
      this.expireNext = false;
      throw Object.assign(new Error('expired'), { code: 'ExpiredIteratorException' });
    }
    const [id, at] = (input.ShardIterator as string).split(' ');
    if (id === this.broken) throw Object.assign(new Error('no'), { code: 'InternalServerError' });
    const shard = this.shards.find((each) => each.id === id)!;
    return { Records: shard.records.slice(Number(at)), NextShardIterator: shard.ended ? undefined : `${id} ${shard.records.length}` };
  };
}

const sequences = (records: StreamRecord[]) => records.map((each) => each.dynamodb.SequenceNumber);

test('a tail from now on shows only what is written later', async () => {
  const stream = new FakeStream();
  const tail = new Tail(stream.send, 'arn', 'LATEST', () => 0);
  assert.deepEqual(sequences(await tail.read()), []);
  stream.shards[0]!.records.push(record(2));
  assert.deepEqual(sequences(await tail.read()), ['2']);
  assert.deepEqual(sequences(await tail.read()), []);
});

test('a tail from the start shows all, and follows a shard that ended to its children', async () => {
  const stream = new FakeStream();
  const tail = new Tail(stream.send, 'arn', 'TRIM_HORIZON', () => 0);
  assert.deepEqual(sequences(await tail.read()), ['1']);
  stream.shards[0]!.records.push(record(2));
  stream.shards[0]!.ended = true;
  stream.shards.push({ id: 's2', records: [record(3)], ended: false });
  assert.deepEqual(sequences(await tail.read()), ['2']);
  assert.deepEqual(sequences(await tail.read()), ['3']);
  assert.equal(tail.open, 1);
});

test('a tail from now on reads shards that appear later from their start', async () => {
  const stream = new FakeStream();
  let now = 0;
  const tail = new Tail(stream.send, 'arn', 'LATEST', () => now);
  await tail.read();
  stream.shards.push({ id: 's2', records: [record(2)], ended: false });
  now = 6000;
  assert.deepEqual(sequences(await tail.read()), ['2']);
});

test('an iterator that expired is replaced where reading stood', async () => {
  const stream = new FakeStream();
  const tail = new Tail(stream.send, 'arn', 'TRIM_HORIZON', () => 0);
  await tail.read();
  stream.shards[0]!.records.push(record(2));
  stream.expireNext = true;
  assert.deepEqual(sequences(await tail.read()), []);
  assert.deepEqual(sequences(await tail.read()), ['2']);
});

test('what other shards gave is not lost when one cannot be read', async () => {
  const stream = new FakeStream();
  stream.shards.push({ id: 's2', records: [record(2)], ended: false });
  const tail = new Tail(stream.send, 'arn', 'TRIM_HORIZON', () => 0);
  stream.broken = 's2';
  assert.deepEqual(sequences(await tail.read()), ['1']);
  await assert.rejects(tail.read(), /no/);
  stream.broken = '';
  assert.deepEqual(sequences(await tail.read()), ['2']);
});
