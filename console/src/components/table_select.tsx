import Select from '@cloudscape-design/components/select';
import { useTables } from './tables_data.ts';

interface Props {
  value: string | undefined;
  onChange: (table: string) => void;
  ariaLabel?: string;
}

/** Chooses a table by name; typing filters. */
export function TableSelect({ value, onChange, ariaLabel = 'Table' }: Props) {
  const tables = useTables();
  const options = (tables.data ?? []).map((name) => ({ value: name, label: name }));
  return (
    <Select
      selectedOption={value ? { value, label: value } : null}
      options={options}
      filteringType={options.length > 8 ? 'auto' : 'none'}
      virtualScroll={options.length > 200}
      placeholder="Choose a table"
      ariaLabel={ariaLabel}
      statusType={tables.loading && !tables.data ? 'loading' : tables.error ? 'error' : 'finished'}
      loadingText="Listing tables"
      errorText="The tables could not be listed"
      recoveryText="Try again"
      onLoadItems={() => tables.error && tables.reload()}
      empty="No tables"
      onChange={({ detail }) => onChange(detail.selectedOption.value!)}
    />
  );
}
