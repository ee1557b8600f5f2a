import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { TYPE_NAMES, TYPES, type TypeTag } from '../../values/types.ts';
import type { JsonObject } from '../../values/json.ts';
import {
  facetTree, indexTree, type KeyAttribute, keyTree, type Model, type ModelFacet, type ModelIndex, type ModelKeys, type ModelTable, setAttributes, setList, withMember, withTable,
} from './file.ts';
import { RequestPreview } from '../../components/index.ts';
import { createTableInput } from './tables.ts';

interface Props {
  model: Model;
  place: number;
  onChange: (edit: (model: Model) => Model) => boolean;
  onRenamed: (name: string) => void;
}

type Draft = Pick<ModelTable, 'name' | 'keys' | 'attributes'> & {
  indexes: (ModelIndex & { was?: number })[];
  facets: (Omit<ModelFacet, 'items'> & { was?: number })[];
};

const KEY_TYPES: KeyAttribute['type'][] = ['S', 'N', 'B'];
const PROJECTIONS = [
  { value: 'ALL', label: 'All attributes' },
  { value: 'KEYS_ONLY', label: 'Keys' },
  { value: 'INCLUDE', label: 'Chosen ones' },
];
const names = (text: string) => text.split(',').map((each) => each.trim()).filter(Boolean);

/** What keeps a draft from being a table, or undefined. */
function faultOf(draft: Draft): string | undefined {
  if (!/^[A-Za-z0-9_.-]{3,255}$/.test(draft.name)) return 'A table’s name has 3 to 255 letters, digits, and the characters _ - .';
  for (const [what, keys] of [['the table', draft.keys], ...draft.indexes.map((each) => [`index ${each.name}`, each.keys] as const)] as const) {
    if (!keys.partition.name || (keys.sort && !keys.sort.name)) return `A key attribute of ${what} has no name.`;
    if (keys.sort?.name === keys.partition.name) return `Both keys of ${what} are the same attribute.`;
  }
  const types = new Map<string, string>();
  for (const key of [draft.keys, ...draft.indexes.map((each) => each.keys)].flatMap((keys) => [keys.partition, keys.sort])) {
    if (!key) continue;
    if ((types.get(key.name) ?? key.type) !== key.type) return `The key attribute ${key.name} has two types.`;
    types.set(key.name, key.type);
  }
  const indexes = draft.indexes.map((each) => each.name);
  if (indexes.some((each) => !/^[A-Za-z0-9_.-]{3,255}$/.test(each))) return 'An index’s name has 3 to 255 letters, digits, and the characters _ - .';
  if (new Set(indexes).size < indexes.length) return 'Two indexes have the same name.';
  if (draft.facets.some((each) => !each.name.trim())) return 'A facet has no name.';
  return undefined;
}

function draftOf(table: ModelTable): Draft {
  return {
    name: table.name,
    keys: table.keys,
    attributes: table.attributes,
    indexes: table.indexes.map((each, was) => ({ ...each, was })),
    facets: table.facets.map(({ items: _, ...each }, was) => ({ ...each, was })),
  };
}

/** Writes a draft into the file's table; members that are not in the form stay. */
function apply(tree: JsonObject, draft: Draft): JsonObject {
  const old = (name: string, was: number | undefined) => (was === undefined ? undefined : ((tree[name] as JsonObject[] | undefined) ?? [])[was]);
  let next = withMember(tree, 'TableName', draft.name);
  next = withMember(next, 'KeyAttributes', keyTree(draft.keys, tree.KeyAttributes));
  next = setAttributes(next, draft.attributes.filter((each) => each.name));
  next = setList(next, 'GlobalSecondaryIndexes', draft.indexes.map((each) => indexTree(each, old('GlobalSecondaryIndexes', each.was))));
  return setList(next, 'TableFacets', draft.facets.map((each) => facetTree(each, old('TableFacets', each.was))));
}

export function DesignForm({ model, place, onChange, onRenamed }: Props) {
  const table = model.tables[place]!;
  const [draft, setDraft] = useState(() => draftOf(table));
  const fault = faultOf(draft);
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const setIndex = (at: number, part: Partial<ModelIndex>) => set({ indexes: draft.indexes.map((each, index) => (index === at ? { ...each, ...part } : each)) });
  const setFacet = (at: number, part: Partial<ModelFacet>) => set({ facets: draft.facets.map((each, index) => (index === at ? { ...each, ...part } : each)) });
  const save = () => {
    if (onChange((before) => withTable(before, place, (tree) => apply(tree, draft))) && draft.name !== table.name) onRenamed(draft.name);
  };
  const remove = <Each,>(list: Each[], at: number) => list.filter((_, index) => index !== at);
  return (
    <SpaceBetween size="m">
      <Container header={<Header variant="h2">Table</Header>}>
        <SpaceBetween size="s">
          <FormField label="Table name">
            <Input value={draft.name} onChange={({ detail }) => set({ name: detail.value })} />
          </FormField>
          <KeyFields keys={draft.keys} onChange={(keys) => set({ keys })} />
        </SpaceBetween>
      </Container>
      <Section title="Global indexes" count={draft.indexes.length} adds="Index" onAdd={() => set({ indexes: [...draft.indexes, { name: `GSI${draft.indexes.length + 1}`, keys: { partition: { name: '', type: 'S' } }, projection: 'ALL', included: [] }] })}>
        {draft.indexes.map((index, at) => (
          <div className="index-row" key={at} role="group" aria-label={`Index ${index.name}`}>
            <FormField label="Index name">
              <Input value={index.name} onChange={({ detail }) => setIndex(at, { name: detail.value })} />
            </FormField>
            <SpaceBetween size="xs">
              <KeyFields keys={index.keys} onChange={(keys) => setIndex(at, { keys })} />
              <div className="key-row">
                <FormField label="Projected">
                  <Select
                    selectedOption={PROJECTIONS.find((each) => each.value === index.projection)!}
                    options={PROJECTIONS}
                    onChange={({ detail }) => setIndex(at, { projection: detail.selectedOption.value as ModelIndex['projection'] })}
                  />
                </FormField>
                <span />
                {index.projection === 'INCLUDE' && (
                  <FormField label="Attributes, with commas between">
                    <Input value={index.included.join(', ')} onChange={({ detail }) => setIndex(at, { included: names(detail.value) })} />
                  </FormField>
                )}
              </div>
            </SpaceBetween>
            <Button variant="icon" iconName="remove" ariaLabel={`Remove index ${index.name}`} onClick={() => set({ indexes: remove(draft.indexes, at) })} />
          </div>
        ))}
      </Section>
      <Section title="Facets" count={draft.facets.length} description="What an entity calls the keys, and which attributes it has." adds="Facet" onAdd={() => set({ facets: [...draft.facets, { name: '', partitionAlias: '', attributes: [] }] })}>
        {draft.facets.map((facet, at) => (
          <div className="facet-row" key={at} role="group" aria-label={`Facet ${facet.name}`}>
            <FormField label="Facet name">
              <Input value={facet.name} onChange={({ detail }) => setFacet(at, { name: detail.value })} />
            </FormField>
            <FormField label="Partition key alias">
              <Input value={facet.partitionAlias} onChange={({ detail }) => setFacet(at, { partitionAlias: detail.value })} />
            </FormField>
            <FormField label="Sort key alias">
              <Input value={facet.sortAlias ?? ''} onChange={({ detail }) => setFacet(at, { sortAlias: detail.value || undefined })} />
            </FormField>
            <FormField label="Attributes, with commas between">
              <Input value={facet.attributes.join(', ')} onChange={({ detail }) => setFacet(at, { attributes: names(detail.value) })} />
            </FormField>
            <Button variant="icon" iconName="remove" ariaLabel={`Remove facet ${facet.name}`} onClick={() => set({ facets: remove(draft.facets, at) })} />
          </div>
        ))}
      </Section>
      <Section title="Attributes beside the keys" count={draft.attributes.length} adds="Attribute" onAdd={() => set({ attributes: [...draft.attributes, { name: '', type: 'S' }] })}>
        <div className="attribute-list">
          {draft.attributes.map((attribute, at) => {
            const change = (part: Partial<typeof attribute>) => set({ attributes: draft.attributes.map((each, index) => (index === at ? { ...each, ...part } : each)) });
            return (
              <div className="attribute-row" key={at}>
                <Input value={attribute.name} ariaLabel={`Name of attribute ${at + 1}`} onChange={({ detail }) => change({ name: detail.value })} />
                <TypeSelect value={attribute.type} types={[...TYPES]} label={`Type of attribute ${at + 1}`} onChange={(type) => change({ type })} />
                <Button variant="icon" iconName="close" ariaLabel={`Remove attribute ${attribute.name}`} onClick={() => set({ attributes: remove(draft.attributes, at) })} />
              </div>
            );
          })}
        </div>
      </Section>
      <FormField errorText={fault}>
        <SpaceBetween direction="horizontal" size="xs">
          <Button variant="primary" disabled={!!fault} onClick={save}>
            Apply
          </Button>
          <Button onClick={() => setDraft(draftOf(table))}>Reset</Button>
        </SpaceBetween>
      </FormField>
      {!fault && <RequestPreview folded request={{ operation: 'CreateTable', input: createTableInput({ ...table, ...draft, facets: [] }) }} />}
    </SpaceBetween>
  );
}

interface SectionProps {
  title: string;
  count: number;
  description?: string;
  /** What its button adds. */
  adds: string;
  onAdd: () => void;
  children: ReactNode;
}

function Section({ title, count, description, adds, onAdd, children }: SectionProps) {
  return (
    <Container
      header={
        <Header
          variant="h2"
          counter={`(${count})`}
          description={description}
          actions={
            <Button iconName="add-plus" onClick={onAdd}>
              {adds}
            </Button>
          }
        >
          {title}
        </Header>
      }
    >
      {children}
    </Container>
  );
}

function TypeSelect<Type extends TypeTag>({ value, types, label, onChange }: { value: Type; types: Type[]; label: string; onChange: (type: Type) => void }) {
  return (
    <Select
      ariaLabel={label}
      selectedOption={{ value, label: TYPE_NAMES[value] }}
      options={types.map((each) => ({ value: each, label: TYPE_NAMES[each] }))}
      onChange={({ detail }) => onChange(detail.selectedOption.value as Type)}
    />
  );
}

function KeyFields({ keys, onChange }: { keys: ModelKeys; onChange: (keys: ModelKeys) => void }) {
  const sort = keys.sort ?? { name: '', type: 'S' as const };
  return (
    <div className="key-row">
      <FormField label="Partition key">
        <Input value={keys.partition.name} onChange={({ detail }) => onChange({ ...keys, partition: { ...keys.partition, name: detail.value } })} />
      </FormField>
      <TypeSelect value={keys.partition.type} types={KEY_TYPES} label="Partition key: type" onChange={(type) => onChange({ ...keys, partition: { ...keys.partition, type } })} />
      <FormField label="Sort key (may be empty)">
        <Input value={sort.name} onChange={({ detail }) => onChange({ ...keys, sort: detail.value ? { ...sort, name: detail.value } : undefined })} />
      </FormField>
      <TypeSelect value={sort.type} types={KEY_TYPES} label="Sort key: type" onChange={(type) => keys.sort && onChange({ ...keys, sort: { ...keys.sort, type } })} />
    </div>
  );
}
