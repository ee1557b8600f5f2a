/**
 * The pages that were read, a million items without holding them all as objects: each page is its reply's text, and only
 * the rows that are shown are parsed. Beyond a budget the texts farthest from what is shown are dropped; their start keys stay, so that
 * they can be read again.
 */
import type { Item } from '../../values/types.ts';

export interface PageReply {
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

function parseReply(text: string): PageReply & { scores?: number[] } {
  const reply = JSON.parse(text) as SearchReply;
  const found = reply.SearchResults;
  if (!found) return reply;
  return { ...reply, Items: found.map((each) => each.Item ?? {}), Count: found.length, ScannedCount: found.length, scores: found.map((each) => each.Score ?? NaN) };
}

export interface Rows {
  first: number;
  count: number;
}

interface KeptPage extends Rows {
  startKey?: Item;
  text?: string;
  /** Where each item begins and ends in the text. */
  offsets?: Uint32Array;
}

const PARSED = 2000; // rows
const MAX_TEXT = 64 * 1024 * 1024;

export class Pages {
  private readonly pages: KeptPage[] = [];
  private readonly parsed = new Map<number, Item>();
  private held = 0;
  private readonly maxText: number;
  count = 0;
  scanned = 0;
  units = 0;
  searchedBytes = 0;
  /** Of a search, which has one page: the distance of each row. */
  scores: number[] | undefined;
  /** Absent: all was read. */
  nextKey: Item | undefined;
  started = false;

  constructor(maxText = MAX_TEXT) {
    this.maxText = maxText;
  }

  get pageCount(): number {
    return this.pages.length;
  }

  get more(): boolean {
    return this.nextKey !== undefined;
  }

  /** Adds the reply to the request that began at nextKey. */
  add(text: string): PageReply {
    const reply = parseReply(text);
    const items = reply.Items ?? [];
    const page: KeptPage = { startKey: this.nextKey, first: this.itemCount, count: items.length, text: reply.scores ? JSON.stringify({ Items: items }) : text };
    this.pages.push(page);
    this.count += reply.Count;
    this.scanned += reply.ScannedCount;
    this.units += reply.ConsumedCapacity?.CapacityUnits ?? 0;
    this.searchedBytes += reply.ConsumedCapacity?.VectorSearchRequestBytes ?? 0;
    this.scores = reply.scores;
    this.nextKey = reply.LastEvaluatedKey;
    this.started = true;
    this.held += text.length;
    this.drop(page);
    return reply;
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
    if (page?.text === undefined) return undefined;
    page.offsets ??= itemOffsets(page.text);
    const at = 2 * (row - page.first);
    // A page that was read again may have fewer items than rows.
    if (at >= page.offsets.length) return undefined;
    const item = JSON.parse(page.text.slice(page.offsets[at], page.offsets[at + 1])) as Item;
    if (this.parsed.size >= PARSED) this.parsed.clear();
    this.parsed.set(row, item);
    return item;
  }

  /** The page of a row, if it must be read again. */
  missing(row: number): { startKey?: Item; page: number } | undefined {
    const page = this.pageAt(row);
    return page && page.text === undefined ? { startKey: page.startKey, page: this.pages.indexOf(page) } : undefined;
  }

  /**
   * A dropped page, read again. Its rows stay where they were, though items may have come or gone meanwhile: returns
   * which rows those are.
   */
  restore(index: number, text: string): Rows | undefined {
    const page = this.pages[index];
    if (!page || page.text !== undefined) return undefined;
    page.text = text;
    this.parsed.clear();
    this.held += text.length;
    this.drop(page);
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

  private drop(keep: KeptPage): void {
    const at = this.pages.indexOf(keep);
    for (let distance = this.pages.length; this.held > this.maxText && distance > 0; distance--) {
      for (const index of [at - distance, at + distance]) {
        const page = this.pages[index];
        if (!page || page.text === undefined || !page.count) continue;
        this.held -= page.text.length;
        page.text = undefined;
        page.offsets = undefined;
        this.parsed.clear();
      }
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The quote that ends the text that begins at `start`. */
function endOfText(source: string, start: number): number {
  for (let end = source.indexOf('"', start + 1); ; end = source.indexOf('"', end + 1)) {
    let escapes = 0;
    while (source.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
}

/** Where the items of a reply begin and end, in pairs. The reply is known to be JSON; its texts are skipped, not read. */
export function itemOffsets(reply: string): Uint32Array {
  const offsets: number[] = [];
  let depth = 0;
  let inItems = false;
  for (let at = 0; at < reply.length; at++) {
    const character = reply.charCodeAt(at);
    if (character === QUOTE) {
      const end = endOfText(reply, at);
      if (depth === 1) inItems = end - at === 6 && reply.startsWith('Items', at + 1);
      at = end;
    } else if (character === 0x7b || character === 0x5b) {
      if (depth === 2 && inItems) offsets.push(at);
      depth++;
    } else if (character === 0x7d || character === 0x5d) {
      depth--;
      if (depth === 2 && inItems) offsets.push(at + 1);
    }
  }
  return Uint32Array.from(offsets);
}
