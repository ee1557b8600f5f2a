import Multiselect from '@cloudscape-design/components/multiselect';

/** The table, among the names of indexes. */
export const NAMED_TABLE = '(table)';

const labelOf = (name: string) => (name === NAMED_TABLE ? 'The table' : `Index ${name}`);

interface Props {
  /** Names of indexes, or NAMED_TABLE. */
  choices: string[];
  shown: string[];
  /** The names, one a line, as the address has them. */
  onChange: (names: string) => void;
}

/** Chooses the panes that are shown beside the first. */
export function Beside({ choices, shown, onChange }: Props) {
  if (!choices.length) return null;
  const option = (value: string) => ({ value, label: labelOf(value) });
  return (
    <div className="pic-beside">
      <Multiselect
        ariaLabel="Shown beside"
        placeholder="Show indexes"
        inlineTokens
        selectedOptions={shown.map(option)}
        options={choices.map(option)}
        onChange={({ detail }) => onChange(detail.selectedOptions.map((each) => each.value!).join('\n'))}
      />
    </div>
  );
}
