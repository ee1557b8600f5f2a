/** Runs statements, and brings the three kinds of replies into one form. */
import { call, ServiceError } from '../../aws/index.ts';
import type { Item } from '../../values/index.ts';
import type { PartiqlRequest } from './statements.ts';

export interface Outcome {
  request: PartiqlRequest;
  items: Item[];
  /** Of a batch or transaction: the statement that each item is of, from 0. */
  origins?: number[];
  /** Statements that failed: by number, from 0. */
  faults: Map<number, string>;
  units: number;
  nextToken?: string;
  milliseconds: number;
  /** Statements that were run. */
  count: number;
}

interface Response {
  Item?: Item;
  Error?: { Code?: string; Message?: string };
}

/** One page; `before` is what was read so far. */
export async function execute(request: PartiqlRequest, signal: AbortSignal, before?: Outcome): Promise<Outcome> {
  const start = performance.now();
  const reply = await call<string>(request.operation, { ...request.input, ...more(request, before) }, { signal });
  const milliseconds = performance.now() - start + (before?.milliseconds ?? 0);
  const units = unitsOf(reply.ConsumedCapacity) + (before?.units ?? 0);
  if (request.operation === 'ExecuteStatement') {
    const items = [...(before?.items ?? []), ...((reply.Items as Item[] | undefined) ?? [])];
    return { request, items, faults: new Map(), units, nextToken: reply.NextToken as string | undefined, milliseconds, count: 1 };
  }
  const responses = (reply.Responses as Response[] | undefined) ?? [];
  const items: Item[] = [];
  const origins: number[] = [];
  const faults = new Map<number, string>();
  responses.forEach((each, at) => {
    if (each.Error) faults.set(at, `${each.Error.Code}: ${each.Error.Message}`);
    if (!each.Item) return;
    items.push(each.Item);
    origins.push(at);
  });
  return { request, items, origins, faults, units, milliseconds, count: responses.length };
}

function more(request: PartiqlRequest, before?: Outcome): object {
  if (before?.nextToken) return { NextToken: before.nextToken };
  if (request.operation !== 'ExecuteTransaction') return {};
  // When no reply comes, the request is sent again; by the token the server knows that it ran already.
  // No randomUUID: beyond localhost, plain HTTP has none.
  return { ClientRequestToken: Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('') };
}

function unitsOf(consumed: unknown): number {
  const list = (Array.isArray(consumed) ? consumed : [consumed]) as ({ CapacityUnits?: number } | undefined)[];
  return list.reduce((sum, each) => sum + (each?.CapacityUnits ?? 0), 0);
}

/** What an error says of each statement: of one statement all, of a transaction the reasons for its end. */
export function faultsOf(error: unknown, request: PartiqlRequest): Map<number, string> {
  const faults = new Map<number, string>();
  if (!(error instanceof ServiceError)) return faults;
  if (request.operation === 'ExecuteStatement') faults.set(0, error.message);
  const reasons = (error.body.CancellationReasons as { Code?: string; Message?: string }[] | undefined) ?? [];
  reasons.forEach((each, at) => {
    if (each.Code && each.Code !== 'None') faults.set(at, each.Message ? `${each.Code}: ${each.Message}` : each.Code);
  });
  return faults;
}
