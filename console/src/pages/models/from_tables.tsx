import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import { useState } from 'react';
import { href, navigate } from '../../app/router.ts';
import { notify } from '../../app/notices.ts';
import { call } from '../../aws/index.ts';
import { describeTable, Dialog, ErrorBox, useSubmit, useTables } from '../../components/index.ts';
import type { Item } from '../../values/index.ts';
import { newModel } from './edit.ts';
import { keepModel, newId } from './store.ts';
import { tableFrom } from './tables.ts';

async function firstItems(table: string, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  let start: Item | undefined;
  while (items.length < limit) {
    const page = await call('Scan', { TableName: table, Limit: limit - items.length, ExclusiveStartKey: start });
    items.push(...((page.Items ?? []) as Item[]));
    start = page.LastEvaluatedKey as Item | undefined;
    if (!start) break;
  }
  return items;
}

/** Makes a model of tables of the server, with their first items as sample data. */
export function FromTables({ onClose }: { onClose: () => void }) {
  const tables = useTables();
  const [chosen, setChosen] = useState<string[]>([]);
  const [name, setName] = useState('');
  const [count, setCount] = useState('100');
  const { busy, error, submit } = useSubmit();
  const limit = /^\d+$/.test(count) ? Number(count) : NaN;
  const fault = !(limit >= 0 && limit <= 5000) ? 'A number from 0 to 5000' : undefined;

  const make = async () => {
    const warnings: string[] = [];
    const made = [];
    for (const table of chosen) {
      const description = await describeTable(table, true);
      const found = tableFrom(description, limit ? await firstItems(table, limit) : []);
      warnings.push(...found.warnings);
      made.push(found.table);
    }
    const model = newModel(name.trim() || chosen.join(', '), made, new Date());
    const id = newId(model.name);
    await keepModel(id, model);
    for (const warning of warnings) notify({ type: 'warning', content: warning });
    navigate(href(`models/${id}`));
  };
  return (
    <Dialog
      title="Make a model of tables"
      onClose={onClose}
      action={
        <Button variant="primary" disabled={!chosen.length || !!fault} loading={busy} onClick={() => void submit(make)}>
          Make the model
        </Button>
      }
    >
      <FormField label="Tables">
        <Multiselect
          ariaLabel="Tables"
          placeholder="Choose tables"
          filteringType="auto"
          selectedOptions={chosen.map((value) => ({ value, label: value }))}
          options={(tables.data ?? []).map((value) => ({ value, label: value }))}
          statusType={tables.loading && !tables.data ? 'loading' : 'finished'}
          loadingText="Listing tables"
          empty="No tables"
          onChange={({ detail }) => setChosen(detail.selectedOptions.map((each) => each.value!))}
        />
      </FormField>
      <FormField label="Name of the model">
        <Input value={name} placeholder={chosen.join(', ')} onChange={({ detail }) => setName(detail.value)} />
      </FormField>
      <FormField label="Sample items of each table" description="The first ones of a scan." errorText={fault}>
        <Input value={count} inputMode="numeric" onChange={({ detail }) => setCount(detail.value)} />
      </FormField>
      <ErrorBox error={error} header="The model was not made" />
      <Alert type="info">A model has no local indexes, time to live or streams. Those are left out.</Alert>
    </Dialog>
  );
}
