/**
 * A stand-in before a server: it serves a console/dist that no binary contains yet, with the headers of the real server,
 * answers some calls itself, and passes all else on.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type ClientRequest, createServer, type IncomingMessage, request as send, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Json } from './fixtures.ts';

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', txt: 'text/plain; charset=utf-8',
};

/** The reply to a request of this body, or undefined for the server's own. */
export type Answer = (target: string, body: Json) => string | undefined;

export async function serveUnbuilt(dist: string | undefined, server: string, answer?: Answer): Promise<{ url: string; close: () => void }> {
  const real = await fetch(`${server}/console/`);
  const headers: Record<string, string> = {};
  for (const name of ['content-security-policy', 'x-content-type-options', 'referrer-policy', 'cross-origin-opener-policy']) {
    headers[name] = real.headers.get(name) ?? '';
  }
  const front: Server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    if (dist && request.method === 'GET' && path.startsWith('/console/')) {
      const name = /\.\w+$/.test(path) ? path.slice('/console/'.length) : 'index.html';
      const file = join(dist, `${name}.br`);
      if (!existsSync(file)) return response.writeHead(404).end();
      const cache = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      const type = TYPES[name.split('.').at(-1)!]!;
      return response.writeHead(200, { ...headers, 'content-type': type, 'content-encoding': 'br', 'cache-control': cache }).end(readFileSync(file));
    }
    const target = request.headers['x-amz-target'];
    if (answer && target) {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const own = answer(String(target), JSON.parse(body.toString()));
        if (own === undefined) pass(request, response).end(body);
        else response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(own);
      });
    } else request.pipe(pass(request, response));
  });
  const pass = (request: IncomingMessage, response: ServerResponse): ClientRequest => {
    // The server would take this page for a foreign one.
    const { origin: _origin, referer: _referer, ...rest } = request.headers;
    for (const header of Object.keys(rest)) if (header.startsWith('sec-fetch')) delete rest[header];
    const onward = send(server + request.url, { method: request.method, headers: rest }, (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => response.destroy());
    return onward;
  };
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, close: () => (front.close(), front.closeAllConnections()) };
}
