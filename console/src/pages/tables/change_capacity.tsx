/** The dialogs that change the capacity of a table or of one of its global indexes. */
import FormField from '@cloudscape-design/components/form-field';
import Tiles from '@cloudscape-design/components/tiles';
import { useState } from 'react';
import type { TableDescription } from '../../aws/index.ts';
import { tablesChanged } from '../../components/index.ts';
import { CAPACITY_NOTE, CapacityFields, MODES } from './capacity_fields.tsx';
import { isOnDemand } from './describe.ts';
import { throughput, type TableForm } from './form.ts';
import { TableDialog } from './table_dialog.tsx';
import { changedThroughput, isEmpty, throughputOf } from './throughput.ts';

interface Props {
  table: TableDescription;
  onClose: () => void;
}

const billingMode = (table: TableDescription): TableForm['billing'] => (isOnDemand(table) ? 'PAY_PER_REQUEST' : 'PROVISIONED');

export function ChangeCapacity({ table, onClose }: Props) {
  const was = billingMode(table);
  const [mode, setMode] = useState(was);
  const [value, setValue] = useState(() => throughputOf(table));
  const { WarmThroughput, ...capacity } = changedThroughput(value, table, mode, was);
  const toProvisioned = mode === 'PROVISIONED' && mode !== was;
  const change = {
    BillingMode: mode === was ? undefined : mode,
    ...capacity,
    // A change of mode gives capacity to the indexes too.
    GlobalSecondaryIndexUpdates:
      toProvisioned && table.GlobalSecondaryIndexes?.length
        ? table.GlobalSecondaryIndexes.map((index) => ({ Update: { IndexName: index.IndexName, ProvisionedThroughput: throughput(value.provisioned) } }))
        : undefined,
  };
  // DynamoDB takes a table's warm throughput in a request of its own.
  const changes = [change, { WarmThroughput }].filter((each) => !isEmpty(each));
  return (
    <TableDialog
      table={table}
      title={`Capacity of ${table.TableName}`}
      requests={changes.map((each) => ({ operation: 'UpdateTable', input: { TableName: table.TableName, ...each } }))}
      done="The capacity is changed."
      onDone={tablesChanged}
      onClose={onClose}
    >
      <FormField label="Capacity mode" description={CAPACITY_NOTE} stretch>
        <Tiles value={mode} items={MODES} onChange={({ detail }) => setMode(detail.value as TableForm['billing'])} />
      </FormField>
      <CapacityFields value={value} billing={mode} warmPlaceholder="" onChange={(part) => setValue({ ...value, ...part })} />
    </TableDialog>
  );
}

export function ChangeIndexCapacity({ table, index, onClose }: Props & { index: string }) {
  const described = table.GlobalSecondaryIndexes!.find((each) => each.IndexName === index)!;
  const [value, setValue] = useState(() => throughputOf(described));
  const change = changedThroughput(value, described, billingMode(table));
  const input = { TableName: table.TableName, GlobalSecondaryIndexUpdates: [{ Update: { IndexName: index, ...change } }] };
  return (
    <TableDialog
      table={table}
      title={`Capacity of index ${index}`}
      requests={isEmpty(change) ? [] : [{ operation: 'UpdateTable', input }]}
      done={`The capacity of index ${index} is changed.`}
      onDone={tablesChanged}
      onClose={onClose}
    >
      <CapacityFields value={value} billing={billingMode(table)} warmPlaceholder="" onChange={(part) => setValue({ ...value, ...part })} />
    </TableDialog>
  );
}
