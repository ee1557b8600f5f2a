/** Tables as the server describes them, shared by all pages: names are listed once, descriptions kept for a while. */
import { call } from '../aws/client.ts';
import type { TableDescription } from '../aws/operations.ts';
import { session, useSession } from '../aws/session.ts';
import { Store, useStore } from '../app/store.ts';
import { type Async, useAsync } from './use_async.ts';

const DESCRIBED_FOR = 5000; // milliseconds
const described = new Map<string, { at: number; table: Promise<TableDescription> }>();
const turn = new Store(0);

const prefix = () => JSON.stringify([session.get().namespace, session.get().credentials?.accessKeyId]);

/** All names, page by page. */
export async function listTables(signal?: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  let start: string | undefined;
  do {
    const page = await call('ListTables', { ExclusiveStartTableName: start }, { signal });
    names.push(...(page.TableNames ?? []));
    start = page.LastEvaluatedTableName;
  } while (start);
  return names;
}

/** DescribeTable, at most five seconds old. */
export function describeTable(name: string, fresh = false): Promise<TableDescription> {
  const key = prefix() + name;
  const kept = described.get(key);
  if (kept && !fresh && Date.now() - kept.at < DESCRIBED_FOR) return kept.table;
  const table = call('DescribeTable', { TableName: name }).then((reply) => reply.Table!);
  described.set(key, { at: Date.now(), table });
  table.catch(() => described.delete(key));
  return table;
}

/** After a table was created, changed or deleted: everything shown is loaded again. */
export function tablesChanged(): void {
  described.clear();
  turn.set((before) => before + 1);
}

export function useTables(): Async<string[]> {
  const { namespace, identity } = useSession();
  const key = `${useStore(turn)} ${namespace} ${identity}`;
  return useAsync(key, listTables);
}

/** A table's description; undefined names load nothing. */
export function useTable(name: string | undefined): Async<TableDescription> {
  const key = `${useStore(turn)} ${useSession().namespace} ${name}`;
  return useAsync(name === undefined ? undefined : key, () => describeTable(name!, true));
}

export interface Keys {
  partition: string[];
  sort: string[];
}

/** The key attributes of a table or of one of its indexes, in order. */
export function keysOf(schema: { AttributeName?: string; KeyType?: string }[] | undefined): Keys {
  const of = (type: string) => (schema ?? []).filter((each) => each.KeyType === type).map((each) => each.AttributeName!);
  return { partition: of('HASH'), sort: of('RANGE') };
}

/** The declared type of a key attribute. */
export function keyType(table: TableDescription, attribute: string): 'S' | 'N' | 'B' {
  const found = table.AttributeDefinitions?.find((each) => each.AttributeName === attribute);
  return (found?.AttributeType ?? 'S') as 'S' | 'N' | 'B';
}
