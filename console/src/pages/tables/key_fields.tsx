/** Fields for key attributes: a name and a type, alone or up to four in a row. */
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { KEY_TYPES } from './describe.ts';
import { type KeyAttribute, type KeyTypeTag, noKey } from './form.ts';

const TYPES = (Object.keys(KEY_TYPES) as KeyTypeTag[]).map((value) => ({ value, label: KEY_TYPES[value] }));

interface Props {
  value: KeyAttribute;
  onChange: (value: KeyAttribute) => void;
  /** 'Partition key' */
  label: string;
  placeholder?: string;
  autoFocus?: boolean;
}

export function KeyField({ value, onChange, label, placeholder }: Props) {
  return (
    <div className="key-field">
      <Input
        value={value.name}
        ariaLabel={`${label}: attribute`}
        placeholder={placeholder}
        spellcheck={false}
        autoComplete={false}
        onChange={({ detail }) => onChange({ ...value, name: detail.value })}
      />
      <Select
        selectedOption={TYPES.find((each) => each.value === value.type)!}
        options={TYPES}
        ariaLabel={`${label}: type`}
        onChange={({ detail }) => onChange({ ...value, type: detail.selectedOption.value as KeyTypeTag })}
      />
    </div>
  );
}

interface ListProps {
  values: KeyAttribute[];
  onChange: (values: KeyAttribute[]) => void;
  label: string;
  /** At least so many stay. */
  least?: number;
  most?: number;
  addText?: string;
}

export function KeyFields({ values, onChange, label, least = 0, most = 4, addText = 'Add attribute' }: ListProps) {
  const replace = (at: number, value: KeyAttribute) => onChange(values.map((each, index) => (index === at ? value : each)));
  return (
    <div className="key-fields">
      {values.map((value, at) => (
        <div className="key-line" key={at}>
          <KeyField value={value} label={values.length > 1 ? `${label} ${at + 1}` : label} onChange={(next) => replace(at, next)} />
          {values.length > least && (
            <Button
              variant="icon"
              iconName="close"
              ariaLabel={`Remove ${label} ${value.name}`}
              formAction="none"
              onClick={() => onChange(values.filter((_, index) => index !== at))}
            />
          )}
        </div>
      ))}
      {values.length < most && (
        <Button variant="inline-link" iconName="add-plus" formAction="none" onClick={() => onChange([...values, noKey()])}>
          {addText}
        </Button>
      )}
    </div>
  );
}
