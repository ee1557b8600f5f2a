import { call } from '../../aws/index.ts';
import { notify } from '../../app/notices.ts';
import { ConfirmByName, formatBytes, plural, RequestPreview, tablesChanged, useTable } from '../../components/index.ts';

interface Props {
  name: string;
  onClose: () => void;
  onDeleted?: () => void;
}

export function DeleteTable({ name, onClose, onDeleted }: Props) {
  const table = useTable(name);
  return (
    <ConfirmByName
      title={`Delete table ${name}`}
      name={name}
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await call('DeleteTable', { TableName: name });
        tablesChanged();
        notify({ type: 'success', content: `Table ${name} is deleted.` });
        onDeleted?.();
      }}
    >
      {table.data && (
        <p>
          The table, its indexes and its items are deleted: about {plural('item', table.data.ItemCount ?? 0)},{' '}
          {formatBytes(table.data.TableSizeBytes)}.
        </p>
      )}
      <RequestPreview folded request={{ operation: 'DeleteTable', input: { TableName: name } }} />
    </ConfirmByName>
  );
}
