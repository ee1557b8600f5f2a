/** The design of a model's table: keys, capacity, indexes, facets, attributes. Applied as one change, which undo takes back. */
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { CodeBlock, RequestPreview } from '../../components/index.ts';
import { printJson } from '../../values/json.ts';
import { TYPE_NAMES, TYPES, type TypeTag } from '../../values/types.ts';
import { CapacityPair, MODES } from '../tables/capacity_fields.tsx';
import { NameField, ProjectionFields } from '../tables/index_fields.tsx';
import { KeyField, KeyFields } from '../tables/key_fields.tsx';
import { applyDraft, type Draft, type DraftFacet, type DraftIndex, faultOf, otherMembers, tableOfDraft } from './draft.ts';
import { withTable } from './edit.ts';
import { list, type Model } from './file.ts';
import { createTableInput } from './tables.ts';
import type { JsonObject } from '../../values/json.ts';

interface Props {
  model: Model;
  place: number;
  /** Kept by the editor: a look at the picture loses nothing. */
  draft: Draft;
  /** undefined: the table as it is. */
  onDraft: (draft: Draft | undefined) => void;
  dirty: boolean;
  onChange: (edit: (model: Model) => Model) => boolean;
  onRenamed: (name: string) => void;
}

const ATTRIBUTE_TYPES = TYPES.map((value) => ({ value, label: TYPE_NAMES[value] }));

export function DesignForm({ model, place, draft, onDraft, dirty, onChange, onRenamed }: Props) {
  const table = model.tables[place]!;
  const tree = list(model.tree.DataModel)[place] as JsonObject;
  const fault = faultOf(draft);
  const others = otherMembers(tree);
  const set = (part: Partial<Draft>) => onDraft({ ...draft, ...part });
  const replace = <Each,>(all: Each[], at: number, part: Partial<Each>) => all.map((each, index) => (index === at ? { ...each, ...part } : each));
  const remove = <Each,>(all: Each[], at: number) => all.filter((_, index) => index !== at);
  const setIndex = (at: number, part: Partial<DraftIndex>) => set({ indexes: replace(draft.indexes, at, part) });
  const setFacet = (at: number, part: Partial<DraftFacet>) => set({ facets: replace(draft.facets, at, part) });
  const apply = () => {
    if (!onChange((before) => withTable(before, place, (each) => applyDraft(each, draft, before.tables[place]!)))) return;
    onDraft(undefined);
    if (draft.name.trim() !== table.name) onRenamed(draft.name.trim());
  };
  return (
    <SpaceBetween size="m">
      <Container header={<Header variant="h2">Table</Header>}>
        <div className="two">
          <FormField label="Table name">
            <Input value={draft.name} spellcheck={false} onChange={({ detail }) => set({ name: detail.value })} />
          </FormField>
          <FormField label="Capacity mode">
            <Select
              selectedOption={MODES.find((each) => each.value === draft.billing)!}
              options={MODES}
              onChange={({ detail }) => set({ billing: detail.selectedOption.value as Draft['billing'] })}
            />
          </FormField>
          <FormField label="Partition key">
            <KeyField label="Partition key" value={draft.partition} onChange={(partition) => set({ partition })} />
          </FormField>
          <FormField label={<>Sort key <i>– optional</i></>}>
            <KeyField label="Sort key" value={draft.sort} onChange={(sort) => set({ sort })} />
          </FormField>
        </div>
        {draft.billing === 'PROVISIONED' && (
          <div className="model-capacity">
            <CapacityPair value={draft.capacity} read="Read units a second" write="Write units a second" onChange={(capacity) => set({ capacity })} />
          </div>
        )}
      </Container>
      <Section
        title="Global indexes"
        count={draft.indexes.length}
        adds="Index"
        onAdd={() => set({ indexes: [...draft.indexes, { name: `GSI${draft.indexes.length + 1}`, partition: [{ name: '', type: 'S' }], sort: [], projection: 'ALL', included: '' }] })}
      >
        {draft.indexes.map((index, at) => (
          <Part key={at} label={`Index ${index.name}`} onRemove={() => set({ indexes: remove(draft.indexes, at) })}>
            <div className="two">
              <NameField value={index.name} onChange={(name) => setIndex(at, { name })} />
              <ProjectionFields value={index} onChange={({ projection, included }) => setIndex(at, { projection, included })} />
            </div>
            <div className="two">
              <FormField label="Partition key" description="Up to four attributes; a Query gives all of them.">
                <KeyFields label="Partition key" values={index.partition} least={1} onChange={(partition) => setIndex(at, { partition })} />
              </FormField>
              <FormField label={<>Sort key <i>– optional</i></>} description="Up to four attributes, in order.">
                <KeyFields label="Sort key" values={index.sort} onChange={(sort) => setIndex(at, { sort })} />
              </FormField>
            </div>
          </Part>
        ))}
      </Section>
      <Section
        title="Facets"
        count={draft.facets.length}
        description="What an entity calls the keys, and which attributes it has."
        adds="Facet"
        onAdd={() => set({ facets: [...draft.facets, { name: '', partitionAlias: '', sortAlias: '', attributes: '' }] })}
      >
        {draft.facets.map((facet, at) => (
          <Part key={at} label={`Facet ${facet.name}`} onRemove={() => set({ facets: remove(draft.facets, at) })}>
            <div className="two">
              <TextField label="Facet name" value={facet.name} onChange={(name) => setFacet(at, { name })} />
              <TextField label="Attributes" description="Names, separated by commas." value={facet.attributes} onChange={(attributes) => setFacet(at, { attributes })} />
              <TextField label="Partition key alias" value={facet.partitionAlias} onChange={(partitionAlias) => setFacet(at, { partitionAlias })} />
              <TextField label="Sort key alias" value={facet.sortAlias} onChange={(sortAlias) => setFacet(at, { sortAlias })} />
            </div>
          </Part>
        ))}
      </Section>
      <Section title="Attributes besides the keys" count={draft.attributes.length} adds="Attribute" onAdd={() => set({ attributes: [...draft.attributes, { name: '', type: 'S' }] })}>
        <div className="attribute-list">
          {draft.attributes.map((attribute, at) => (
            <div className="attribute-row" key={at}>
              <Input value={attribute.name} spellcheck={false} ariaLabel={`Name of attribute ${at + 1}`} onChange={({ detail }) => set({ attributes: replace(draft.attributes, at, { name: detail.value }) })} />
              <Select
                ariaLabel={`Type of attribute ${at + 1}`}
                selectedOption={ATTRIBUTE_TYPES.find((each) => each.value === attribute.type)!}
                options={ATTRIBUTE_TYPES}
                onChange={({ detail }) => set({ attributes: replace(draft.attributes, at, { type: detail.selectedOption.value as TypeTag }) })}
              />
              <Button variant="icon" iconName="close" ariaLabel={`Remove attribute ${attribute.name}`} onClick={() => set({ attributes: remove(draft.attributes, at) })} />
            </div>
          ))}
        </div>
      </Section>
      {Object.keys(others).length > 0 && (
        <ExpandableSection headerText="Other members of the file" headerDescription="They are kept as they are.">
          <CodeBlock text={printJson(others)} label="Other members of the file" height="short" />
        </ExpandableSection>
      )}
      {!fault && <RequestPreview folded request={{ operation: 'CreateTable', input: createTableInput(tableOfDraft(draft, table)) }} />}
      <div className="model-apply">
        <FormField errorText={fault} constraintText={dirty && !fault ? 'These changes are not in the model yet.' : undefined}>
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="primary" disabled={!!fault || !dirty} onClick={apply}>
              Apply
            </Button>
            <Button disabled={!dirty} onClick={() => onDraft(undefined)}>
              Reset
            </Button>
          </SpaceBetween>
        </FormField>
      </div>
    </SpaceBetween>
  );
}

function TextField({ label, description, value, onChange }: { label: string; description?: string; value: string; onChange: (value: string) => void }) {
  return (
    <FormField label={label} description={description}>
      <Input value={value} spellcheck={false} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}

/** One index or facet, with a button that removes it. */
function Part({ label, onRemove, children }: { label: string; onRemove: () => void; children: ReactNode }) {
  return (
    <div className="model-part" role="group" aria-label={label}>
      {children}
      <span className="model-part-remove">
        <Button variant="icon" iconName="remove" ariaLabel={`Remove ${label[0]!.toLowerCase()}${label.slice(1)}`} onClick={onRemove} />
      </span>
    </div>
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
  const add = (
    <Button iconName="add-plus" onClick={onAdd}>
      {adds}
    </Button>
  );
  return (
    <Container
      header={
        <Header variant="h2" counter={`(${count})`} description={description} actions={add}>
          {title}
        </Header>
      }
    >
      {children}
    </Container>
  );
}
