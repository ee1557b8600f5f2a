/**
 * Calls through the AWS SDK in the page: its signer, retries and clock-skew correction. The SDK's protocol is replaced by
 * one that takes text and gives bytes, so that every operation (also those that the SDK does not know) is one call, and
 * attribute values keep the form of the wire.
 */
import { $Command, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { getEndpointPlugin } from '@smithy/core/endpoints';
import { HttpRequest } from '@smithy/core/protocols';
import type { MetadataBearer } from '@smithy/types';
import { isLoginFault, ServiceError } from './errors.ts';
import type { InputOf, OutputOf } from './operations.ts';
import { effectiveCredentials, endpoint, region, type Session, session } from './session.ts';
import { post, signedPost } from './signed_post.ts';

interface TextInput {
  target: string;
  body: string;
}

interface Reply {
  /** As they came: a text of them takes twice as much where one character is beyond Latin-1. */
  bytes: Uint8Array;
  /** `attempts` is set by the SDK's retries. */
  $metadata: { httpStatusCode: number; requestId?: string; attempts?: number };
}

export type TextReply = Pick<Reply, '$metadata'> & { text: string };

export interface CallOptions {
  signal?: AbortSignal;
  /** Instead of the session's; '' is the unnamed database. */
  namespace?: string;
  /** Sends the request once: the caller sees throttling itself. */
  noRetries?: boolean;
}

export const STREAMS = new Set(['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams']);

/** 'ListTables' → 'DynamoDB_20120810.ListTables'. What has a dot is a target already. */
export function targetOf(operation: string): string {
  if (operation.includes('.')) return operation;
  return `${STREAMS.has(operation) ? 'DynamoDBStreams_20120810' : 'DynamoDB_20120810'}.${operation}`;
}

const UTF8 = new TextDecoder();

interface WireResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: ReadableStream | Blob;
}

const textProtocol = {
  setSerdeContext() {},
  async serializeRequest(_schema: unknown, input: TextInput) {
    const url = new URL(endpoint());
    return new HttpRequest({
      protocol: url.protocol,
      hostname: url.hostname,
      port: url.port ? Number(url.port) : undefined,
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': input.target },
      body: input.body,
    });
  },
  async deserializeResponse(_schema: unknown, context: { commandName: string }, response: WireResponse): Promise<Reply> {
    const bytes = new Uint8Array(await new Response(response.body).arrayBuffer());
    const requestId = response.headers['x-amzn-requestid'];
    if (response.statusCode < 300) return { bytes, $metadata: { httpStatusCode: response.statusCode, requestId } };
    throw errorOf(context.commandName, response.statusCode, UTF8.decode(bytes), requestId);
  },
};

export function errorOf(operation: string, status: number, text: string, requestId?: string): ServiceError {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A plain text, as of a proxy or of the origin rule.
  }
  const type = String(body.__type ?? body.code ?? `HTTP ${status}`);
  const message = String(body.message ?? body.Message ?? (text.trim() || `The server answered HTTP ${status}`));
  return new ServiceError(operation, status, type.replace(/^.*#/, ''), message, body, requestId);
}

function makeClient(maxAttempts: number): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint: endpoint(),
    region: async () => region(session.get()),
    credentials: async () => effectiveCredentials(session.get()),
    maxAttempts,
    protocol: textProtocol as never,
    retryMode: 'standard',
  });
  // A custom user agent header cannot be set by a page; leaving it out keeps the signed headers few.
  for (const name of ['getUserAgentMiddleware', 'recursionDetectionMiddleware']) client.middlewareStack.remove(name);
  return client;
}

let clients: { retrying: DynamoDBClient; once: DynamoDBClient } | undefined;
let clientsFor = '';

const signerOf = (of: Session): string => JSON.stringify([region(of), effectiveCredentials(of)]);

/** The SDK remembers credentials and region, so a change of session makes new clients. */
function clientOf(options: CallOptions): DynamoDBClient {
  const who = signerOf(session.get());
  if (!clients || who !== clientsFor) {
    clients = { retrying: makeClient(4), once: makeClient(1) };
    clientsFor = who;
  }
  return options.noRetries ? clients.once : clients.retrying;
}

const ENDPOINT = {
  Endpoint: { type: 'builtInParams', name: 'endpoint' },
  Region: { type: 'builtInParams', name: 'region' },
} as const;

class TextCommand extends $Command.classBuilder<TextInput, Reply, never, object, MetadataBearer>()
  .ep(ENDPOINT)
  .m(((_command: never, _stack: unknown, config: never) => [getEndpointPlugin(config, ENDPOINT)]) as never)
  .f()
  .build() {}

function namespaceHeader(of: Session, namespace: string): Record<string, string> {
  return namespace && of.server?.Namespaces === 'header' ? { 'x-partita-namespace': namespace } : {};
}

/** Sends a body as it stands and returns the reply's text as it stands. Throws ServiceError. */
export async function callText(operation: string, body: string, options: CallOptions = {}): Promise<TextReply> {
  const { bytes, $metadata } = await callBytes(operation, body, options);
  return { text: UTF8.decode(bytes), $metadata };
}

/** The same without making text of the reply. */
export async function callBytes(operation: string, body: string, options: CallOptions = {}): Promise<Reply> {
  const target = targetOf(operation);
  const command = new TextCommand({ target, body } as never);
  const now = session.get();
  const namespace = options.namespace ?? now.namespace;
  command.middlewareStack.add(
    ((next: (args: { request: HttpRequest }) => unknown) => (args: { request: HttpRequest }) => {
      Object.assign(args.request.headers, namespaceHeader(now, namespace));
      return next(args);
    }) as never,
    { step: 'build', name: 'namespace', override: true },
  );
  try {
    return (await clientOf(options).send(command as never, { abortSignal: options.signal } as never)) as unknown as Reply;
  } catch (error) {
    // A late answer to credentials that were replaced meanwhile says nothing of the new ones.
    if (isLoginFault(error) && now.server?.Mode === 'verified' && signerOf(now) === signerOf(session.get())) {
      session.set((before) => ({ ...before, loginNeeded: (error as Error).message }));
    }
    throw named(error, target);
  }
}

function named(error: unknown, target: string): unknown {
  const operation = target.slice(target.indexOf('.') + 1);
  if (error instanceof ServiceError) {
    Object.defineProperty(error, 'operation', { value: operation });
    return error;
  }
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) return new Error('The server cannot be reached.', { cause: error });
  return error;
}

/** Calls an operation with JSON in DynamoDB's own form; throws ServiceError. */
export async function call<Name extends string>(
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions = {},
): Promise<OutputOf<Name>> {
  const reply = await callText(operation, JSON.stringify(input), options);
  return JSON.parse(reply.text || '{}') as OutputOf<Name>;
}

/** What a server in open mode reads of a signature that it does not verify: the key. */
function unverified(of: Session): Record<string, string> {
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${effectiveCredentials(of).accessKeyId}/${date.slice(0, 8)}/${region(of)}/dynamodb/aws4_request`;
  return { 'x-amz-date': date, authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0` };
}

/** The same for thousands of calls: without the SDK's middleware and retries, signed where signatures are verified. */
export async function callDirectly(operation: string, input: object): Promise<Record<string, unknown>> {
  const now = session.get();
  const target = targetOf(operation);
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target, ...namespaceHeader(now, now.namespace) };
  try {
    const body = JSON.stringify(input);
    const open = now.server?.Mode === 'open';
    const reply = await (open ? post({ ...headers, ...unverified(now) }, body) : signedPost('dynamodb', headers, body, effectiveCredentials(now)));
    const text = await reply.text();
    if (!reply.ok) throw errorOf(operation, reply.status, text, reply.headers.get('x-amzn-requestid') ?? undefined);
    return JSON.parse(text || '{}') as Record<string, unknown>;
  } catch (error) {
    throw named(error, target);
  }
}

/** Calls an operation of the operator's channel, such as 'DescribeMetrics'. */
export async function callPartita<Out>(operation: string, input: object = {}, options: CallOptions = {}): Promise<Out> {
  const reply = await callText(`Partita_20261123.${operation}`, JSON.stringify(input), options);
  return JSON.parse(reply.text || '{}') as Out;
}
