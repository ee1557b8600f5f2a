/** The address is the state: paths below /console/ and query parameters. */
import { useCallback, useMemo } from 'react';
import { Store, useStore } from './store.ts';

export const BASE = '/console/';

export interface Place {
  /** Below BASE, decoded, without a slash at either end: 'explore/Music'. */
  path: string;
  query: URLSearchParams;
}

function read(): Place {
  const rest = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : '';
  return { path: rest.replace(/\/+$/, ''), query: new URLSearchParams(location.search) };
}

const place = new Store<Place>(read());

let shown = location.pathname + location.search;
addEventListener('popstate', () => {
  if (new URL(shown, location.href).pathname !== location.pathname && !mayLeave()) {
    history.pushState(null, '', shown);
    return;
  }
  arrive();
});

function arrive(): void {
  shown = location.pathname + location.search;
  place.set(read());
}

export const usePlace = (): Place => useStore(place);
export const currentPlace = (): Place => place.get();

/** One segment of a path. A dot is escaped too: the server takes a path that ends in .NAME for a file. */
export function segment(name: string): string {
  return encodeURIComponent(name).replace(/\./g, '%2E');
}

/** The address of a path such as `explore/${segment(table)}`, with query parameters; empty ones are left out. */
export function href(path: string, query: Record<string, string | undefined> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const text = parameters.toString();
  return BASE + path + (text ? `?${text}` : '');
}

type Guard = () => string | undefined;
const guards = new Set<Guard>();

/** While `guard` returns a question, leaving the page asks it first. Returns the function that ends this. */
export function guardLeaving(guard: Guard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

function mayLeave(): boolean {
  for (const guard of guards) {
    const question = guard();
    if (question && !confirm(question)) return false;
  }
  return true;
}

addEventListener('beforeunload', (event) => {
  for (const guard of guards) if (guard()) event.preventDefault();
});

/** Goes to an address made by href(). `replace` leaves no entry in the history. */
export function navigate(to: string, options: { replace?: boolean; force?: boolean } = {}): void {
  const samePath = new URL(to, location.href).pathname === location.pathname;
  if (!samePath && !options.force && !mayLeave()) return;
  history[options.replace ? 'replaceState' : 'pushState'](null, '', to);
  arrive();
  if (!samePath && !options.replace) document.documentElement.scrollTop = 0;
}

/** Follows a link inside the page instead of loading anew; for Cloudscape's onFollow. */
export function follow(event: { preventDefault(): void; detail?: { href?: string; external?: boolean } }): void {
  const to = event.detail?.href;
  if (!to || event.detail?.external || !to.startsWith(BASE)) return;
  event.preventDefault();
  navigate(to);
}

/** A query parameter as state; '' removes it. Replaces the entry in the history: Back leaves the page, not the filter. */
export function useQueryState(name: string, initial = ''): [string, (value: string) => void] {
  const { query } = usePlace();
  const value = query.get(name) ?? initial;
  const change = useCallback(
    (next: string) => {
      const now = currentPlace();
      const parameters = new URLSearchParams(now.query);
      if (next === initial) parameters.delete(name);
      else parameters.set(name, next);
      const text = parameters.toString();
      navigate(location.pathname + (text ? `?${text}` : ''), { replace: true });
    },
    [name, initial],
  );
  return useMemo(() => [value, change], [value, change]);
}

/** Whether a path fits a pattern such as 'explore/:table', and its parameters. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const want = pattern.split('/');
  const have = path.split('/');
  if (want.length !== have.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of want.entries()) {
    const given = have[index]!;
    if (part.startsWith(':')) {
      try {
        parameters[part.slice(1)] = decodeURIComponent(given);
      } catch {
        return undefined;
      }
    } else if (part !== given) return undefined;
  }
  return parameters;
}
