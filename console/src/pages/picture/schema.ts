/** What a picture knows of a table, whether it is live or a model's. */
import { type AttributeValue, canonical, type Item, own, summary, typeOf } from '../../values/index.ts';

export interface Keys {
  partition: string[];
  sort: string[];
}

export interface PictureIndex {
  name: string;
  keys: Keys;
  /** Attributes beside the keys; 'ALL' projects every one. */
  projected: 'ALL' | string[];
}

export interface Facet {
  name: string;
  /** Primary keys of its items, as idOf() has them. */
  ids: ReadonlySet<string>;
}

export interface PictureTable {
  name: string;
  keys: Keys;
  indexes: PictureIndex[];
  ttl?: string;
  facets?: Facet[];
}

interface Description {
  TableName?: string;
  KeySchema?: { AttributeName?: string; KeyType?: string }[];
  GlobalSecondaryIndexes?: IndexDescription[];
  LocalSecondaryIndexes?: IndexDescription[];
}

interface IndexDescription {
  IndexName?: string;
  KeySchema?: { AttributeName?: string; KeyType?: string }[];
  Projection?: { ProjectionType?: string; NonKeyAttributes?: string[] };
}

function keysOf(schema: Description['KeySchema']): Keys {
  const of = (type: string) => (schema ?? []).filter((each) => each.KeyType === type).map((each) => each.AttributeName!);
  return { partition: of('HASH'), sort: of('RANGE') };
}

/** A table as DescribeTable or CreateTable has it. */
export function pictureTable(table: Description, ttl?: string): PictureTable {
  return {
    name: table.TableName ?? '',
    keys: keysOf(table.KeySchema),
    ttl,
    indexes: [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])].map((index) => ({
      name: index.IndexName!,
      keys: keysOf(index.KeySchema),
      projected: index.Projection?.ProjectionType === 'ALL' ? 'ALL' : (index.Projection?.NonKeyAttributes ?? []),
    })),
  };
}

/** The keys by which a pane is grouped: an index's, or the table's own. */
export function keysIn(table: PictureTable, index: string | undefined): Keys {
  return table.indexes.find((each) => each.name === index)?.keys ?? table.keys;
}

function keyPart(value: AttributeValue | undefined): string {
  if (!value) return '';
  const text = 'N' in value ? canonical(value) : typeOf(value) + summary(value);
  return `${text.length}:${text}`;
}

/** The same text for the same values of these attributes. */
export function groupOf(item: Item, attributes: string[]): string {
  if (attributes.length === 1) return keyPart(own(item, attributes[0]!));
  return attributes.map((each) => keyPart(own(item, each))).join('');
}

/** An item's primary key as text: names it in all panes. */
export function idOf(item: Item, table: PictureTable): string {
  return groupOf(item, table.keys.partition) + groupOf(item, table.keys.sort);
}

/** What a key looks like in a picture; several attributes are separated by a slash. */
export function keyText(item: Item, attributes: string[]): string {
  return attributes
    .map((each) => own(item, each))
    .map((value) => (value ? summary(value) : ''))
    .join(' / ');
}

/** Whether an index holds this item: it must have all of the index's keys. */
export function isIndexed(item: Item, index: PictureIndex): boolean {
  return [...index.keys.partition, ...index.keys.sort].every((each) => {
    const value = own(item, each);
    return value !== undefined && 'SNB'.includes(typeOf(value));
  });
}

/** Whether an index carries an attribute. */
export function isProjected(name: string, table: PictureTable, index: PictureIndex): boolean {
  if (index.projected === 'ALL' || index.projected.includes(name)) return true;
  return [table.keys, index.keys].some((keys) => keys.partition.includes(name) || keys.sort.includes(name));
}
