/** Which attributes have a column in the grid. The request stays as it is. */
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Dialog } from '../../components/index.ts';

interface Props {
  names: string[];
  /** Those of the key are always shown. */
  keys: string[];
  hidden: string[];
  onChange: (hidden: string[]) => void;
  onClose: () => void;
}

export function ColumnChooser({ names, keys, hidden, onChange, onClose }: Props) {
  const others = names.filter((name) => !keys.includes(name));
  return (
    <Dialog title="Columns" onClose={onClose} closeText="Close">
      <SpaceBetween direction="horizontal" size="xs">
        <Button onClick={() => onChange([])}>Show all</Button>
        <Button onClick={() => onChange(others)}>Show only the key</Button>
      </SpaceBetween>
      <div className="column-list" role="group" aria-label="Columns">
        {names.map((name) => (
          <Checkbox
            key={name}
            checked={!hidden.includes(name)}
            disabled={keys.includes(name)}
            onChange={({ detail }) => onChange(detail.checked ? hidden.filter((each) => each !== name) : [...hidden, name])}
          >
            {name}
          </Checkbox>
        ))}
      </div>
    </Dialog>
  );
}
