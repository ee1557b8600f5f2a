/** What the form of a model's table holds, what is wrong with it, and how it is written into the file. */
import { type Json, isObject, JsonNumber, type JsonObject } from '../../values/json.ts';
import type { TypeTag } from '../../values/types.ts';
import { facetTree, indexTree, keyTree, setAttributes, setList } from './edit.ts';
import { allKeys, emptyObject, type KeyAttribute, list, type ModelFacet, type ModelIndex, type ModelTable, objects, text, withMember } from './file.ts';

/** `was`: its place in the file; absent for what is new. */
export interface DraftIndex {
  name: string;
  partition: KeyAttribute[];
  sort: KeyAttribute[];
  projection: ModelIndex['projection'];
  /** Names, separated by commas. */
  included: string;
  was?: number;
}

export interface DraftFacet {
  name: string;
  partitionAlias: string;
  sortAlias: string;
  /** Names, separated by commas. */
  attributes: string;
  was?: number;
}

export interface Draft {
  name: string;
  partition: KeyAttribute;
  sort: KeyAttribute;
  billing: ModelTable['billing'];
  capacity: { read: string; write: string };
  attributes: { name: string; type: TypeTag; was?: number }[];
  indexes: DraftIndex[];
  facets: DraftFacet[];
}

export const words = (names: string): string[] => names.split(',').map((each) => each.trim()).filter(Boolean);

export function draftOf(table: ModelTable): Draft {
  return {
    name: table.name,
    partition: table.keys.partition[0]!,
    sort: table.keys.sort[0] ?? { name: '', type: 'S' },
    billing: table.billing,
    capacity: table.capacity ?? { read: '1', write: '1' },
    attributes: table.attributes.map((each, was) => ({ ...each, was })),
    indexes: table.indexes.map(({ keys, included, ...each }, was) => ({ ...each, ...keys, included: included.join(', '), was })),
    facets: table.facets.map(({ items: _, sortAlias, attributes, ...each }, was) => ({ ...each, sortAlias: sortAlias ?? '', attributes: attributes.join(', '), was })),
  };
}

const named = (keys: KeyAttribute[]) => keys.filter((each) => each.name.trim()).map((each) => ({ ...each, name: each.name.trim() }));

function indexOf(draft: DraftIndex): ModelIndex {
  return { name: draft.name.trim(), keys: { partition: named(draft.partition), sort: named(draft.sort) }, projection: draft.projection, included: words(draft.included) };
}

function facetOf(draft: DraftFacet): Omit<ModelFacet, 'items'> {
  return { name: draft.name.trim(), partitionAlias: draft.partitionAlias, sortAlias: draft.sortAlias || undefined, attributes: words(draft.attributes) };
}

/** The table that a draft describes, with the items of `before`. */
export function tableOfDraft(draft: Draft, before: ModelTable): ModelTable {
  return {
    ...before,
    name: draft.name.trim(),
    keys: { partition: named([draft.partition]), sort: named([draft.sort]) },
    billing: draft.billing,
    capacity: draft.capacity,
    indexes: draft.indexes.map(indexOf),
  };
}

const NAME = /^[A-Za-z0-9_.-]{3,255}$/;

/** What keeps a draft from being a table, or undefined. */
export function faultOf(draft: Draft): string | undefined {
  if (!NAME.test(draft.name.trim())) return 'A table’s name has 3 to 255 letters, digits, and the characters _ - .';
  const indexes = draft.indexes.map(indexOf);
  if (indexes.some((each) => !NAME.test(each.name))) return 'An index’s name has 3 to 255 letters, digits, and the characters _ - .';
  if (new Set(indexes.map((each) => each.name)).size < indexes.length) return 'Two indexes have the same name.';
  const keys = { partition: named([draft.partition]), sort: named([draft.sort]) };
  const types = new Map<string, string>();
  for (const [what, each] of [['The table', keys], ...indexes.map((index) => [`Index ${index.name}`, index.keys] as const)] as const) {
    if (!each.partition.length) return `${what} needs a partition key.`;
    const all = allKeys(each);
    const twice = all.find((key, at) => all.findIndex((other) => other.name === key.name) < at);
    if (twice) return `${what} has the key attribute ${twice.name} twice.`;
    for (const key of all) {
      if ((types.get(key.name) ?? key.type) !== key.type) return `The key attribute ${key.name} has two types. An attribute has one type in all keys.`;
      types.set(key.name, key.type);
    }
  }
  const attributes = draft.attributes.map((each) => each.name.trim()).filter(Boolean);
  const twice = attributes.find((each, at) => attributes.indexOf(each) < at);
  if (twice) return `The attribute ${twice} is listed twice.`;
  if (draft.facets.some((each) => !each.name.trim())) return 'A facet has no name.';
  if (draft.billing === 'PROVISIONED' && ![draft.capacity.read, draft.capacity.write].every((each) => /^[1-9]\d{0,11}$/.test(each))) return 'Capacity is a whole number from 1.';
  return undefined;
}

/** Attributes with another name: old → new. A name that the table already has takes nothing over. */
function renames(draft: Draft, before: ModelTable): Map<string, string> {
  const taken = new Set([...allKeys(before.keys), ...before.attributes].map((each) => each.name));
  const pairs = [
    [before.keys.partition[0], draft.partition],
    [before.keys.sort[0], draft.sort],
    ...draft.attributes.map((each) => [each.was === undefined ? undefined : before.attributes[each.was], each]),
  ];
  return new Map(pairs.flatMap(([old, { name } = { name: '' }]) => (old && name.trim() && old.name !== name.trim() && !taken.has(name.trim()) ? [[old.name, name.trim()] as [string, string]] : [])));
}

function withNames(object: JsonObject, names: Map<string, string>): JsonObject {
  return emptyObject(Object.keys(object).map((each) => [names.get(each) ?? each, object[each]!]));
}

/** Renames attributes in sample items, so that they stay items of the table. */
function renameData(tree: JsonObject, names: Map<string, string>): JsonObject {
  const inItems = (object: JsonObject) =>
    Array.isArray(object.TableData) ? withMember(object, 'TableData', object.TableData.map((each) => (isObject(each) ? withNames(each, names) : each))) : object;
  let result = inItems(tree);
  if (isObject(tree.SampleDataFormats)) result = withMember(result, 'SampleDataFormats', withNames(tree.SampleDataFormats, names));
  return Array.isArray(tree.TableFacets) ? withMember(result, 'TableFacets', tree.TableFacets.map((each) => (isObject(each) ? inItems(each) : each))) : result;
}

const renamed = (text: string, names: Map<string, string>) => words(text).map((each) => names.get(each) ?? each).join(', ');

function capacityTree(tree: JsonObject, { read, write }: Draft['capacity']): JsonObject {
  const settings = isObject(tree.ProvisionedCapacitySettings) ? tree.ProvisionedCapacitySettings : emptyObject();
  let units = isObject(settings.ProvisionedThroughput) ? settings.ProvisionedThroughput : emptyObject();
  units = withMember(withMember(units, 'ReadCapacityUnits', new JsonNumber(read)), 'WriteCapacityUnits', new JsonNumber(write));
  return withMember(tree, 'ProvisionedCapacitySettings', withMember(settings, 'ProvisionedThroughput', units));
}

/** Writes a draft into the file's table; members that are not in the form stay. */
export function applyDraft(tree: JsonObject, given: Draft, before: ModelTable): JsonObject {
  const names = renames(given, before);
  const draft: Draft = {
    ...given,
    indexes: given.indexes.map((each) => ({ ...each, partition: each.partition.map((key) => ({ ...key, name: names.get(key.name) ?? key.name })), sort: each.sort.map((key) => ({ ...key, name: names.get(key.name) ?? key.name })), included: renamed(each.included, names) })),
    facets: given.facets.map((each) => ({ ...each, attributes: renamed(each.attributes, names) })),
  };
  const { name, keys } = tableOfDraft(draft, before);
  const old = (member: string, was: number | undefined) => (was === undefined ? undefined : objects(tree[member])[was]);
  let next = names.size ? renameData(tree, names) : tree;
  const facets = objects(next.TableFacets);
  next = withMember(next, 'TableName', name);
  next = withMember(next, 'KeyAttributes', keyTree(keys, tree.KeyAttributes));
  next = setAttributes(next, draft.attributes.filter((each) => each.name.trim()).map((each) => ({ ...each, name: each.name.trim() })));
  next = setList(next, 'GlobalSecondaryIndexes', draft.indexes.map((each) => indexTree(indexOf(each), old('GlobalSecondaryIndexes', each.was))));
  next = setList(next, 'TableFacets', draft.facets.map((each) => facetTree(facetOf(each), each.was === undefined ? undefined : facets[each.was])));
  if (draft.billing !== before.billing) next = withMember(next, 'BillingMode', draft.billing);
  const was = before.capacity;
  if (draft.billing === 'PROVISIONED' && (draft.capacity.read !== was?.read || draft.capacity.write !== was.write)) next = capacityTree(next, draft.capacity);
  return next;
}

const EDITED = new Set(['TableName', 'KeyAttributes', 'NonKeyAttributes', 'TableFacets', 'GlobalSecondaryIndexes', 'TableData', 'BillingMode']);

/** Members of the file that the form does not show: kept as they are. */
export function otherMembers(tree: JsonObject): JsonObject {
  const others = emptyObject(Object.keys(tree).filter((each) => !EDITED.has(each)).map((each) => [each, tree[each]!]));
  for (const each of list(tree.TableFacets)) {
    if (!isObject(each)) continue;
    const rest = Object.keys(each).filter((name) => !['FacetName', 'KeyAttributeAlias', 'NonKeyAttributes', 'TableData'].includes(name));
    if (rest.length) others[`TableFacets: ${text(each.FacetName)}`] = emptyObject(rest.map((name): [string, Json] => [name, each[name]!]));
  }
  return others;
}
