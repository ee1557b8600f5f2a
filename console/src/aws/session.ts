/** Who calls, and what is called: the server's mode, credentials (in memory), namespace, region. */
import { PersistedStore, Store, useStore } from '../app/store.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** Milliseconds since 1970. */
  expiresAt?: number;
}

/** The reply of DescribeConsole. */
export interface ServerDescription {
  Version: string;
  Mode: 'open' | 'verified';
  Region?: string;
  Namespaces: 'none' | 'header' | 'key';
  Time: number;
  Features: string[];
}

export interface Session {
  /** Absent until the server has answered. */
  server?: ServerDescription;
  /** What kept DescribeConsole from being answered. */
  fault?: Error;
  /** Absent: not logged in. A server in open mode needs none. */
  credentials?: Credentials;
  /** The caller's ARN, after a login. */
  identity?: string;
  /** '' is the unnamed database. */
  namespace: string;
  /** Set when the credentials ran out or were refused: the login appears over the page. */
  loginNeeded?: string;
}

const KEPT = 'partita.session';

function keptCredentials(): Credentials | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Credentials | null;
    if (kept?.sessionToken && (kept.expiresAt ?? 0) > Date.now()) return kept;
    sessionStorage.removeItem(KEPT);
  } catch {
    // Without storage one logs in again.
  }
  return undefined;
}

export const lastNamespace = new PersistedStore('namespace', '');
export const session = new Store<Session>({ credentials: keptCredentials(), namespace: lastNamespace.get() });
export const useSession = (): Session => useStore(session);

/** `keep`: temporary credentials survive a reload of this tab. Others are never written anywhere. */
export function logIn(credentials: Credentials, identity: string | undefined, keep: boolean): void {
  try {
    if (keep && credentials.sessionToken) sessionStorage.setItem(KEPT, JSON.stringify(credentials));
    else sessionStorage.removeItem(KEPT); // those of an earlier login
  } catch {
    // Kept in memory only.
  }
  session.set((before) => ({ ...before, credentials, identity, loginNeeded: undefined }));
}

export function logOut(): void {
  try {
    sessionStorage.removeItem(KEPT);
  } catch {
    // Nothing was kept.
  }
  session.set((before) => ({ ...before, credentials: undefined, identity: undefined, loginNeeded: undefined }));
}

export function chooseNamespace(namespace: string): void {
  lastNamespace.set(namespace);
  session.set((before) => ({ ...before, namespace }));
}

/**
 * For work of several requests: the function that this returns throws once the namespace or the user is another one, so
 * that the rest does not go there.
 */
export function sameSession(): () => void {
  const { namespace, identity } = session.get();
  return () => {
    const now = session.get();
    if (now.namespace !== namespace) throw new Error('The namespace was changed meanwhile: the rest was left undone.');
    if (now.identity !== identity) throw new Error('Somebody else signed in meanwhile: the rest was left undone.');
  };
}

/** A server in open mode takes any key; with `--namespaces key` the key is the namespace. */
export function effectiveCredentials(of: Session): Credentials {
  if (of.credentials && of.server?.Mode !== 'open') return of.credentials;
  const key = of.server?.Namespaces === 'key' && of.namespace ? of.namespace : 'console';
  return { accessKeyId: key, secretAccessKey: 'console' };
}

/** The namespace as it is shown and named in dialogs; undefined: the server has none. */
export function namespaceName(of: Session): string | undefined {
  if (!of.server || of.server.Namespaces === 'none') return undefined;
  return of.server.Namespaces === 'key' ? effectiveCredentials(of).accessKeyId : of.namespace || '(unnamed)';
}

export function region(of: Session): string {
  return of.server?.Region ?? 'us-east-1';
}

export function endpoint(): string {
  return location.origin;
}

/** Nothing destructive is offered while this is on. A seat belt of the page; IAM is the boundary. */
export const readOnly = new PersistedStore('readOnly', false);
export const useReadOnly = (): boolean => useStore(readOnly);
