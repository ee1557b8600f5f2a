/** Entity types of items: which there are, their colours and letters. */
import { type Item, own, typeOf } from '../../values/index.ts';
import { firstPart } from './prefix.ts';
import { idOf, keyText, type PictureTable } from './schema.ts';
import { oneLine } from './text.ts';

/** Okabe and Ito's colours, which the colour-blind tell apart. */
export const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#999999'] as const;
const GUESSES = ['type', 'entityType', '_type', '__typename', 'entity', 'entity_type', 'EntityType', 'Entity', 'Type'];

export interface EntityType {
  name: string;
  letter: string;
  colour: string;
  count: number;
}

export interface EntityTypes {
  list: EntityType[];
  /** The place in `list` of an item's type. */
  of: (item: Item) => number;
}

function attributeType(item: Item, chosen: string | undefined): string | undefined {
  for (const name of chosen ? [chosen] : GUESSES) {
    const value = own(item, name);
    if (value && typeOf(value) === 'S') return (value as { S: string }).S;
  }
  return undefined;
}

function nameOf(item: Item, table: PictureTable, chosen: string | undefined): string {
  const facet = table.facets?.find((each) => each.ids.has(idOf(item, table)));
  if (facet) return facet.name;
  const part = attributeType(item, chosen) || (firstPart(keyText(item, table.keys.sort)) ?? firstPart(keyText(item, table.keys.partition)));
  if (part) return oneLine(part);
  const keys = new Set([...table.keys.partition, ...table.keys.sort]);
  const names = Object.keys(item).filter((each) => !keys.has(each)).sort();
  return names.length ? names.slice(0, 3).map((each) => oneLine(each)).join(', ') + (names.length > 3 ? ', …' : '') : 'Keys only';
}

function letterOf(name: string, taken: Set<string>): string {
  const letters = name.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
  for (const letter of [...letters, ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']) {
    if (!taken.has(letter)) return letter;
  }
  return '?';
}

/**
 * The types of these items, in the order in which they appear. Names beyond the eighth share the last colour.
 * `chosen` is the attribute that holds the type; without it, usual names are tried.
 */
export function entityTypes(items: Item[], table: PictureTable, chosen?: string): EntityTypes {
  const list: EntityType[] = [];
  const places = new Map<string, number>();
  const byItem = new Map<string, number>();
  const taken = new Set<string>();
  for (const item of items) {
    const name = nameOf(item, table, chosen);
    let place = places.get(name);
    if (place === undefined) {
      place = list.length < COLOURS.length - 1 ? list.length : COLOURS.length - 1;
      if (place === list.length) {
        const letter = letterOf(name, taken);
        taken.add(letter);
        list.push({ name, letter, colour: COLOURS[place]!, count: 0 });
      } else if (places.size === COLOURS.length) list[place] = { ...list[place]!, name: 'Others', letter: '…' };
      places.set(name, place);
    }
    list[place]!.count++;
    byItem.set(idOf(item, table), place);
  }
  return { list, of: (item) => byItem.get(idOf(item, table)) ?? places.get(nameOf(item, table, chosen)) ?? 0 };
}
