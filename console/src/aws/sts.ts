/** The two calls of STS that a login needs: form posts, signed with the SDK's signer. */
import { ServiceError } from './errors.ts';
import type { Credentials } from './session.ts';
import { signedPost } from './signed_post.ts';

async function post(action: string, parameters: Record<string, string>, credentials: Credentials): Promise<string> {
  const body = new URLSearchParams({ Action: action, Version: '2011-06-15', ...parameters }).toString();
  const reply = await signedPost('sts', { 'content-type': 'application/x-www-form-urlencoded' }, body, credentials);
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
