/** A request signed by the SDK's signer but past its middleware, whose work is more than that of a small request itself. */
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { type Credentials, endpoint, region, session } from './session.ts';

const MAX_SKEW = 240_000; // milliseconds
let offset = 0;

export const post = (headers: Record<string, string>, body: string): Promise<Response> =>
  fetch(`${endpoint()}/`, { method: 'POST', headers, body, referrerPolicy: 'no-referrer' });

/** Sends once; once more if the two clocks disagree and the request was refused. */
export async function signedPost(service: string, headers: Record<string, string>, body: string, credentials: Credentials): Promise<Response> {
  const url = new URL(endpoint());
  const signer = new SignatureV4({ credentials, region: region(session.get()), service, sha256: Sha256 as never });
  for (let first = true; ; first = false) {
    const request = await signer.sign(
      new HttpRequest({
        protocol: url.protocol,
        hostname: url.hostname,
        port: url.port ? Number(url.port) : undefined,
        method: 'POST',
        path: '/',
        headers: { host: url.host, ...headers },
        body,
      }),
      { signingDate: new Date(Date.now() + offset) },
    );
    const { host: _host, ...signed } = request.headers;
    const reply = await post(signed, body);
    const skew = Date.parse(reply.headers.get('date') ?? '') - Date.now() - offset;
    if (reply.ok || !first || !(Math.abs(skew) > MAX_SKEW)) return reply;
    offset += skew;
  }
}
