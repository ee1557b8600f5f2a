/**
 * The pages that were read, a million items without holding them as objects: each page is its reply's bytes, and only
 * the rows that are shown are parsed. Beyond a budget the bytes farthest from what is shown are dropped; their start keys
 * stay, so that they can be read again.
 */
import type { Item } from '../../values/types.ts';

interface PageReply {
  Items?: Item[];
  Count: number;
  ScannedCount: number;
  LastEvaluatedKey?: Item;
  ConsumedCapacity?: { CapacityUnits?: number; VectorSearchRequestBytes?: number };
}

/** The reply of SearchVectors has its items, with their scores, under another name. */
interface SearchReply extends PageReply {
  SearchResults?: { Item?: Item; Score?: number }[];
}

export interface Rows {
  first: number;
  count: number;
}

interface KeptPage extends Rows {
  startKey?: Item;
  bytes?: Uint8Array;
  /** Where each item begins and ends in the bytes. */
  offsets?: Uint32Array;
}

const PARSED = 500; // rows
const TOGETHER = 100; // rows parsed at once
const MAX_BYTES = 64 * 1024 * 1024;
const decoder = new TextDecoder();

export class Pages {
  private readonly pages: KeptPage[] = [];
  private readonly parsed = new Map<number, Item>();
  private held = 0;
  private readonly maxBytes: number;
  count = 0;
  scanned = 0;
  units = 0;
  searchedBytes = 0;
  /** Of a search, which has one page: the distance of each row. */
  scores: number[] | undefined;
  /** Absent: all was read. */
  nextKey: Item | undefined;
  started = false;

  constructor(maxBytes = MAX_BYTES) {
    this.maxBytes = maxBytes;
  }

  get pageCount(): number {
    return this.pages.length;
  }

  get more(): boolean {
    return this.nextKey !== undefined;
  }

  /** Adds the reply to the request that began at nextKey, and gives its items once, a few at a time. */
  add(bytes: Uint8Array): Iterable<Item> {
    const { reply, kept, scores } = readReply(bytes);
    const page: KeptPage = { startKey: this.nextKey, first: this.itemCount, count: kept.offsets.length / 2, ...kept };
    this.pages.push(page);
    this.count += reply.Count;
    this.scanned += reply.ScannedCount;
    this.units += reply.ConsumedCapacity?.CapacityUnits ?? 0;
    this.searchedBytes += reply.ConsumedCapacity?.VectorSearchRequestBytes ?? 0;
    this.scores = scores;
    this.nextKey = reply.LastEvaluatedKey;
    this.started = true;
    this.hold(page);
    return itemsOf(kept);
  }

  /** Rows there are; smaller than `count` where only the number was asked for. */
  get itemCount(): number {
    const last = this.pages[this.pages.length - 1];
    return last ? last.first + last.count : 0;
  }

  /** The item of a row; undefined if its page was dropped: see `missing`. */
  item(row: number): Item | undefined {
    const known = this.parsed.get(row);
    if (known) return known;
    const page = this.pageAt(row);
    if (!page?.bytes || !page.offsets) return undefined;
    const at = 2 * (row - page.first);
    // A page that was read again may have fewer items than rows.
    if (at >= page.offsets.length) return undefined;
    const item = JSON.parse(textOf(page.bytes, page.offsets[at], page.offsets[at + 1])) as Item;
    if (this.parsed.size >= PARSED) this.parsed.clear();
    this.parsed.set(row, item);
    return item;
  }

  /** The page of a row, if it must be read again. */
  missing(row: number): { startKey?: Item; page: number } | undefined {
    const page = this.pageAt(row);
    return page && !page.bytes ? { startKey: page.startKey, page: this.pages.indexOf(page) } : undefined;
  }

  /**
   * A dropped page, read again. Its rows stay where they were, though items may have come or gone meanwhile: returns
   * which rows those are.
   */
  restore(index: number, bytes: Uint8Array): Rows | undefined {
    const page = this.pages[index];
    if (!page || page.bytes) return undefined;
    Object.assign(page, readReply(bytes).kept);
    this.parsed.clear();
    this.hold(page);
    return { first: page.first, count: page.count };
  }

  /** Items of the first rows, for what needs them all at once. */
  slice(first: number, last: number): Item[] {
    const items: Item[] = [];
    for (let row = first; row < Math.min(last, this.itemCount); row++) {
      const item = this.item(row);
      if (item) items.push(item);
    }
    return items;
  }

  private pageAt(row: number): KeptPage | undefined {
    let low = 0;
    let high = this.pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.pages[middle]!.first <= row) low = middle;
      else high = middle - 1;
    }
    // Pages without items share their first row with the page behind them.
    const page = this.pages[low];
    return page && row >= page.first && row < page.first + page.count ? page : undefined;
  }

  private hold(keep: KeptPage): void {
    this.held += weightOf(keep);
    const at = this.pages.indexOf(keep);
    for (let distance = this.pages.length; this.held > this.maxBytes && distance > 0; distance--) {
      for (const index of [at - distance, at + distance]) {
        const page = this.pages[index];
        if (!page?.bytes || !page.count) continue;
        this.held -= weightOf(page);
        page.bytes = undefined;
        page.offsets = undefined;
        this.parsed.clear();
      }
    }
  }
}

const weightOf = ({ bytes, offsets }: KeptPage): number => bytes!.byteLength + offsets!.byteLength;
const textOf = (bytes: Uint8Array, from?: number, to?: number): string => decoder.decode(bytes.subarray(from, to));

interface Kept {
  bytes: Uint8Array;
  offsets: Uint32Array;
}

/** Few objects at a time: those of a whole page would make the heap grow by more than the page. */
function* itemsOf({ bytes, offsets }: Kept): Iterable<Item> {
  for (let at = 0; at < offsets.length; at += 2 * TOGETHER) {
    const end = Math.min(at + 2 * TOGETHER, offsets.length) - 1;
    yield* JSON.parse(`[${textOf(bytes, offsets[at], offsets[end])}]`) as Item[];
  }
}

function readReply(bytes: Uint8Array): { reply: PageReply; kept: Kept; scores?: number[] } {
  const { offsets, from, to } = findItems(bytes);
  if (to) return { reply: JSON.parse(`${textOf(bytes, 0, from)}[]${textOf(bytes, to)}`) as PageReply, kept: { bytes, offsets } };
  const reply = JSON.parse(textOf(bytes)) as SearchReply;
  const found = reply.SearchResults;
  if (!found) return { reply, kept: { bytes, offsets } };
  const items = new TextEncoder().encode(JSON.stringify({ Items: found.map((each) => each.Item ?? {}) }));
  return {
    reply: { ...reply, Count: found.length, ScannedCount: found.length },
    kept: { bytes: items, offsets: findItems(items).offsets },
    scores: found.map((each) => each.Score ?? NaN),
  };
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const ITEMS = new TextEncoder().encode('"Items"');

/**
 * Where the items of a reply begin and end, in pairs, and where their array does; `to` is 0 without one. The reply is
 * known to be JSON in UTF-8, whose longer characters have no byte below 0x80; its texts are skipped, not read.
 */
export function findItems(reply: Uint8Array): { offsets: Uint32Array; from: number; to: number } {
  let offsets = new Uint32Array(1024);
  let length = 0;
  const note = (at: number) => {
    if (length === offsets.length) {
      const longer = new Uint32Array(2 * length);
      longer.set(offsets);
      offsets = longer;
    }
    offsets[length++] = at;
  };
  let [depth, from, to] = [0, 0, 0];
  let inItems = false;
  for (let at = 0; at < reply.length; at++) {
    const byte = reply[at]!;
    if (byte === QUOTE) {
      const start = at;
      while (reply[++at] !== QUOTE) if (reply[at] === BACKSLASH) at++;
      if (depth === 1) inItems = at - start === ITEMS.length - 1 && ITEMS.every((each, index) => reply[start + index] === each);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (inItems && depth === 1) from = at;
      if (inItems && depth === 2) note(at);
      depth++;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
      if (inItems && depth === 2) note(at + 1);
      if (inItems && depth === 1) to = at + 1;
    }
  }
  return { offsets: offsets.slice(0, length), from, to };
}
