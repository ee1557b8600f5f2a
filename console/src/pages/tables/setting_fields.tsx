/** Fields for settings, when a table is created and later. */
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import type { TableForm } from './form.ts';

export const STREAM_VIEWS: { value: TableForm['stream']; label: string }[] = [
  { value: '', label: 'Off' },
  { value: 'NEW_AND_OLD_IMAGES', label: 'New and old images' },
  { value: 'NEW_IMAGE', label: 'New image' },
  { value: 'OLD_IMAGE', label: 'Old image' },
  { value: 'KEYS_ONLY', label: 'Keys only' },
];

type TableClass = TableForm['tableClass'];

const CLASSES: { value: TableClass; label: string }[] = [
  { value: 'STANDARD', label: 'Standard' },
  { value: 'STANDARD_INFREQUENT_ACCESS', label: 'Standard, infrequent access' },
];

export function ClassField({ value, onChange }: { value: TableClass; onChange: (value: TableClass) => void }) {
  return (
    <FormField label="Table class">
      <Select
        selectedOption={CLASSES.find((each) => each.value === value)!}
        options={CLASSES}
        onChange={({ detail }) => onChange(detail.selectedOption.value as TableClass)}
      />
    </FormField>
  );
}

const KEYS: { value: TableForm['encryption']; label: string }[] = [
  { value: 'OWNED', label: 'Key of the service' },
  { value: 'KMS', label: 'KMS key' },
];

type Encryption = Pick<TableForm, 'encryption' | 'kmsKey'>;

interface Props {
  value: Encryption;
  errorText?: string;
  onChange: (change: Partial<Encryption>) => void;
}

export function EncryptionFields({ value, errorText, onChange }: Props) {
  return (
    <>
      <FormField label="Encryption" description="Partita stores the setting, and items unencrypted." errorText={errorText}>
        <Select
          selectedOption={KEYS.find((each) => each.value === value.encryption)!}
          options={KEYS}
          onChange={({ detail }) => onChange({ encryption: detail.selectedOption.value as TableForm['encryption'] })}
        />
      </FormField>
      {value.encryption === 'KMS' && (
        <FormField label={<>KMS key <i>– optional</i></>} description="Its ARN, id or alias. Without one, AWS’s key for DynamoDB.">
          <Input value={value.kmsKey} spellcheck={false} onChange={({ detail }) => onChange({ kmsKey: detail.value })} />
        </FormField>
      )}
    </>
  );
}
