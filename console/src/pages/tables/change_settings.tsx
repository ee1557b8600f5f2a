/** The dialogs for deletion protection, table class, encryption and Contributor Insights. */
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import { useContext, useState } from 'react';
import type { TableDescription } from '../../aws/index.ts';
import { tablesChanged } from '../../components/index.ts';
import { isEmpty } from './throughput.ts';
import { ClassField, EncryptionFields } from './setting_fields.tsx';
import { KnownOfTable, TableDialog } from './table_dialog.tsx';

interface Props {
  table: TableDescription;
  onClose: () => void;
}

export function ChangeSettings({ table, onClose }: Props) {
  const wasProtected = table.DeletionProtectionEnabled ?? false;
  const wasClass = table.TableClassSummary?.TableClass ?? 'STANDARD';
  const wasKey = table.SSEDescription?.Status === 'ENABLED' ? 'KMS' : 'OWNED';
  const [protection, setProtection] = useState(wasProtected);
  const [tableClass, setTableClass] = useState(wasClass);
  const [key, setKey] = useState<{ encryption: 'OWNED' | 'KMS'; kmsKey: string }>({ encryption: wasKey, kmsKey: table.SSEDescription?.KMSMasterKeyArn ?? '' });
  const keyChanged = key.encryption !== wasKey || (wasKey === 'KMS' && key.kmsKey.trim() !== (table.SSEDescription?.KMSMasterKeyArn ?? ''));
  // DynamoDB takes each of these alone.
  const requests = [
    { DeletionProtectionEnabled: protection !== wasProtected ? protection : undefined },
    { TableClass: tableClass !== wasClass ? tableClass : undefined },
    {
      SSESpecification: keyChanged
        ? key.encryption === 'KMS'
          ? { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: key.kmsKey.trim() || undefined }
          : { Enabled: false }
        : undefined,
    },
  ]
    .filter((each) => !isEmpty(each))
    .map((each) => ({ operation: 'UpdateTable', input: { TableName: table.TableName, ...each } }));
  return (
    <TableDialog table={table} title={`Settings of ${table.TableName}`} requests={requests} done="The settings are saved." onDone={tablesChanged} onClose={onClose}>
      <Checkbox checked={protection} description="Refuses DeleteTable until it is switched off." onChange={({ detail }) => setProtection(detail.checked)}>
        Deletion protection
      </Checkbox>
      <div className="two">
        <ClassField value={tableClass} onChange={setTableClass} />
        <EncryptionFields value={key} onChange={(part) => setKey({ ...key, ...part })} />
      </div>
    </TableDialog>
  );
}

const INSIGHTS = [
  { value: '', label: 'Off' },
  { value: 'ACCESSED_AND_THROTTLED_KEYS', label: 'Accessed and throttled keys' },
  { value: 'THROTTLED_KEYS', label: 'Throttled keys' },
];

export function ChangeInsights({ table, onClose, onDone }: Props & { onDone: () => void }) {
  const { insights } = useContext(KnownOfTable);
  const names = [undefined, ...(table.GlobalSecondaryIndexes ?? []).map((each) => each.IndexName!)];
  const before = names.map((name) => insights.find((each) => each.index === name)?.mode ?? '');
  const [modes, setModes] = useState(before);
  const requests = names.flatMap((name, at) =>
    modes[at] === before[at]
      ? []
      : [{
          operation: 'UpdateContributorInsights',
          input: {
            TableName: table.TableName,
            IndexName: name,
            ContributorInsightsAction: modes[at] ? 'ENABLE' : 'DISABLE',
            ContributorInsightsMode: modes[at] || undefined,
          },
        }],
  );
  return (
    <TableDialog table={table} title={`Contributor Insights of ${table.TableName}`} requests={requests} done="Contributor Insights is changed." onDone={onDone} onClose={onClose}>
      {names.map((name, at) => (
        <FormField key={name ?? ''} label={name === undefined ? 'Table' : `Index ${name}`}>
          <Select
            selectedOption={INSIGHTS.find((each) => each.value === modes[at]) ?? INSIGHTS[0]!}
            options={INSIGHTS}
            onChange={({ detail }) => setModes(modes.map((each, index) => (index === at ? detail.selectedOption.value! : each)))}
          />
        </FormField>
      ))}
      <small className="explore-note">AWS charges for Contributor Insights. Partita stores the setting and shows the hottest keys on the page Watch.</small>
    </TableDialog>
  );
}
