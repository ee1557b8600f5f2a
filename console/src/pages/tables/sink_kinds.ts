/** The kinds of sinks: how their URLs look, and what they take beside them. docs/sinks.md is the reference. */

/** A scheme that URLs of sinks may have, as ListSinks tells. */
export interface Scheme {
  Scheme: string;
  /** Every change with its images; otherwise the newest state of each item. */
  TakesChanges: boolean;
  /** Only the verb on the server's machine creates such a sink. */
  UsesServersMachine: boolean;
}

export interface SinkOption {
  name: string;
  says: string;
  /** What is in effect without it. */
  usual: string;
  /** All values that it takes. */
  values?: string[];
}

export interface SinkKind {
  /** The first of its schemes. */
  id: string;
  label: string;
  schemes: string[];
  changes: boolean;
  machine: boolean;
  example: string;
  hint: string;
  /** What the file of credentials holds; undefined: it takes none. */
  credentials?: string;
  /** Whether it takes a file of authorities. */
  authority: boolean;
  /** undefined: those of a kind that this page does not know, by their names. */
  options?: SinkOption[];
}

type Known = Omit<SinkKind, 'id' | 'schemes' | 'changes' | 'machine'>;

const YES_NO = ['true', 'false'];
const SEARCH = 'Keeps one document for each item, which is searched. All items are sent first.';
const HANDLER: SinkOption[] = [
  { name: 'BatchSize', says: 'The records of a call, at most.', usual: '100' },
  { name: 'MaximumBatchingWindowInSeconds', says: 'How long a record waits for a full batch, at most.', usual: '0' },
  { name: 'ParallelizationFactor', says: 'Calls for one slice at the same time: 1 to 10.', usual: '1' },
  { name: 'MaximumRetryAttempts', says: 'How often a failed batch is sent again.', usual: '-1, no limit' },
  { name: 'MaximumRecordAgeInSeconds', says: 'Older records are not sent: 60 to 604800.', usual: '-1, no limit' },
  { name: 'BisectBatchOnFunctionError', says: 'A failed batch is sent in halves.', usual: 'false', values: YES_NO },
  { name: 'FunctionResponseTypes', says: 'Whether the answer names the records that failed.', usual: 'the whole batch', values: ['ReportBatchItemFailures'] },
  { name: 'TumblingWindowInSeconds', says: 'The width of windows that hand on a state: 1 to 900.', usual: '0, none' },
  { name: 'OnFailure', says: 'The URL that gets what is given up.', usual: 'dead letters' },
  { name: 'FilterCriteria', says: 'Patterns of the records to send, in Lambda’s JSON.', usual: 'all records' },
  { name: 'Timeout', says: 'How long a call may take, in seconds: 1 to 900.', usual: '60' },
];

const FILES: SinkOption[] = [
  { name: 'max-seconds', says: 'How long a change waits for its file, at most: 1 to 3600.', usual: '60' },
  { name: 'max-mib', says: 'MiB of changes in a file, at most: 4 to 64.', usual: '8' },
  { name: 'compression', says: 'How files are compressed.', usual: 'zstd', values: ['zstd', 'none'] },
];

const search = (name: string, scheme: string): Known => ({
  label: name,
  example: `${scheme}+https://search.example.com:9200`,
  hint: SEARCH,
  credentials: 'USER:PASSWORD, or ApiKey KEY',
  authority: true,
  options: [],
});

/** By the beginning of their schemes: all schemes without what follows a plus sign. */
const KNOWN: Record<string, Known> = {
  opensearch: search('OpenSearch', 'opensearch'),
  elasticsearch: search('Elasticsearch', 'elasticsearch'),
  https: {
    label: 'Hook: a function over HTTP',
    example: 'https://functions.example.com/music',
    hint: 'Posts every change as the events that AWS Lambda gives to functions.',
    credentials: 'the secret that signs calls',
    authority: true,
    options: HANDLER,
  },
  runtime: {
    label: 'Handler of Lambda beside the server',
    example: 'runtime://127.0.0.1:9001',
    hint: 'Serves Lambda’s Runtime API at this port of the server’s machine, for a handler that runs there.',
    authority: false,
    options: HANDLER,
  },
  kinesis: {
    label: 'Kinesis stream',
    example: 'kinesis+https://kinesis.us-east-1.amazonaws.com/music',
    hint: 'The endpoint and the stream. kinesis:///STREAM is a stream at the server’s --kinesis-endpoint.',
    credentials: 'a key, in the format of ~/.aws/credentials',
    authority: true,
    options: [
      { name: 'region', says: 'The region for which requests are signed.', usual: 'that of the table' },
      { name: 'precision', says: 'The unit of ApproximateCreationDateTime.', usual: 'MILLISECOND', values: ['MILLISECOND', 'MICROSECOND'] },
    ],
  },
  kafka: {
    label: 'Kafka topic',
    example: 'kafka://broker-1:9092,broker-2:9092/music',
    hint: 'The brokers and the topic, which exists.',
    credentials: 'lines NAME=VALUE of librdkafka, such as sasl.username',
    authority: true,
    options: [
      { name: 'tombstones', says: 'An empty value follows the record of a removal, for compacted topics.', usual: 'false', values: YES_NO },
      { name: 'compression', says: 'How batches are compressed.', usual: 'none', values: ['none', 'gzip', 'snappy', 'lz4', 'zstd'] },
    ],
  },
  s3: {
    label: 'Change files in S3',
    example: 's3+https://minio.example.com:9000/music-changes',
    hint: 'The server and the bucket, and a prefix of names. s3://BUCKET is a bucket of AWS. They belong to this sink alone.',
    credentials: 'a key, in the format of ~/.aws/credentials',
    authority: true,
    options: [{ name: 'region', says: 'The region of the bucket.', usual: 'that of the table' }, ...FILES],
  },
  file: {
    label: 'Change files',
    example: 'file:///srv/changes/music',
    hint: 'Files of JSON lines in a directory of the server’s machine, which exists and belongs to this sink alone.',
    authority: false,
    options: FILES,
  },
};

const stemOf = (scheme: string): string => (scheme === 'http' ? 'https' : scheme.replace(/\+.*$/, ''));

function kindOf(stem: string, schemes: Scheme[]): SinkKind {
  const names = schemes.map((each) => each.Scheme);
  const common = { id: stem, schemes: names, changes: schemes[0]!.TakesChanges, machine: schemes.some((each) => each.UsesServersMachine) };
  if (Object.hasOwn(KNOWN, stem)) return { ...KNOWN[stem]!, ...common };
  const example = `${names.at(-1)}://…`;
  return { label: stem, example, hint: 'See the documentation of sinks.', credentials: 'what this kind takes', authority: true, ...common };
}

/** The kinds that a server has, in its order: those that this page does not know too. */
export function kindsOf(schemes: Scheme[]): SinkKind[] {
  const stems = [...new Set(schemes.map((each) => stemOf(each.Scheme)))];
  return stems.map((stem) => kindOf(stem, schemes.filter((each) => stemOf(each.Scheme) === stem)));
}

/** 'kinesis+https://…' → 'kinesis+https'; '' without a scheme. */
export const schemeOf = (url: string): string => /^([a-z][a-z0-9+.-]*):\/\//.exec(url.trim())?.[1] ?? '';

/** What kind of other end a URL names, for a list of sinks. */
export function kindName(url: string): string {
  const stem = stemOf(schemeOf(url));
  return Object.hasOwn(KNOWN, stem) ? KNOWN[stem]!.label.replace(/:.*/, '') : stem;
}

/** A URL without what may be secret: a user, and the values of its query. */
export function shownUrl(url: string): string {
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(url);
  if (!parts) return '…';
  const [, scheme, authority, path, query] = parts;
  const host = authority!.slice(authority!.lastIndexOf('@') + 1);
  const names = query?.slice(1).split('&').map((each) => (each.includes('=') ? `${each.slice(0, each.indexOf('='))}=…` : '…'));
  return `${scheme}${host === authority ? '' : '…@'}${host}${path}${names ? `?${names.join('&')}` : ''}`;
}
