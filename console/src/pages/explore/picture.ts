/** What Explore gives to the picture of item collections (pages/picture). */
import type { TableDescription } from '../../aws/operations.ts';
import { emptyItem, type Item } from '../../values/index.ts';
import { parseOperand } from './operand.ts';
import type { Pages } from './pages.ts';
import type { ReadTarget } from './target.ts';
import { describeView, type View } from './view.ts';

/** What the key condition reads. */
export interface QueryBox {
  partition: Item;
  sort?: { names: string[]; text: string };
  scanned: number;
  matched: number;
  units: number;
  descending: boolean;
  filtered: boolean;
}

export interface PictureProps {
  table: TableDescription;
  /** undefined: the table itself. */
  index?: string;
  /** In the server's order, as far as they were read. */
  items: Item[];
  more: boolean;
  onReadOn?: () => void;
  /** Absent for a scan. */
  box?: QueryBox;
  onOpen?: (item: Item) => void;
  /** Reads the partition of this key. */
  onSelectKey?: (key: Item) => void;
}

export function queryBox(view: View, target: ReadTarget, pages: Pages, filtered: boolean): QueryBox | undefined {
  if (view.mode !== 'query') return undefined;
  const partition = emptyItem();
  try {
    target.partition.forEach(({ name, type }, at) => {
      partition[name] = parseOperand(type, view.partition[at] ?? '');
    });
  } catch {
    return undefined;
  }
  const names = target.sort.slice(0, view.sort.length).map((each) => each.name);
  return {
    partition,
    sort: names.length ? { names, text: describeView(view, target) } : undefined,
    scanned: pages.scanned,
    matched: pages.count,
    units: pages.units,
    descending: view.descending,
    filtered,
  };
}
