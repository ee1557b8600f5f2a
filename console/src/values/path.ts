/**
 * Document paths as one types them: `address.zip`, `tags[2]`, and names with other characters in double quotes:
 * `"a.b"."#1"[0]`. Inside the quotes, `\"` and `\\` are characters.
 */
export type Path = (string | number)[];

export class PathError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PathError';
  }
}

const SPECIAL = /[.[\]",\s\\]/;

export function parsePath(text: string): Path {
  const [path, end] = readPath(text.trim(), 0);
  if (end < text.trim().length) throw new PathError(`"${text.trim()[end]}" is not expected in a path. Put names with such characters in double quotes.`);
  return path;
}

/** Several paths, separated by commas. */
export function parsePaths(text: string): Path[] {
  const source = text.trim();
  const paths: Path[] = [];
  let at = 0;
  while (at < source.length) {
    const [path, end] = readPath(source, at);
    paths.push(path);
    at = skipBlanks(source, end);
    if (at < source.length && source[at] !== ',') throw new PathError('A comma is expected between two attributes.');
    at = skipBlanks(source, at + 1);
  }
  return paths;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at]!)) at++;
  return at;
}

function readPath(text: string, start: number): [Path, number] {
  const path: Path = [];
  let at = start;
  for (;;) {
    const [name, end] = text[at] === '"' ? quoted(text, at) : bare(text, at);
    path.push(name);
    at = end;
    while (text[at] === '[') {
      const index = /\[(\d+)\]/y;
      index.lastIndex = at;
      const found = index.exec(text);
      if (!found) throw new PathError('A position in a list is a number in brackets, such as [2].');
      path.push(Number(found[1]));
      at = index.lastIndex;
    }
    if (text[at] !== '.') return [path, at];
    at++;
  }
}

function bare(text: string, start: number): [string, number] {
  let at = start;
  while (at < text.length && !'.[],"'.includes(text[at]!)) at++;
  const name = text.slice(start, at).trimEnd();
  if (!name) throw new PathError('The name of an attribute is expected.');
  return [name, at];
}

function quoted(text: string, start: number): [string, number] {
  let name = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      if (!name) throw new PathError('The name of an attribute is expected between the quotes.');
      return [name, at + 1];
    }
    if (char === '\\' && at + 1 < text.length) name += text[++at];
    else name += char;
  }
  throw new PathError('The closing double quote of a name is missing.');
}

export function printName(name: string): string {
  return SPECIAL.test(name) || name === '' ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}

export function printPath(path: Path): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : (at ? '.' : '') + printName(part))).join('');
}
