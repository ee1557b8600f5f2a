import Modal from '@cloudscape-design/components/modal';
import { activeKeys } from './keys.ts';

const GRID = [
  ['↑ ↓ ← → · j k', 'Move in a grid'],
  ['Enter', 'Open the row'],
  ['Space · x', 'Select the row; with Shift, all from the last one'],
  ['PageUp PageDown Home End', 'Move by a page, to the ends of a row'],
  ['Esc', 'Close a dialog'],
];

export default function KeysHelp({ onClose }: { onClose: () => void }) {
  const rows = [...activeKeys().map((key) => [key.keys, key.does] as const), ...GRID];
  return (
    <Modal visible header="Keyboard shortcuts" onDismiss={onClose} closeAriaLabel="Close">
      <table className="key-table">
        <tbody>
          {rows.map(([keys, does]) => (
            <tr key={keys}>
              <td>
                {keys!.split(' ').map((key, index) => (
                  <span key={index}>{key === '·' ? ' or ' : <kbd>{key}</kbd>} </span>
                ))}
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Modal>
  );
}
