/** The two calls of STS that a login needs: form posts, signed with the SDK's signer. */
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { ServiceError } from './errors.ts';
import { type Credentials, endpoint, region, session } from './session.ts';

async function post(action: string, parameters: Record<string, string>, credentials: Credentials): Promise<string> {
  const url = new URL(endpoint());
  const signer = new SignatureV4({ credentials, region: region(session.get()), service: 'sts', sha256: Sha256 as never });
  const request = await signer.sign(
    new HttpRequest({
      protocol: url.protocol,
      hostname: url.hostname,
      port: url.port ? Number(url.port) : undefined,
      method: 'POST',
      path: '/',
      headers: { host: url.host, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ Action: action, Version: '2011-06-15', ...parameters }).toString(),
    }),
  );
  const { host: _host, ...headers } = request.headers;
  const reply = await fetch(`${endpoint()}/`, { method: 'POST', headers, body: request.body as string, referrerPolicy: 'no-referrer' });
  const text = await reply.text();
  if (reply.ok) return text;
  const code = of(text, 'Code') || `HTTP ${reply.status}`;
  throw new ServiceError(action, reply.status, code, of(text, 'Message') || text, {}, of(text, 'RequestId') || undefined);
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The text of the first element of this name. The page's policy refuses DOMParser, and STS's replies are flat. */
function of(xml: string, name: string): string {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  return found.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (all, decimal?: string, hex?: string, entity?: string) => {
    if (decimal || hex) return String.fromCodePoint(parseInt((decimal ?? hex)!, decimal ? 10 : 16));
    return ENTITIES[entity!] ?? all;
  });
}

/** The caller's ARN, or an error that says what is wrong with the credentials. */
export async function callerIdentity(credentials: Credentials): Promise<string> {
  return of(await post('GetCallerIdentity', {}, credentials), 'Arn');
}

/** Temporary credentials of an hour for those of a user. */
export async function sessionToken(credentials: Credentials): Promise<Credentials> {
  const xml = await post('GetSessionToken', { DurationSeconds: '3600' }, credentials);
  return {
    accessKeyId: of(xml, 'AccessKeyId'),
    secretAccessKey: of(xml, 'SecretAccessKey'),
    sessionToken: of(xml, 'SessionToken'),
    expiresAt: Date.parse(of(xml, 'Expiration')),
  };
}
