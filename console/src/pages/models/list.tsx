/** Models kept in this browser: open a file, begin a new one, or make one of the server's tables. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { type DragEvent, useRef, useState } from 'react';
import { follow, href, navigate } from '../../app/router.ts';
import { notify } from '../../app/notices.ts';
import { messageOf } from '../../aws/index.ts';
import { formatCount, formatTime, useAsync } from '../../components/index.ts';
import { newModel, newTable } from './edit.ts';
import { readModel } from './file.ts';
import { FromTables } from './from_tables.tsx';
import { dropModel, keepModel, type KeptModel, keptModels, newId } from './store.ts';

async function openFiles(files: Iterable<File>): Promise<void> {
  let last: string | undefined;
  for (const file of files) {
    try {
      const model = readModel(await file.text());
      last = newId(model.name);
      await keepModel(last, model);
    } catch (error) {
      notify({ type: 'error', header: `${file.name} is no model that can be read`, content: messageOf(error) });
    }
  }
  if (last) navigate(href(`models/${last}`));
}

export default function Models() {
  const models = useAsync('models', () => keptModels());
  const [selected, setSelected] = useState<KeptModel[]>([]);
  const [fromTables, setFromTables] = useState(false);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const create = async () => {
    const model = newModel('New model', [newTable('Table1', { partition: [{ name: 'PK', type: 'S' }], sort: [{ name: 'SK', type: 'S' }] })], new Date());
    const id = newId(model.name);
    await keepModel(id, model);
    navigate(href(`models/${id}`, { tab: 'design' }));
  };
  const remove = async () => {
    for (const each of selected) await dropModel(each.id);
    setSelected([]);
    models.reload();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void openFiles(event.dataTransfer.files);
  };
  const actions = (
    <SpaceBetween direction="horizontal" size="xs">
      <Button disabled={!selected.length} onClick={() => void remove()}>
        Delete
      </Button>
      <Button onClick={() => setFromTables(true)}>From tables</Button>
      <Button onClick={() => void create()}>New model</Button>
      <Button variant="primary" iconName="upload" onClick={() => input.current!.click()}>
        Open a file
      </Button>
    </SpaceBetween>
  );
  return (
    <div
      className={over ? 'model-drop over' : 'model-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        multiple
        hidden
        aria-label="Model files"
        data-testid="model-file"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          void openFiles(files);
        }}
      />
      <Table
        variant="full-page"
        items={models.data ?? []}
        loading={models.loading && !models.data}
        loadingText="Reading models"
        trackBy="id"
        selectionType="multi"
        selectedItems={selected}
        onSelectionChange={({ detail }) => setSelected(detail.selectedItems)}
        ariaLabels={{ tableLabel: 'Models', selectionGroupLabel: 'Choose models', allItemsSelectionLabel: () => 'All models', itemSelectionLabel: (_, model) => model.name }}
        header={
          <Header
            variant="awsui-h1-sticky"
            counter={models.data && `(${models.data.length})`}
            description="Tables, indexes and sample data to think with, in the files of NoSQL Workbench. They are kept in this browser."
            actions={actions}
          >
            Models
          </Header>
        }
        columnDefinitions={[
          {
            id: 'name',
            header: 'Name',
            isRowHeader: true,
            cell: (model) => (
              <Link href={href(`models/${model.id}`)} onFollow={follow}>
                {model.name}
              </Link>
            ),
          },
          { id: 'tables', header: 'Tables', cell: (model) => <span className="tabular">{formatCount(model.tables)}</span> },
          { id: 'items', header: 'Sample items', cell: (model) => <span className="tabular">{formatCount(model.items)}</span> },
          { id: 'changed', header: 'Changed', cell: (model) => formatTime(model.changed) },
        ]}
        empty={
          <Box textAlign="center" padding="xxl">
            <SpaceBetween size="m">
              <Box variant="strong">No models yet</Box>
              <Box color="text-body-secondary">Open a file of NoSQL Workbench, or drop it here. Or begin with the tables of this server.</Box>
            </SpaceBetween>
          </Box>
        }
      />
      {fromTables && <FromTables onClose={() => setFromTables(false)} />}
    </div>
  );
}
