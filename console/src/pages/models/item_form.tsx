import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMemo, useState } from 'react';
import { formatBytes, TextEditor } from '../../components/index.ts';
import { type AttributeValue, emptyItem, type Item, itemSize, parseItem, printItem } from '../../values/index.ts';
import { idOf } from '../picture/schema.ts';
import { setItem, withTable } from './edit.ts';
import { allKeys, keyFault, type Model, type ModelTable, pictureOf } from './file.ts';

interface Props {
  table: ModelTable;
  place: number;
  /** The item that is changed; absent for a new one. */
  before?: Item;
  onChange: (edit: (model: Model) => Model) => boolean;
  onClose: () => void;
}

function blank(table: ModelTable): Item {
  const item = emptyItem();
  for (const key of allKeys(table.keys)) item[key.name] = { [key.type]: key.type === 'N' ? '0' : '' } as AttributeValue;
  return item;
}

/** A sample item as DynamoDB JSON. */
export function ItemForm({ table, place, before, onChange, onClose }: Props) {
  const [text, setText] = useState(() => printItem(before ?? blank(table)));
  const shape = useMemo(() => pictureOf(table), [table]);
  const parsed = useMemo((): { item?: Item; fault?: string } => {
    try {
      const item = parseItem(text);
      const fault = keyFault(item, table.keys);
      return fault ? { fault: `${fault[0]!.toUpperCase()}${fault.slice(1)}.` } : { item };
    } catch (error) {
      return { fault: (error as Error).message };
    }
  }, [text, table]);
  const id = before && idOf(before, shape);
  const other = parsed.item && idOf(parsed.item, shape) !== id && table.items.some((each) => idOf(each, shape) === idOf(parsed.item!, shape));
  const save = (item: Item | undefined, as = id) => {
    if (onChange((model) => withTable(model, place, (tree) => setItem(tree, shape, as, item)))) onClose();
  };
  return (
    <Modal
      visible
      size="large"
      header={before ? 'Sample item' : `New sample item of ${table.name}`}
      closeAriaLabel="Close"
      onDismiss={onClose}
      footer={
        <SpaceBetween direction="horizontal" size="xs">
          {before && <Button onClick={() => save(undefined)}>Delete</Button>}
          {before && (
            <Button disabled={!parsed.item || idOf(parsed.item, shape) === id} disabledReason="Change the key first." onClick={() => save(parsed.item, undefined)}>
              Save as another item
            </Button>
          )}
          <Button variant="link" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" disabled={!parsed.item} onClick={() => save(parsed.item)}>
            Save
          </Button>
        </SpaceBetween>
      }
    >
      <SpaceBetween size="s">
        <FormField label="DynamoDB JSON" stretch errorText={parsed.fault} warningText={other ? 'There is an item with this key. It will be replaced.' : undefined}>
          <TextEditor label="DynamoDB JSON" value={text} onChange={setText} rows={18} invalid={!!parsed.fault} autoFocus onRun={() => parsed.item && save(parsed.item)} />
        </FormField>
        <Box color="text-body-secondary" fontSize="body-s">
          {parsed.item ? formatBytes(itemSize(parsed.item)) : ' '}
        </Box>
      </SpaceBetween>
    </Modal>
  );
}
