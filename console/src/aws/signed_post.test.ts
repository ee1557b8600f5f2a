import assert from 'node:assert/strict';
import { test } from 'node:test';

Object.assign(globalThis, { location: { origin: 'http://127.0.0.1:8000' } });
const { callDirectly } = await import('./client.ts');
const { session } = await import('./session.ts');

const HOUR = 3_600_000;
const sent: Record<string, string>[] = [];
const atServer = () => new Date(Date.now() + HOUR);
const timeOf = (date: string) => Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** A server whose clock is an hour ahead, and which refuses other times. */
Object.assign(globalThis, {
  fetch: async (_url: string, { headers }: { headers: Record<string, string> }) => {
    sent.push(headers);
    const good = Math.abs(timeOf(headers['x-amz-date']!) - atServer().getTime()) < HOUR / 4;
    const body = good ? { UnprocessedItems: {} } : { __type: 'com.amazon.coral.service#InvalidSignatureException', message: 'Signature expired' };
    return new Response(JSON.stringify(body), { status: good ? 200 : 400, headers: { date: atServer().toUTCString() } });
  },
});

const server = { Version: '1', Mode: 'verified', Namespaces: 'header', Time: 0, Features: [] } as const;

test('a direct call is signed with its body and namespace, and follows the clock of the server', async () => {
  session.set((before) => ({ ...before, server: { ...server, Features: [] }, namespace: 'blue', credentials: { accessKeyId: 'A', secretAccessKey: 's', sessionToken: 't' } }));
  assert.deepEqual(await callDirectly('BatchWriteItem', { RequestItems: {} }), { UnprocessedItems: {} });
  assert.equal(sent.length, 2);
  await callDirectly('BatchWriteItem', { RequestItems: {} });
  assert.equal(sent.length, 3);
  const last = sent[2]!;
  assert.match(last.authorization!, /Credential=A\/\d{8}\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=[^,]*host;[^,]*x-amz-security-token;x-amz-target;x-partita-namespace, Signature=[0-9a-f]{64}/);
  assert.match(last['x-amz-content-sha256']!, /^[0-9a-f]{64}$/);
  assert.equal(last['x-partita-namespace'], 'blue');
  assert.equal(last.host, undefined);
});

test('a refusal is thrown with its code', async () => {
  Object.assign(globalThis, { fetch: async () => new Response('{"__type":"x#AccessDeniedException","message":"no"}', { status: 400 }) });
  await assert.rejects(callDirectly('PutItem', {}), { code: 'AccessDeniedException', operation: 'PutItem', message: 'no' });
});
