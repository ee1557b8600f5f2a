/** Processor time and memory of the browser's renderers; unlike seconds, the same on a busy machine. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const TICK = 10; // milliseconds

function statOf(path: string): { parent: string; used: number } {
  const text = readFileSync(path, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { parent: fields[1]!, used: (Number(fields[11]) + Number(fields[12])) * TICK };
}

/** The renderers below this process. */
function renderers(): string[] {
  const parents = new Map<string, string>();
  for (const id of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      parents.set(id, statOf(`/proc/${id}/stat`).parent);
    } catch {
      // It has ended meanwhile.
    }
  }
  const mine = (id: string | undefined): boolean => id === String(process.pid) || (id !== undefined && mine(parents.get(id)));
  return [...parents.keys()].filter((id) => mine(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('--type=renderer'));
}

/** Milliseconds of all renderers' main threads. */
export function mainThreadTime(): number {
  let sum = 0;
  for (const id of renderers()) {
    try {
      sum += statOf(`/proc/${id}/task/${id}/stat`).used;
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum;
}

/** Bytes that the largest renderer holds, also outside JavaScript's heap, as replies are. Browsers keep a spare renderer. */
export function rendererMemory(): number {
  return Math.max(...renderers().map((id) => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) * 1024));
}
