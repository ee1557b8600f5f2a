/** What a query or scan reads: the table or one of its indexes. */
import type { TableDescription } from '../../aws/operations.ts';
import { type Item, own } from '../../values/types.ts';

export interface KeyAttribute {
  name: string;
  type: 'S' | 'N' | 'B';
}

export interface ReadTarget {
  /** '' is the table itself. */
  index: string;
  kind: 'table' | 'local' | 'global' | 'vector';
  partition: KeyAttribute[];
  sort: KeyAttribute[];
  /** ALL, KEYS_ONLY, INCLUDE; of the table ALL. */
  projection: string;
  status?: string;
  /** Of a vector index. */
  vector?: { attribute: string; dimensions: number; distance: string; filters: KeyAttribute[] };
}

/** The table and the indexes that Query and Scan read. */
export function targetsOf(table: TableDescription): ReadTarget[] {
  const types = new Map(table.AttributeDefinitions?.map((each) => [each.AttributeName, each.AttributeType]));
  const target = (
    index: string,
    kind: ReadTarget['kind'],
    of: { KeySchema?: { AttributeName?: string; KeyType?: string }[]; Projection?: { ProjectionType?: string }; IndexStatus?: string },
  ): ReadTarget => {
    const keys = (keyType: string) =>
      (of.KeySchema ?? [])
        .filter((each) => each.KeyType === keyType)
        .map((each) => ({ name: each.AttributeName!, type: (types.get(each.AttributeName) ?? 'S') as KeyAttribute['type'] }));
    return { index, kind, partition: keys('HASH'), sort: keys('RANGE'), projection: of.Projection?.ProjectionType ?? 'ALL', status: of.IndexStatus };
  };
  return [
    target('', 'table', table),
    ...(table.LocalSecondaryIndexes ?? []).map((each) => target(each.IndexName!, 'local', each as never)),
    ...(table.GlobalSecondaryIndexes ?? []).map((each) => target(each.IndexName!, 'global', each as never)),
  ];
}

/** The indexes that SearchVectors reads. */
export function vectorTargets(table: TableDescription): ReadTarget[] {
  const types = new Map(table.AttributeDefinitions?.map((each) => [each.AttributeName, each.AttributeType]));
  return (table.VectorIndexes ?? []).map((index) => {
    const attributes = (element: string) =>
      (index.SearchSchema ?? [])
        .filter((each) => each.SearchSchemaElementType === element)
        .map((each) => ({ name: each.AttributeName!, type: (types.get(each.AttributeName) ?? 'S') as KeyAttribute['type'] }));
    return {
      index: index.IndexName!,
      kind: 'vector',
      partition: attributes('HASH'),
      sort: [],
      projection: index.Projection?.ProjectionType ?? 'ALL',
      status: index.IndexStatus,
      vector: {
        attribute: index.VectorAttribute?.AttributeName ?? '',
        dimensions: index.Dimensions ?? 0,
        distance: (index.DistanceFunction ?? '').toLowerCase().replace('_', ' '),
        filters: attributes('INLINE_FILTER'),
      },
    };
  });
}

/** The key attributes of the table's items. */
export function keyAttributes(table: TableDescription): KeyAttribute[] {
  const { partition, sort } = targetsOf(table)[0]!;
  return [...partition, ...sort];
}

/** The key of an item, or undefined if it lacks a part, as after a projection without it. */
export function keyOf(item: Item, attributes: KeyAttribute[]): Item | undefined {
  const key = Object.create(null) as Item;
  for (const { name } of attributes) {
    const value = own(item, name);
    if (!value) return undefined;
    key[name] = value;
  }
  return key;
}
