/** A value outside React that components subscribe to. */
import { useSyncExternalStore } from 'react';

export class Store<T> {
  private value: T;
  private readonly listeners = new Set<() => void>();

  constructor(initial: T) {
    this.value = initial;
  }

  get = (): T => this.value;

  set = (next: T | ((before: T) => T)): void => {
    const value = typeof next === 'function' ? (next as (before: T) => T)(this.value) : next;
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener();
  };

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Like Store, and kept in localStorage under `partita.NAME`. For preferences and history; never for secrets. */
export class PersistedStore<T> extends Store<T> {
  constructor(name: string, initial: T) {
    const key = `partita.${name}`;
    let kept = initial;
    try {
      const text = localStorage.getItem(key);
      if (text !== null) kept = JSON.parse(text) as T;
    } catch {
      // A browser may refuse storage; then the preference lasts as long as the page.
    }
    super(kept);
    this.subscribe(() => {
      try {
        localStorage.setItem(key, JSON.stringify(this.get()));
      } catch {
        // As above.
      }
    });
  }
}
