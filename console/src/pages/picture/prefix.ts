/** Prefixes of sort keys: 'USA#TX#Houston' has the levels 'USA#', 'USA#TX#'. */
const STRONG = /[#/|]/;
const WEAK = ['-', ':', '.', '_'];

/** The separators that divide these keys: '#', '/' and '|'; where no key has one, the first of - : . _ that half of them have. */
export function separatorsOf(keys: string[]): string {
  if (keys.some((each) => STRONG.test(each))) return '#/|';
  for (const weak of WEAK) {
    const having = keys.filter((each) => each.indexOf(weak) > 0).length;
    if (having * 2 > keys.length) return weak;
  }
  return '';
}

/** Where each level ends: 'USA#TX#Houston' → [4, 7]. Separators in a row end one level. */
export function levelsOf(key: string, separators: string): number[] {
  const ends: number[] = [];
  for (let at = 1; at < key.length; at++) {
    if (separators.includes(key[at]!) && !separators.includes(key[at + 1] ?? separators[0]!)) ends.push(at + 1);
  }
  return ends;
}

/** How many characters two keys share, up to the last level that both have. */
export function sharedPrefix(key: string, above: string, separators: string): number {
  let shared = 0;
  for (const end of levelsOf(key, separators)) {
    if (above.slice(0, end) !== key.slice(0, end)) break;
    shared = end;
  }
  return shared;
}

/** The text before the first separator, if there is one. */
export function firstPart(key: string): string | undefined {
  const at = key.search(STRONG);
  return at > 0 ? key.slice(0, at) : undefined;
}
