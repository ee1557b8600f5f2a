import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSink, onlyByCommand, sinkCommand, sinkFaults, sinkInput } from './sink_form.ts';
import { kindName, kindsOf, type Scheme, shownUrl } from './sink_kinds.ts';
import { formatLag, isEqual, refusal, type Sink, waiting } from './sink_state.ts';

const scheme = (Scheme: string, TakesChanges = true, UsesServersMachine = false): Scheme => ({ Scheme, TakesChanges, UsesServersMachine });
const SCHEMES = [
  scheme('opensearch+http', false), scheme('opensearch+https', false), scheme('http'), scheme('https'), scheme('file', true, true),
  scheme('kinesis'), scheme('kinesis+https'), scheme('toString'), scheme('new+http'),
];
const kinds = kindsOf(SCHEMES);
const kind = (id: string) => kinds.find((each) => each.id === id)!;

test('kinds are those of the server, also unknown ones', () => {
  assert.deepEqual(kinds.map((each) => each.id), ['opensearch', 'https', 'file', 'kinesis', 'toString', 'new']);
  assert.deepEqual(kind('https').schemes, ['http', 'https']);
  assert.equal(kind('opensearch').changes, false);
  assert.equal(kind('file').machine, true);
  assert.equal(kind('new').options, undefined);
  assert.equal(kind('new').example, 'new+http://…');
  assert.equal(kindName('kinesis:///music'), 'Kinesis stream');
  assert.equal(kindName('new+http://x'), 'new');
});

test('a URL is shown without what may be secret', () => {
  for (const [url, shown] of [
    ['https://hooks.example.com/a?token=s3cret&b', 'https://hooks.example.com/a?token=…&…'],
    ['https://user:pass@word@host:1/a', 'https://…@host:1/a'],
    ['kafka://a:9092,b:9092/topic', 'kafka://a:9092,b:9092/topic'],
    ['kinesis:///stream', 'kinesis:///stream'],
    ['file:///srv/a', 'file:///srv/a'],
    ['no url', '…'],
  ]) assert.equal(shownUrl(url!), shown);
});

test('the request holds what the kind takes, and nothing of another kind', () => {
  const form = {
    ...newSink(), url: ' https://x/y ', name: 'hook', options: { BatchSize: '5', Timeout: ' ', compression: 'gzip' }, more: 'A=1',
    index: 'i', fields: 'a', flat: true, filter: 'a = :a', filterValues: '{":a": {"N": "1"}}', backlog: '2',
  };
  assert.deepEqual(sinkFaults(form, kind('https')), {});
  assert.deepEqual(JSON.parse(JSON.stringify(sinkInput(form, kind('https'), 'T'))), {
    TableName: 'T', SinkName: 'hook', Url: 'https://x/y', Options: { BatchSize: '5' }, FilterExpression: 'a = :a',
    ExpressionAttributeValues: { ':a': { N: '1' } }, MaxBacklogBytes: 2097152,
  });
  const search = { ...newSink(), url: 'opensearch+https://x', options: { BatchSize: '5' }, index: 'i', fields: 'a, b,', flat: true };
  assert.deepEqual(JSON.parse(JSON.stringify(sinkInput(search, kind('opensearch'), 'T'))), {
    TableName: 'T', Url: 'opensearch+https://x', IndexName: 'i', Fields: ['a', 'b'], Document: 'flat',
  });
  const unknown = { ...newSink(), url: 'new+http://x', more: 'A=1=2\n\n b=' };
  assert.deepEqual(sinkInput(unknown, kind('new'), 'T').Options, { A: '1=2', b: '' });
});

test('faults are found before anything is sent', () => {
  const form = { ...newSink(), url: 'ftp://x', name: 'a b', backlog: '0', filterValues: '[]', filterNames: '{' };
  const faults = sinkFaults(form, kind('kinesis'));
  assert.deepEqual(Object.keys(faults).sort(), ['backlog', 'filter', 'filterNames', 'filterValues', 'name', 'url']);
  assert.equal(faults.url, 'The URL begins with kinesis:// or kinesis+https://.');
  assert.ok(sinkFaults({ ...newSink(), url: 'new+http://x', more: '=1' }, kind('new')).more);
});

test('what the console cannot do is in the command', () => {
  const form = { ...newSink(), url: 'https://x/y?a=b&c', credentials: '/etc/it’s', authority: '/a.pem', deadLetters: 'L', options: { BatchSize: '5' } };
  assert.match(onlyByCommand(form, kind('https'), 'T')!, /files of the server/);
  assert.match(onlyByCommand({ ...newSink(), url: 'file:///x' }, kind('file'), 'T')!, /server’s machine/);
  assert.match(onlyByCommand({ ...newSink(), deadLetters: 'L' }, kind('https'), 'T')!, /dead letters/);
  assert.equal(onlyByCommand({ ...newSink(), deadLetters: 'T-dead-letters' }, kind('https'), 'T'), undefined);
  // A file has no credentials: what was typed for another kind is left out.
  assert.equal(sinkCommand({ ...form, url: 'file:///x y', options: { 'max-mib': '4' } }, kind('file'), 'T'), "partita sink create T --to 'file:///x y' \\\n  --set max-mib=4 \\\n  --dead-letters L");
  assert.equal(
    sinkCommand(form, kind('https'), 'T'),
    "partita sink create T --to 'https://x/y?a=b&c' \\\n  --set BatchSize=5 \\\n  --credentials '/etc/it’s' \\\n  --authority /a.pem \\\n  --dead-letters L",
  );
});

const sink = (more: Partial<Sink> = {}): Sink => ({
  TableName: 'T', SinkName: 's', Url: 'https://x', State: 'CARRYING', LagSeconds: 0, LagEntries: 0, Sent: 0, Rejected: 0, Dropped: 0,
  DeadLetterTableName: 'T-dead-letters', MaxBacklogBytes: 1, CreationDateTime: 0, ...more,
});
const search = (more: Partial<Sink> = {}): Sink => sink({ Dropped: undefined, Conflicts: 0, ...more });

test('what can be done to a sink', () => {
  const can = (of: Sink) => (['PauseSink', 'ResumeSink', 'RetrySink', 'Fill', 'VerifySink', 'DeleteSink'] as const).filter((verb) => !refusal(of, verb));
  assert.deepEqual(can(sink()), ['PauseSink', 'DeleteSink']);
  assert.deepEqual(can(sink({ State: 'PAUSED', Rejected: 1 })), ['ResumeSink', 'RetrySink', 'DeleteSink']);
  assert.deepEqual(can(sink({ State: 'FAILED' })), ['PauseSink', 'ResumeSink', 'DeleteSink']);
  assert.deepEqual(can(search({ Rejected: 1 })), ['PauseSink', 'RetrySink', 'Fill', 'VerifySink', 'DeleteSink']);
  assert.deepEqual(can(search({ State: 'DELETING' })), ['DeleteSink']);
  assert.deepEqual(can(sink({ Owner: 'Kinesis streaming' })), []);
});

test('lag and comparisons', () => {
  assert.deepEqual([0, 0.25, 9.96, 59.4, 75, 7200, 360000].map(formatLag), ['0 s', '0.3 s', '10 s', '59 s', '1 min 15 s', '2 h 0 min', '100 h 0 min']);
  assert.equal(waiting(sink()), 'nothing waits');
  assert.equal(waiting(sink({ LagEntries: 1 })), '1 change');
  assert.equal(waiting(sink({ LagEntries: 40000, LagEntriesAtLeast: true })), 'more than 40,000 changes');
  const found = { Items: 5, Documents: 4, Different: 0, Rejected: 1, Ids: [] };
  assert.equal(isEqual(found), true);
  for (const more of [{ Rejected: 0 }, { Different: 1 }, { Documents: 6 }]) assert.equal(isEqual({ ...found, ...more }), false);
});
