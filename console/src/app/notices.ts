/** Messages above the page: what was done, what failed in the background. */
import { Store } from './store.ts';

export interface Notice {
  id: string;
  type: 'success' | 'info' | 'warning' | 'error' | 'in-progress';
  header?: string;
  content: string;
  link?: { text: string; href: string };
}

export const notices = new Store<Notice[]>([]);
let count = 0;

/** Shows a message until it is dismissed; successes go by themselves, later if they offer a link. Returns its id, for `dismiss`. */
export function notify(notice: Omit<Notice, 'id'> & { id?: string }): string {
  const id = notice.id ?? `notice-${++count}`;
  notices.set((before) => [{ ...notice, id }, ...before.filter((each) => each.id !== id)].slice(0, 5));
  if (notice.type === 'success') setTimeout(() => dismiss(id), notice.link ? 30_000 : 8000);
  return id;
}

export function dismiss(id: string): void {
  notices.set((before) => before.filter((each) => each.id !== id));
}
