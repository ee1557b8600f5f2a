/** What the form for tables holds, and the requests that it makes. */
import type { InputOf } from '../../aws/operations.ts';

export type KeyTypeTag = 'S' | 'N' | 'B';

export interface KeyAttribute {
  name: string;
  type: KeyTypeTag;
}

export interface Capacity {
  read: string;
  write: string;
}

export interface IndexForm {
  id: string;
  name: string;
  partition: KeyAttribute[];
  sort: KeyAttribute[];
  projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  included: string;
  provisioned: Capacity;
  maximum: Capacity;
  warm: Capacity;
}

export interface VectorForm {
  id: string;
  name: string;
  attribute: string;
  dimensions: string;
  distance: 'COSINE' | 'EUCLIDEAN' | 'DOT_PRODUCT';
  partition: KeyAttribute;
  filters: KeyAttribute[];
  projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  included: string;
}

export interface TableForm {
  name: string;
  partition: KeyAttribute;
  sort: KeyAttribute;
  billing: 'PAY_PER_REQUEST' | 'PROVISIONED';
  provisioned: Capacity;
  maximum: Capacity;
  warm: Capacity;
  globals: IndexForm[];
  locals: IndexForm[];
  vectors: VectorForm[];
  stream: '' | 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
  ttl: string;
  protection: boolean;
  tableClass: 'STANDARD' | 'STANDARD_INFREQUENT_ACCESS';
  encryption: 'OWNED' | 'KMS';
  kmsKey: string;
  tags: { key: string; value: string }[];
  policy: string;
}

export const none = (): Capacity => ({ read: '', write: '' });
export const noKey = (): KeyAttribute => ({ name: '', type: 'S' });
let ids = 0;

export function newIndex(local = false): IndexForm {
  return {
    id: `index-${++ids}`,
    name: '',
    partition: local ? [] : [noKey()],
    sort: local ? [noKey()] : [],
    projection: 'ALL',
    included: '',
    provisioned: { read: '5', write: '5' },
    maximum: none(),
    warm: none(),
  };
}

export function newVector(): VectorForm {
  return {
    id: `vector-${++ids}`,
    name: '',
    attribute: '',
    dimensions: '',
    distance: 'COSINE',
    partition: noKey(),
    filters: [],
    projection: 'ALL',
    included: '',
  };
}

export const newTable = (): TableForm => ({
  name: '',
  partition: noKey(),
  sort: noKey(),
  billing: 'PAY_PER_REQUEST',
  provisioned: { read: '5', write: '5' },
  maximum: none(),
  warm: none(),
  globals: [],
  locals: [],
  vectors: [],
  stream: '',
  ttl: '',
  protection: false,
  tableClass: 'STANDARD',
  encryption: 'OWNED',
  kmsKey: '',
  tags: [],
  policy: '',
});

const keyOf = (attribute: KeyAttribute, KeyType: 'HASH' | 'RANGE') => ({ AttributeName: attribute.name.trim(), KeyType });
const named = (list: KeyAttribute[]) => list.filter((each) => each.name.trim());
const words = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** undefined if neither is given; a text that is no number is sent as it is, and the server says what is wrong with it. */
function units<Read extends string, Write extends string>(capacity: Capacity, read: Read, write: Write) {
  const number = (text: string) => (text.trim() === '' ? undefined : Number(text));
  const [r, w] = [number(capacity.read), number(capacity.write)];
  if (r === undefined && w === undefined) return undefined;
  return { [read]: r, [write]: w } as { [name in Read | Write]: number };
}

export const throughput = (capacity: Capacity) => units(capacity, 'ReadCapacityUnits', 'WriteCapacityUnits');
export const maximum = (capacity: Capacity) => units(capacity, 'MaxReadRequestUnits', 'MaxWriteRequestUnits');
export const warmth = (capacity: Capacity) => units(capacity, 'ReadUnitsPerSecond', 'WriteUnitsPerSecond');

function projection(form: { projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE'; included: string }) {
  return {
    ProjectionType: form.projection,
    NonKeyAttributes: form.projection === 'INCLUDE' ? words(form.included) : undefined,
  };
}

export function globalIndex(form: IndexForm, billing: TableForm['billing']) {
  return {
    IndexName: form.name.trim(),
    KeySchema: [...named(form.partition).map((each) => keyOf(each, 'HASH')), ...named(form.sort).map((each) => keyOf(each, 'RANGE'))],
    Projection: projection(form),
    ProvisionedThroughput: billing === 'PROVISIONED' ? throughput(form.provisioned) : undefined,
    OnDemandThroughput: billing === 'PAY_PER_REQUEST' ? maximum(form.maximum) : undefined,
    WarmThroughput: warmth(form.warm),
  };
}

export function vectorIndex(form: VectorForm) {
  const schema = [
    ...named([form.partition]).map((each) => ({ AttributeName: each.name.trim(), SearchSchemaElementType: 'HASH' as const })),
    ...named(form.filters).map((each) => ({ AttributeName: each.name.trim(), SearchSchemaElementType: 'INLINE_FILTER' as const })),
  ];
  return {
    IndexName: form.name.trim(),
    VectorAttribute: { AttributeName: form.attribute.trim() },
    Dimensions: Number(form.dimensions),
    DistanceFunction: form.distance,
    SearchSchema: schema.length ? schema : undefined,
    Projection: projection(form),
  };
}

/** Each key attribute once, in the order in which it is first used. */
export function definitions(attributes: KeyAttribute[]) {
  const types = new Map<string, KeyTypeTag>();
  for (const each of named(attributes)) if (!types.has(each.name.trim())) types.set(each.name.trim(), each.type);
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}

/** All key attributes of a form, with the place in the form where each is. */
function attributesOf(form: TableForm): [field: string, attribute: KeyAttribute][] {
  return [
    ['partition', form.partition] as [string, KeyAttribute],
    ['sort', form.sort] as [string, KeyAttribute],
    ...[...form.locals, ...form.globals].flatMap((index) =>
      [...index.partition, ...index.sort].map((each) => [index.id, each] as [string, KeyAttribute]),
    ),
    ...form.vectors.flatMap((index) => [index.partition, ...index.filters].map((each) => [index.id, each] as [string, KeyAttribute])),
  ].filter(([, each]) => each.name.trim());
}

export function createTableInput(form: TableForm): InputOf<'CreateTable'> {
  const list = <T>(values: T[]) => (values.length ? values : undefined);
  const input = {
    TableName: form.name.trim(),
    AttributeDefinitions: definitions(attributesOf(form).map(([, attribute]) => attribute)),
    KeySchema: [keyOf(form.partition, 'HASH'), ...named([form.sort]).map((each) => keyOf(each, 'RANGE'))],
    BillingMode: form.billing,
    ProvisionedThroughput: form.billing === 'PROVISIONED' ? throughput(form.provisioned) : undefined,
    OnDemandThroughput: form.billing === 'PAY_PER_REQUEST' ? maximum(form.maximum) : undefined,
    WarmThroughput: warmth(form.warm),
    LocalSecondaryIndexes: list(
      form.locals.map((index) => ({
        IndexName: index.name.trim(),
        KeySchema: [keyOf(form.partition, 'HASH'), ...named(index.sort).map((each) => keyOf(each, 'RANGE'))],
        Projection: projection(index),
      })),
    ),
    GlobalSecondaryIndexes: list(form.globals.map((index) => globalIndex(index, form.billing))),
    VectorIndexes: list(form.vectors.map(vectorIndex)),
    StreamSpecification: form.stream ? { StreamEnabled: true, StreamViewType: form.stream } : undefined,
    SSESpecification:
      form.encryption === 'KMS' ? { Enabled: true, SSEType: 'KMS' as const, KMSMasterKeyId: form.kmsKey.trim() || undefined } : undefined,
    TableClass: form.tableClass === 'STANDARD' ? undefined : form.tableClass,
    DeletionProtectionEnabled: form.protection || undefined,
    Tags: list(form.tags.filter((tag) => tag.key).map((tag) => ({ Key: tag.key, Value: tag.value }))),
    ResourcePolicy: form.policy.trim() || undefined,
  };
  return JSON.parse(JSON.stringify(input)) as InputOf<'CreateTable'>;
}

/** The requests that make the table, in order. */
export function createRequests(form: TableForm): { operation: string; input: object }[] {
  const requests: { operation: string; input: object }[] = [{ operation: 'CreateTable', input: createTableInput(form) }];
  if (form.ttl.trim()) requests.push({ operation: 'UpdateTimeToLive', input: ttlInput(form.name.trim(), form.ttl.trim(), true) });
  return requests;
}

export function ttlInput(table: string, attribute: string, enabled: boolean): InputOf<'UpdateTimeToLive'> {
  return { TableName: table, TimeToLiveSpecification: { AttributeName: attribute, Enabled: enabled } };
}

const NAME = /^[A-Za-z0-9_.-]{3,255}$/;

function nameFault(what: string, name: string): string | undefined {
  if (!name.trim()) return `${what} is needed.`;
  return NAME.test(name.trim()) ? undefined : `${what} has 3 to 255 letters, digits, "_", "-" and ".".`;
}

/** What is wrong before anything is sent: field → text. Everything else is the server's to judge. */
export function formFaults(form: TableForm): Record<string, string> {
  const faults: Record<string, string> = {};
  const fault = (field: string, text: string | undefined) => {
    if (text) faults[field] ??= text;
  };
  fault('name', nameFault('A name', form.name));
  if (!form.partition.name.trim()) fault('partition', 'A table needs a partition key.');
  for (const index of [...form.globals, ...form.locals, ...form.vectors]) fault(index.id, nameFault('The index’s name', index.name));
  for (const index of form.globals) if (!named(index.partition).length) fault(index.id, 'The index needs a partition key.');
  for (const index of form.locals) if (!named(index.sort).length) fault(index.id, 'The index needs a sort key.');
  const types = new Map<string, KeyTypeTag>();
  for (const [field, { name, type }] of attributesOf(form)) {
    const known = types.get(name.trim());
    if (known && known !== type) fault(field, `${name.trim()} has type ${known} in another key. An attribute has one type in all keys.`);
    types.set(name.trim(), known ?? type);
  }
  if (form.policy.trim()) {
    try {
      JSON.parse(form.policy);
    } catch (error) {
      fault('policy', `The policy is no JSON: ${(error as Error).message}`);
    }
  }
  return faults;
}

/** The field that an error of the server is about, as far as its text tells. */
export function fieldOf(message: string, form: TableForm): string | undefined {
  const index = [...form.globals, ...form.locals, ...form.vectors].find((each) => each.name && message.includes(each.name));
  if (index) return index.id;
  if (/tags?\b/i.test(message)) return 'tags';
  if (/polic(y|ies)/i.test(message)) return 'policy';
  if (/ttl|time to live/i.test(message)) return 'ttl';
  if (/throughput|capacity ?units/i.test(message)) return 'capacity';
  if (/sse|kms/i.test(message)) return 'encryption';
  if (/tableName|table already exists|table name/i.test(message)) return 'name';
  return undefined;
}
