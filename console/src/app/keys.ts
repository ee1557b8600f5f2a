/** Keys of the page. A key typed into a field is the field's, unless it comes with Ctrl or ⌘. */
import { useEffect, useRef } from 'react';

export interface Key {
  /** 'Ctrl+Enter', 'Ctrl+K', '/', '?', 'n', or two in a row: 'g t'. */
  keys: string;
  /** For the list that '?' shows. */
  does: string;
  run: () => void;
}

const active: { current: Key[] }[] = [];
const NO_TEXT = /^(button|checkbox|radio|submit|reset)$/;

export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const element = (target.shadowRoot?.activeElement as HTMLElement | null) ?? target;
  if (element.isContentEditable || element.closest('[role=textbox], .cm-editor')) return true;
  if (element instanceof HTMLInputElement) return !NO_TEXT.test(element.type);
  return element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 && (event.ctrlKey || event.metaKey) ? event.key.toUpperCase() : event.key;
  return (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + (event.altKey ? 'Alt+' : '') + key;
}

let first = '';
let firstAt = 0;

const DIALOG = '[role=dialog]:not([class*=hidden])';
let inDialog = false;

// Escape has closed the dialog when the listener below gets to see it.
addEventListener('keydown', () => (inDialog = document.querySelector(DIALOG) !== null), { capture: true });

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const name = nameOf(event);
  const withControl = event.ctrlKey || event.metaKey;
  if (!withControl && name !== 'Escape' && typing(event.target)) return;
  const pair = Date.now() - firstAt < 1500 ? `${first} ${name}` : '';
  first = name;
  firstAt = Date.now();
  for (const wanted of [pair, name]) {
    // The component that came last has the say: a dialog before the page below it.
    for (let at = active.length - 1; wanted && at >= 0; at--) {
      const key = active[at]!.current.find((each) => each.keys === wanted);
      if (!key || (inDialog && !withControl)) continue;
      event.preventDefault();
      first = '';
      key.run();
      return;
    }
  }
});

/** Keys that work while the component is there. */
export function useKeys(keys: Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    active.push(latest);
    return () => {
      active.splice(active.indexOf(latest), 1);
    };
  }, []);
}

export function activeKeys(): Key[] {
  const seen = new Set<string>();
  return active
    .flatMap((each) => each.current)
    .reverse()
    .filter((key) => !seen.has(key.keys) && seen.add(key.keys))
    .reverse();
}
