/** A call of Partita's own that was refused. `code` is DynamoDB's name for it, as ResourceNotFoundException. */
export class CallFailed extends Error {
  readonly code: string;
}

/** A database of a server: the unnamed one, or that of a namespace, in which the server runs with `--namespaces key`. */
export class Database {
  constructor(endpoint: string, namespace?: string);
  readonly endpoint: string;
  readonly namespace: string;
  /** For `new DynamoDBClient(database.config())`. */
  config(): { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };
  /** Variables that lead AWS's SDKs to it. */
  environment(): Record<string, string>;
  /** One of Partita's own calls, as call("CreateSnapshot", { Name: "clean" }). */
  call(operation: string, members?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** One of DynamoDB's calls, without an SDK. */
  dynamodb(operation: string, members?: Record<string, unknown>): Promise<Record<string, unknown>>;
  createSnapshot(name: string): Promise<void>;
  /** All tables, items and settings as they were when the snapshot of that name was created. */
  rollback(name: string): Promise<void>;
  deleteSnapshot(name: string): Promise<void>;
  /** Moves the database's clock. What has expired by the new time is deleted within about a second. */
  advanceClock(seconds: number): Promise<void>;
  resetClock(): Promise<void>;
}

export class Server extends Database {
  readonly pid: number;
  database(namespace: string): Database;
  stop(): Promise<void>;
}

/**
 * A server on a free port of the loopback interface: in memory, or with its data in the directory `data`. `options` are
 * those of `partita serve`. It ends with this process.
 */
export function start(settings?: { data?: string; options?: string[] }): Promise<Server>;

/** Has the requests of a client of the SDK (version 3) go to a namespace; the server has `--namespaces header`. */
export function inNamespace<Client extends { middlewareStack: { add(...words: any[]): void } }>(
  client: Client, namespace: string): Client;

/** The path of the program. */
export function program(): string;

declare global {
  /** In tests with the preset for jest or the plug-in of vitest: the worker's database. */
  var partita: Database;
}
