/** For `plugins` of vitest's configuration. */
export function partita(): { name: string; config(): object };
