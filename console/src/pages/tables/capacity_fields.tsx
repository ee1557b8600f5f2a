import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import type { Capacity } from './form.ts';

interface Props {
  value: Capacity;
  onChange: (value: Capacity) => void;
  read: string;
  write: string;
  placeholder?: string;
}

/** Two figures side by side: for reads and for writes. */
export function CapacityFields({ value, onChange, read, write, placeholder }: Props) {
  return (
    <div className="two">
      <FormField label={read}>
        <Input type="number" inputMode="numeric" value={value.read} placeholder={placeholder} onChange={({ detail }) => onChange({ ...value, read: detail.value })} />
      </FormField>
      <FormField label={write}>
        <Input type="number" inputMode="numeric" value={value.write} placeholder={placeholder} onChange={({ detail }) => onChange({ ...value, write: detail.value })} />
      </FormField>
    </div>
  );
}
