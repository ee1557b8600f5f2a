import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import { notify } from '../../app/notices.ts';
import { href, segment } from '../../app/router.ts';
import { batchWrite, call, sameSession } from '../../aws/index.ts';
import { describeTable, ErrorBox, plural, RequestPreview, tablesChanged, useTables, WriteButton } from '../../components/index.ts';
import type { Model, ModelTable } from './file.ts';
import { createTableInput } from './tables.ts';

const NAME = /^[A-Za-z0-9_.-]{3,255}$/;

interface Row {
  chosen: boolean;
  name: string;
}

async function untilActive(name: string): Promise<void> {
  for (;;) {
    const table = await describeTable(name, true);
    if (table.TableStatus === 'ACTIVE' && (table.GlobalSecondaryIndexes ?? []).every((each) => each.IndexStatus === 'ACTIVE')) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** Creates tables on the server from a model, with its sample data. */
export function MakeTables({ model, onClose }: { model: Model; onClose: () => void }) {
  const tables = useTables();
  const [rows, setRows] = useState<Row[]>(() => model.tables.map((each) => ({ chosen: true, name: each.name })));
  const [data, setData] = useState(true);
  const [progress, setProgress] = useState<string>();
  const [error, setError] = useState<unknown>();
  const existing = new Set(tables.data ?? []);
  const set = (at: number, part: Partial<Row>) => setRows(rows.map((each, index) => (index === at ? { ...each, ...part } : each)));
  const chosen = rows.flatMap((row, index) => (row.chosen ? [{ row, table: model.tables[index]! }] : []));
  const invalid = chosen.some(({ row }) => !NAME.test(row.name));

  const make = async () => {
    setError(undefined);
    try {
      let items = 0;
      const check = sameSession();
      for (const { row, table } of chosen) {
        check();
        await makeOne(table, row.name, existing.has(row.name), data, setProgress);
        items += data ? table.items.length : 0;
      }
      tablesChanged();
      const [first] = chosen;
      notify({
        type: 'success',
        content: `${plural('table', chosen.length)} with ${plural('item', items)} ${chosen.length === 1 ? 'is' : 'are'} on the server.`,
        link: first && { text: `Explore ${first.row.name}`, href: href(`explore/${segment(first.row.name)}`) },
      });
      onClose();
    } catch (fault) {
      tablesChanged();
      setError(fault);
      setProgress(undefined);
    }
  };
  return (
    <Modal
      visible
      size="large"
      header="Make tables of the model"
      closeAriaLabel="Close"
      onDismiss={() => !progress && onClose()}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs" alignItems="center">
            {progress && <StatusIndicator type="in-progress">{progress}</StatusIndicator>}
            <Button variant="link" disabled={!!progress} onClick={onClose}>
              Cancel
            </Button>
            <WriteButton variant="primary" disabled={!chosen.length || invalid} loading={!!progress} onClick={() => void make()}>
              Make {plural('table', chosen.length)}
            </WriteButton>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {model.tables.map((table, at) => (
          <div key={table.name} className="two">
            <Checkbox checked={rows[at]!.chosen} onChange={({ detail }) => set(at, { chosen: detail.checked })}>
              {table.name}, {plural('item', table.items.length)}, {plural('index', table.indexes.length, 'indexes')}
            </Checkbox>
            <FormField
              label="Name on the server"
              errorText={NAME.test(rows[at]!.name) ? undefined : '3 to 255 letters, digits, _ - .'}
              warningText={existing.has(rows[at]!.name) ? `This table exists: ${data ? 'only the sample data is put into it' : 'nothing is done'}.` : undefined}
            >
              <Input ariaLabel={`Name of ${table.name} on the server`} value={rows[at]!.name} onChange={({ detail }) => set(at, { name: detail.value })} />
            </FormField>
          </div>
        ))}
        <Checkbox checked={data} onChange={({ detail }) => setData(detail.checked)}>
          With sample data
        </Checkbox>
        <ErrorBox error={error} header="Not all tables were made" />
        {chosen.length > 0 && <RequestPreview folded request={chosen.map(({ row, table }) => ({ operation: 'CreateTable', input: createTableInput(table, row.name) }))} />}
      </SpaceBetween>
    </Modal>
  );
}

async function makeOne(table: ModelTable, name: string, exists: boolean, data: boolean, progress: (text: string) => void): Promise<void> {
  if (!exists) {
    progress(`Creating ${name}`);
    const check = sameSession();
    await call('CreateTable', createTableInput(table, name) as never);
    check();
    await untilActive(name);
    check();
  }
  if (!data) return;
  progress(`Putting ${plural('item', table.items.length)} into ${name}`);
  await batchWrite(name, table.items.map((Item) => ({ PutRequest: { Item } })));
}
