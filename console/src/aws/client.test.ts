import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';

let arrive: (response: ServerResponse) => void = () => {};
/** Replies to nothing by itself. */
const server = createServer((_, response) => arrive(response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => (server.close(), server.closeAllConnections()));
Object.assign(globalThis, { location: { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } });
const { call } = await import('./client.ts');
const { logIn, session } = await import('./session.ts');

const message = 'The security token included in the request is expired';
const credentials = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: 's', sessionToken: `token of ${accessKeyId}` });

/** A call whose token has expired; `meanwhile` is what happens between the request and its reply. */
async function callExpired(meanwhile: () => void): Promise<void> {
  const arrived = new Promise<ServerResponse>((resolve) => (arrive = resolve));
  const refused = assert.rejects(call('ListTables', {}), { code: 'ExpiredTokenException', message });
  const response = await arrived;
  meanwhile();
  response.writeHead(400).end(JSON.stringify({ __type: 'com.amazon.coral.service#ExpiredTokenException', message }));
  await refused;
}

test('an expired token asks for a login, unless there are other credentials by then', async () => {
  session.set((before) => ({ ...before, server: { Version: '1', Mode: 'verified', Namespaces: 'none', Time: 0, Features: [] } }));
  logIn(credentials('OLD'), 'arn:a', false);
  await callExpired(() => logIn(credentials('NEW'), 'arn:a', false));
  assert.equal(session.get().loginNeeded, undefined);
  await callExpired(() => {});
  assert.equal(session.get().loginNeeded, message);
});
