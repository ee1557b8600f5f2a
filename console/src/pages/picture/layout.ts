/**
 * The layout of one pane of a picture: bands of item collections, rows of items, their cells. Pure: pixels from items.
 * The screen and the exported SVG draw the same layout.
 */
import { type AttributeValue, type Item, itemSize, typeOf } from '../../values/index.ts';
import { levelsOf, separatorsOf, sharedPrefix } from './prefix.ts';
import { groupOf, idOf, isIndexed, isProjected, keysIn, keyText, type PictureTable } from './schema.ts';
import { oneLine, textOf } from './text.ts';
import type { EntityTypes } from './types.ts';

export const ROW = 20;
export const KEY_WIDTH = 210;
export const MARK_WIDTH = 24;
export const INDENT = 14;
const GAP = 6;
const MONO = 7.23; // pixels of a character at 12 px
const SMALL = 6.1; // of a name at 11 px
const HEADING = 6.8; // of a column's head
const REPEAT_HEAD = 20 * ROW; // names of columns are seen wherever one scrolls to

export interface Cell {
  name: string;
  /** The name as it is drawn. */
  label: string;
  /** Absent: the index does not carry this attribute. */
  value?: AttributeValue;
  text: string;
  x: number;
  width: number;
  right: boolean;
}

export interface ItemRow {
  kind: 'item';
  y: number;
  band: number;
  id: string;
  item: Item;
  type: number;
  /** What the sort key shares with the row above, and the rest of it. */
  shared: string;
  rest: string;
  depth: number;
  cells: Cell[];
  /** Read by the query; and then dropped by its filter. */
  read: boolean;
  dropped: boolean;
}

export interface FoldRow {
  kind: 'fold';
  y: number;
  band: number;
  id: string;
  prefix: string;
  open: boolean;
  depth: number;
  count: number;
  bytes: number;
  /** Items of each type, by the type's place. */
  types: [number, number][];
  read: boolean;
}

/** The names of aligned columns, wherever another type begins. */
export interface HeadRow {
  kind: 'head';
  y: number;
  band: number;
  type: number;
  cells: Cell[];
  read: boolean;
}

export type Row = ItemRow | FoldRow | HeadRow;

export interface Band {
  id: string;
  text: string;
  y: number;
  height: number;
  count: number;
  bytes: number;
  /** Bytes of each type, by the type's place. */
  types: [number, number][];
}

export interface Box {
  y: number;
  height: number;
}

export interface Layout {
  bands: Band[];
  rows: Row[];
  /** Around what the query reads. */
  boxes: Box[];
  sortWidth: number;
  /** Where attributes begin. */
  left: number;
  width: number;
  height: number;
  /** The deepest level of prefixes. */
  levels: number;
  items: number;
  bytes: number;
}

export interface Pane {
  table: PictureTable;
  /** Absent: the table itself. */
  index?: string;
  /** In the server's order. */
  items: Item[];
  /** Whole items by id, so that an index's pane shows what is not projected. */
  whole?: ReadonlyMap<string, Item>;
  /** Ids of what the query reads, and of what its filter drops. */
  read?: ReadonlySet<string>;
  dropped?: ReadonlySet<string>;
}

export interface Options {
  align: boolean;
  /** Levels of prefixes that are folded: 0 folds nothing. */
  fold: number;
  /** Folds that were opened by hand. */
  opened: ReadonlySet<string>;
  types: EntityTypes;
  /** Milliseconds since 1970: what is left of a time to live. */
  now: number;
}

interface Entry {
  id: string;
  item: Item;
  whole: Item;
  type: number;
  sort: string;
  bytes: number;
}

interface Group {
  id: string;
  text: string;
  entries: Entry[];
}

function group(pane: Pane, options: Options): Group[] {
  const keys = keysIn(pane.table, pane.index);
  const groups = new Map<string, Group>();
  for (const item of pane.items) {
    const id = groupOf(item, keys.partition);
    let found = groups.get(id);
    if (!found) groups.set(id, (found = { id, text: keyText(item, keys.partition), entries: [] }));
    const key = idOf(item, pane.table);
    const whole = pane.whole?.get(key) ?? item;
    found.entries.push({ id: key, item, whole, type: options.types.of(whole), sort: keyText(item, keys.sort), bytes: itemSize(item) });
  }
  return [...groups.values()];
}

function countTypes(entries: Entry[], weight: (entry: Entry) => number): [number, number][] {
  const counts = new Map<number, number>();
  for (const entry of entries) counts.set(entry.type, (counts.get(entry.type) ?? 0) + weight(entry));
  return [...counts].sort((a, b) => a[0] - b[0]);
}

/** Columns of each type: names in the order in which they appear, with their widths. */
function columnsByType(groups: Group[], cellsOf: (entry: Entry) => Cell[]): Map<number, Map<string, { width: number; right: boolean }>> {
  const types = new Map<number, Map<string, { width: number; right: boolean }>>();
  for (const { entries } of groups) {
    for (const entry of entries) {
      let columns = types.get(entry.type);
      if (!columns) types.set(entry.type, (columns = new Map()));
      for (const cell of cellsOf(entry)) {
        const width = Math.max(cell.text.length * MONO, cell.label.length * SMALL) + 14;
        const known = columns.get(cell.name);
        if (!known) columns.set(cell.name, { width, right: cell.right });
        else known.width = Math.max(known.width, width);
      }
    }
  }
  return types;
}

export function layOut(pane: Pane, options: Options): Layout {
  const { table } = pane;
  const index = table.indexes.find((each) => each.name === pane.index);
  const keys = keysIn(table, pane.index);
  const shown = new Set([...keys.partition, ...keys.sort]);
  const groups = group(pane, options);
  const sortKeys = keys.sort.length ? groups.flatMap((each) => each.entries.map((entry) => entry.sort)) : [];
  const separators = separatorsOf(sortKeys);
  const longest = sortKeys.reduce((most, each) => Math.max(most, each.length), 0);
  const sortWidth = keys.sort.length ? Math.min(340, Math.max(90, longest * MONO + 16, `Sort key ${keys.sort.join(', ')}`.length * HEADING - MARK_WIDTH + 16)) + options.fold * INDENT : 0;
  const left = KEY_WIDTH + MARK_WIDTH + sortWidth;

  const cellsOf = (entry: Entry): Cell[] => {
    const cells: Cell[] = [];
    for (const name in entry.item) {
      if (shown.has(name)) continue;
      const value = entry.item[name]!;
      cells.push({ name, label: oneLine(name), value, text: textOf(name, value, table, options.now), x: 0, width: 0, right: typeOf(value) === 'N' && name !== table.ttl });
    }
    if (index && entry.whole !== entry.item) {
      for (const name in entry.whole) {
        if (!Object.hasOwn(entry.item, name) && !isProjected(name, table, index)) cells.push({ name, label: oneLine(name), text: '', x: 0, width: 0, right: false });
      }
    }
    return cells;
  };
  const columns = options.align ? columnsByType(groups, cellsOf) : undefined;
  let width = left + 40;

  const place = (entry: Entry): Cell[] => {
    const cells = cellsOf(entry);
    let x = left + GAP;
    if (columns) {
      const byName = new Map(cells.map((each) => [each.name, each]));
      const result: Cell[] = [];
      for (const [name, column] of columns.get(entry.type)!) {
        const cell = byName.get(name);
        if (cell) result.push(Object.assign(cell, { x, width: column.width }));
        x += column.width;
      }
      width = Math.max(width, x);
      return result;
    }
    for (const cell of cells) {
      cell.x = x;
      cell.width = Math.ceil(cell.label.length * SMALL + 6 + cell.text.length * MONO + 12);
      x += cell.width;
    }
    width = Math.max(width, x);
    return cells;
  };

  const bands: Band[] = [];
  const rows: Row[] = [];
  let y = 0;
  let levels = 0;
  let total = 0;
  let bytes = 0;
  let lastType = -1;
  let headAt = 0;

  for (const each of groups) {
    const start = y;
    const number = bands.length;
    let above = '';
    if (y - headAt > REPEAT_HEAD) lastType = -1;
    const add = (entry: Entry, depth: number) => {
      const read = pane.read?.has(entry.id) ?? false;
      if (columns && entry.type !== lastType) {
        let x = left + GAP;
        const cells = [...columns.get(entry.type)!].map(([name, column]) => {
          const cell: Cell = { name, label: oneLine(name), text: '', x, width: column.width, right: column.right };
          x += column.width;
          return cell;
        });
        if (cells.length) {
          rows.push({ kind: 'head', y, band: number, type: entry.type, cells, read });
          headAt = y;
          y += ROW;
        }
        lastType = entry.type;
      }
      const shared = sharedPrefix(entry.sort, above, separators);
      above = entry.sort;
      rows.push({
        kind: 'item', y, band: number, id: entry.id, item: entry.item, type: entry.type, shared: entry.sort.slice(0, shared),
        rest: entry.sort.slice(shared), depth, cells: place(entry), read, dropped: pane.dropped?.has(entry.id) ?? false,
      });
      y += ROW;
    };
    const walk = (entries: Entry[], depth: number) => {
      for (let at = 0; at < entries.length; ) {
        const end = levelsOf(entries[at]!.sort, separators)[depth];
        if (depth >= options.fold || end === undefined) {
          add(entries[at]!, depth);
          at++;
          continue;
        }
        const prefix = entries[at]!.sort.slice(0, end);
        let to = at + 1;
        while (to < entries.length && entries[to]!.sort.startsWith(prefix)) to++;
        const members = entries.slice(at, to);
        const id = `${each.id} ${prefix}`;
        const open = options.opened.has(id);
        rows.push({
          kind: 'fold', y, band: number, id, prefix, open, depth, count: members.length, bytes: members.reduce((sum, one) => sum + one.bytes, 0),
          types: countTypes(members, () => 1), read: members.some((one) => pane.read?.has(one.id)),
        });
        y += ROW;
        above = open ? prefix : ''; // the fold's row shows it
        lastType = -1;
        if (open) walk(members, depth + 1);
        at = to;
      }
    };
    for (const entry of each.entries) levels = Math.max(levels, levelsOf(entry.sort, separators).length);
    walk(each.entries, 0);
    const size = each.entries.reduce((sum, entry) => sum + entry.bytes, 0);
    bands.push({ id: each.id, text: each.text, y: start, height: y - start, count: each.entries.length, bytes: size, types: countTypes(each.entries, (entry) => entry.bytes) });
    total += each.entries.length;
    bytes += size;
  }
  return { bands, rows, boxes: boxesOf(rows), sortWidth, left, width: Math.ceil(width), height: y, levels, items: total, bytes };
}

/** One box for each run of rows that are read. */
function boxesOf(rows: Row[]): Box[] {
  const boxes: Box[] = [];
  for (const row of rows) {
    if (!row.read) continue;
    const last = boxes[boxes.length - 1];
    if (last && last.y + last.height === row.y) last.height += ROW;
    else boxes.push({ y: row.y, height: ROW });
  }
  return boxes;
}

/** The rows between two heights; rows are in order of y and of one height. */
export function rowsBetween(layout: Layout, top: number, bottom: number): Row[] {
  return layout.rows.slice(Math.max(0, Math.floor(top / ROW)), Math.max(0, Math.ceil(bottom / ROW)));
}

/** How many of these items an index leaves out. */
export function notIndexed(items: Item[], table: PictureTable, index: string): number {
  const found = table.indexes.find((each) => each.name === index);
  return found ? items.filter((each) => !isIndexed(each, found)).length : 0;
}

/** The items of an index as it would hold them: for models, where there is no server to ask. */
export function indexItems(items: Item[], table: PictureTable, name: string): Item[] {
  const index = table.indexes.find((each) => each.name === name);
  if (!index) return items;
  return items
    .filter((each) => isIndexed(each, index))
    .map((each) => Object.fromEntries(Object.entries(each).filter(([attribute]) => isProjected(attribute, table, index))));
}
