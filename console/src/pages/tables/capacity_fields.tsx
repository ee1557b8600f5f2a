import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import type { Capacity, TableForm } from './form.ts';

interface PairProps {
  value: Capacity;
  onChange: (value: Capacity) => void;
  read: string;
  write: string;
  placeholder?: string;
}

/** Two figures side by side: for reads and for writes. */
export function CapacityPair({ value, onChange, read, write, placeholder }: PairProps) {
  return (
    <div className="two">
      {(['read', 'write'] as const).map((side) => (
        <FormField key={side} label={side === 'read' ? read : write}>
          <Input
            type="number"
            inputMode="numeric"
            value={value[side]}
            placeholder={placeholder}
            onChange={({ detail }) => onChange({ ...value, [side]: detail.value })}
          />
        </FormField>
      ))}
    </div>
  );
}

export interface Throughput {
  provisioned: Capacity;
  maximum: Capacity;
  warm: Capacity;
}

interface Props {
  value: Throughput;
  billing: TableForm['billing'];
  onChange: (change: Partial<Throughput>) => void;
  warmPlaceholder?: string;
}

/** The throughput of a table or of a global index, in the table's capacity mode. */
export function CapacityFields({ value, billing, onChange, warmPlaceholder = 'As the mode has it' }: Props) {
  return (
    <>
      {billing === 'PROVISIONED' ? (
        <CapacityPair value={value.provisioned} read="Read units a second" write="Write units a second" onChange={(provisioned) => onChange({ provisioned })} />
      ) : (
        <CapacityPair
          value={value.maximum}
          read="Most read units a second"
          write="Most write units a second"
          placeholder="No limit"
          onChange={(maximum) => onChange({ maximum })}
        />
      )}
      <ExpandableSection headerText="Warm throughput">
        <CapacityPair value={value.warm} read="Warm reads a second" write="Warm writes a second" placeholder={warmPlaceholder} onChange={(warm) => onChange({ warm })} />
      </ExpandableSection>
    </>
  );
}

export const MODES = [
  { value: 'PAY_PER_REQUEST', label: 'On demand', description: 'No capacity to plan. Limits are optional.' },
  { value: 'PROVISIONED', label: 'Provisioned', description: 'Read and write units a second.' },
];

export const CAPACITY_NOTE = 'Partita throttles requests by it if its server or the table’s tag partita:capacity says so. Otherwise it counts what DynamoDB would have throttled.';
