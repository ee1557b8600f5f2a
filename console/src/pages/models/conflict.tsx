import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { formatTime, plural } from '../../components/index.ts';
import type { KeptModel } from './store.ts';

interface Props {
  /** Absent: the other tab deleted the model. */
  theirs: KeptModel | undefined;
  onTheirs: () => void;
  onMine: () => void;
  onBoth: () => void;
  onClose: () => void;
}

/** Two tabs changed one model: neither version is lost without a choice. */
export function Conflict({ theirs, onTheirs, onMine, onBoth, onClose }: Props) {
  return (
    <Modal
      visible
      header={theirs ? 'The model was changed in another tab' : 'The model was deleted in another tab'}
      closeAriaLabel="Close"
      onDismiss={onClose}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            {theirs && <Button onClick={onTheirs}>Use the other version</Button>}
            <Button onClick={onMine}>{theirs ? 'Replace it with this version' : 'Keep this version'}</Button>
            {theirs && (
              <Button variant="primary" onClick={onBoth}>
                Keep both
              </Button>
            )}
          </SpaceBetween>
        </Box>
      }
    >
      {theirs ? (
        <SpaceBetween size="s">
          <Box>
            The other tab kept {theirs.name} with {plural('table', theirs.tables)} and {plural('sample item', theirs.items)}, {formatTime(theirs.changed)}. Your last change is not kept yet.
          </Box>
          <Box color="text-body-secondary">“Keep both” keeps this version as another model.</Box>
        </SpaceBetween>
      ) : (
        <Box>Your last change is not kept yet.</Box>
      )}
    </Modal>
  );
}
