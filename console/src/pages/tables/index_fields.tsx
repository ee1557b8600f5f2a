/** The fields of one index: global, local or of vectors. */
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { CapacityFields } from './capacity_fields.tsx';
import type { IndexForm, KeyAttribute, TableForm, VectorForm } from './form.ts';
import { KeyField, KeyFields } from './key_fields.tsx';

const PROJECTIONS = [
  { value: 'ALL', label: 'All attributes' },
  { value: 'KEYS_ONLY', label: 'Keys only' },
  { value: 'INCLUDE', label: 'Keys and chosen attributes' },
] as const;

const DISTANCES = [
  { value: 'COSINE', label: 'Cosine' },
  { value: 'EUCLIDEAN', label: 'Euclidean' },
  { value: 'DOT_PRODUCT', label: 'Dot product' },
] as const;

interface Projected {
  projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  included: string;
}

export function ProjectionFields<Form extends Projected>({ value, onChange }: { value: Form; onChange: (value: Form) => void }) {
  return (
    <>
      <FormField label="Projected attributes">
        <Select
          selectedOption={PROJECTIONS.find((each) => each.value === value.projection)!}
          options={PROJECTIONS}
          onChange={({ detail }) => onChange({ ...value, projection: detail.selectedOption.value as Form['projection'] })}
        />
      </FormField>
      {value.projection === 'INCLUDE' && (
        <FormField label="Chosen attributes" description="Names, separated by commas.">
          <Input value={value.included} spellcheck={false} onChange={({ detail }) => onChange({ ...value, included: detail.value })} />
        </FormField>
      )}
    </>
  );
}

export function NameField({ value, onChange, errorText }: { value: string; onChange: (name: string) => void; errorText?: string }) {
  return (
    <FormField label="Index name" errorText={errorText}>
      <Input autoFocus={!value} value={value} spellcheck={false} autoComplete={false} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}

interface GlobalProps {
  value: IndexForm;
  onChange: (value: IndexForm) => void;
  billing: TableForm['billing'];
  errorText?: string;
}

export function GlobalIndexFields({ value, onChange, billing, errorText }: GlobalProps) {
  return (
    <SpaceBetween size="m">
      <NameField value={value.name} errorText={errorText} onChange={(name) => onChange({ ...value, name })} />
      <div className="two">
        <FormField label="Partition key" description="Up to four attributes; a Query gives all of them.">
          <KeyFields
            label="Partition key"
            values={value.partition}
            least={1}
            onChange={(partition) => onChange({ ...value, partition })}
          />
        </FormField>
        <FormField label={<>Sort key <i>– optional</i></>} description="Up to four attributes, in order.">
          <KeyFields label="Sort key" values={value.sort} onChange={(sort) => onChange({ ...value, sort })} />
        </FormField>
      </div>
      <div className="two">
        <ProjectionFields value={value} onChange={onChange} />
      </div>
      <CapacityFields value={value} billing={billing} onChange={(change) => onChange({ ...value, ...change })} />
    </SpaceBetween>
  );
}

interface LocalProps {
  value: IndexForm;
  onChange: (value: IndexForm) => void;
  errorText?: string;
}

export function LocalIndexFields({ value, onChange, errorText }: LocalProps) {
  const sort: KeyAttribute = value.sort[0] ?? { name: '', type: 'S' };
  return (
    <SpaceBetween size="m">
      <NameField value={value.name} errorText={errorText} onChange={(name) => onChange({ ...value, name })} />
      <div className="two">
        <FormField label="Sort key" description="The partition key is the table’s.">
          <KeyField label="Sort key" value={sort} onChange={(next) => onChange({ ...value, sort: [next] })} />
        </FormField>
        <ProjectionFields value={value} onChange={onChange} />
      </div>
    </SpaceBetween>
  );
}

interface VectorProps {
  value: VectorForm;
  onChange: (value: VectorForm) => void;
  errorText?: string;
}

export function VectorIndexFields({ value, onChange, errorText }: VectorProps) {
  return (
    <SpaceBetween size="m">
      <NameField value={value.name} errorText={errorText} onChange={(name) => onChange({ ...value, name })} />
      <div className="two">
        <FormField label="Vector attribute">
          <Input value={value.attribute} spellcheck={false} onChange={({ detail }) => onChange({ ...value, attribute: detail.value })} />
        </FormField>
        <FormField label="Dimensions">
          <Input type="number" value={value.dimensions} onChange={({ detail }) => onChange({ ...value, dimensions: detail.value })} />
        </FormField>
        <FormField label="Distance">
          <Select
            selectedOption={DISTANCES.find((each) => each.value === value.distance)!}
            options={DISTANCES}
            onChange={({ detail }) => onChange({ ...value, distance: detail.selectedOption.value as VectorForm['distance'] })}
          />
        </FormField>
      </div>
      <div className="two">
        <FormField label={<>Partition attribute <i>– optional</i></>} description="Every search names its value.">
          <KeyField label="Partition attribute" value={value.partition} onChange={(partition) => onChange({ ...value, partition })} />
        </FormField>
        <FormField label={<>Filters <i>– optional</i></>} description="Attributes that a search may compare.">
          <KeyFields label="Filter" most={18} values={value.filters} onChange={(filters) => onChange({ ...value, filters })} />
        </FormField>
      </div>
      <div className="two">
        <ProjectionFields value={value} onChange={onChange} />
      </div>
    </SpaceBetween>
  );
}
