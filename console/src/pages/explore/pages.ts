/**
 * The pages that were read, a million items without holding them all as objects: each page is its reply's text, and is
 * parsed when its rows are shown. Beyond a budget the texts farthest from what is shown are dropped; their start keys stay, so that
 * they can be read again.
 */
import type { Item } from '../../values/types.ts';

export interface PageReply {
  Items?: Item[];
  Count: number;
  ScannedCount: number;
  LastEvaluatedKey?: Item;
  ConsumedCapacity?: { CapacityUnits?: number };
}

export interface Rows {
  first: number;
  count: number;
}

interface KeptPage extends Rows {
  startKey?: Item;
  text?: string;
  items?: Item[];
}

const PARSED = 12;
const MAX_TEXT = 64 * 1024 * 1024;

export class Pages {
  private readonly pages: KeptPage[] = [];
  private parsed: KeptPage[] = [];
  private held = 0;
  private readonly maxText: number;
  count = 0;
  scanned = 0;
  units = 0;
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
    const reply = JSON.parse(text) as PageReply;
    const items = reply.Items ?? [];
    const page: KeptPage = { startKey: this.nextKey, first: this.itemCount, count: items.length, text, items };
    this.pages.push(page);
    this.count += reply.Count;
    this.scanned += reply.ScannedCount;
    this.units += reply.ConsumedCapacity?.CapacityUnits ?? 0;
    this.nextKey = reply.LastEvaluatedKey;
    this.started = true;
    this.held += text.length;
    this.used(page);
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
    const page = this.pageAt(row);
    if (!page) return undefined;
    if (!page.items) {
      if (page.text === undefined) return undefined;
      page.items = (JSON.parse(page.text) as PageReply).Items ?? [];
    }
    this.used(page);
    return page.items[row - page.first];
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
    page.items = undefined;
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

  private used(page: KeptPage): void {
    if (this.parsed[this.parsed.length - 1] === page) return;
    this.parsed = this.parsed.filter((each) => each !== page);
    this.parsed.push(page);
    while (this.parsed.length > PARSED) this.parsed.shift()!.items = undefined;
  }

  private drop(keep: KeptPage): void {
    const at = this.pages.indexOf(keep);
    for (let distance = this.pages.length; this.held > this.maxText && distance > 0; distance--) {
      for (const index of [at - distance, at + distance]) {
        const page = this.pages[index];
        if (!page || page.text === undefined || !page.count) continue;
        this.held -= page.text.length;
        page.text = undefined;
        page.items = undefined;
      }
    }
  }
}
