/** The columns of items whose attributes differ: all names that were seen, keys first, as wide as their values. */
import { type Item, summary, typeOf } from '../../values/index.ts';

export interface SeenColumn {
  name: string;
  width: number;
  /** All values seen are numbers, so they stand at the right. */
  numeric: boolean;
}

export interface ColumnSet {
  seen: Map<string, SeenColumn>;
}

const MAX_COLUMNS = 1000;
const MEASURED = 200; // values of a page that are measured for the width
const CHARACTER = 7.25;
const PADDING = 26;
const MIN = 72;
const MAX = 380;

export const emptyColumns = (): ColumnSet => ({ seen: new Map() });

/** The columns with those of more items. The map is shared with the columns before; the object is a new one. */
export function withItems(columns: ColumnSet, items: Iterable<Item>): ColumnSet {
  const { seen } = columns;
  let row = 0;
  for (const item of items) {
    for (const name in item) {
      let column = seen.get(name);
      if (!column) {
        if (seen.size >= MAX_COLUMNS) continue;
        column = { name, width: widthOf(name.length + 2), numeric: true };
        seen.set(name, column);
      }
      const value = item[name]!;
      if (column.numeric && typeOf(value) !== 'N') column.numeric = false;
      if (row < MEASURED && column.width < MAX) {
        const long = typeOf(value) === 'B' ? 12 : Math.min(summary(value).length, 60);
        column.width = Math.max(column.width, widthOf(long));
      }
    }
    row++;
  }
  return { seen };
}

const widthOf = (characters: number) => Math.min(MAX, Math.max(MIN, Math.round(characters * CHARACTER + PADDING)));

/** In order: `first`, where seen, then the others as they were seen. */
export function orderedColumns({ seen }: ColumnSet, first: string[]): SeenColumn[] {
  const lead = [...new Set(first)].map((name) => seen.get(name)).filter((each) => each !== undefined);
  return [...lead, ...[...seen.values()].filter((each) => !first.includes(each.name))];
}
