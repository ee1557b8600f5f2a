/** One model: its tables drawn, its design and sample data edited, made into tables, compared with the server. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useEffect, useMemo, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { notify } from '../../app/notices.ts';
import { href, navigate, useQueryState } from '../../app/router.ts';
import type { PageProps } from '../../app/routes.ts';
import { messageOf } from '../../aws/index.ts';
import { Page, plural, useAsync } from '../../components/index.ts';
import type { Item } from '../../values/index.ts';
import { download } from '../picture/export.ts';
import { indexItems } from '../picture/layout.ts';
import { inServerOrder } from '../picture/order.ts';
import { Picture } from '../picture/picture.tsx';
import { keysIn } from '../picture/schema.ts';
import { DesignForm } from './design_form.tsx';
import { Difference } from './difference.tsx';
import { type Model, newTable, pictureOf, printModel, readModel, renamed, withNewTable, withTable } from './file.ts';
import { ItemForm } from './item_form.tsx';
import { MakeTables } from './make_tables.tsx';
import { keepModel, keptModel } from './store.ts';
import './models.css';

export default function ModelPage({ params }: PageProps) {
  const id = params.id!;
  const kept = useAsync(id, async () => {
    const found = await keptModel(id);
    return found && readModel(found.text);
  });
  if (kept.error) return <Alert type="error">{messageOf(kept.error)}</Alert>;
  if (kept.loading) {
    return (
      <div className="centred">
        <Spinner size="large" />
      </div>
    );
  }
  if (!kept.data) {
    return (
      <Page title="No such model">
        <Box>This browser keeps no model under this address. Models stay in the browser in which they were opened.</Box>
        <Button onClick={() => navigate(href('models'))}>All models</Button>
      </Page>
    );
  }
  return <Editor key={id} id={id} initial={kept.data} />;
}

const VIEWS = [
  { id: 'picture', text: 'Picture' },
  { id: 'design', text: 'Keys, indexes and facets' },
  { id: 'difference', text: 'Difference to the server' },
];

function Editor({ id, initial }: { id: string; initial: Model }) {
  const [history, setHistory] = useState({ models: [initial], at: 0 });
  const model = history.models[history.at]!;
  const [view, setView] = useQueryState('tab', 'picture');
  const [tableName, setTableName] = useQueryState('table', '');
  const [panes, setPanes] = useQueryState('p.panes', '');
  const [item, setItem] = useState<{ before?: Item }>();
  const [making, setMaking] = useState(false);
  const place = Math.max(0, model.tables.findIndex((each) => each.name === tableName));
  const table = model.tables[place]!;
  const changed = history.at > 0;

  const keep = (next: Model) => keepModel(id, next).catch((error: unknown) => notify({ type: 'error', header: 'The model is not kept', content: messageOf(error) }));
  /** Applies an edit; an edit that would break the model changes nothing. */
  const change = (edit: (model: Model) => Model): boolean => {
    try {
      const next = edit(model);
      setHistory((before) => ({ models: [...before.models.slice(0, before.at + 1), next].slice(-100), at: Math.min(before.at + 1, 99) }));
      void keep(next);
      return true;
    } catch (error) {
      notify({ type: 'error', header: 'Nothing was changed', content: messageOf(error) });
      return false;
    }
  };
  const step = (by: number) => {
    const at = history.at + by;
    if (!history.models[at]) return;
    setHistory({ ...history, at });
    void keep(history.models[at]);
  };
  useKeys([
    { keys: 'Ctrl+Z', does: 'Undo a change of the model', run: () => step(-1) },
    { keys: 'n', does: 'Add a sample item', run: () => setItem({}) },
  ]);
  useEffect(() => {
    document.title = `${model.name} · Partita`;
  }, [model.name]);

  const addTable = () => {
    let number = model.tables.length + 1;
    while (model.tables.some((each) => each.name === `Table${number}`)) number++;
    const name = `Table${number}`;
    if (change((before) => withNewTable(before, newTable(name, { partition: { name: 'PK', type: 'S' }, sort: { name: 'SK', type: 'S' } })))) {
      setTableName(name);
      setView('design');
    }
  };
  const removeTable = () => {
    if (model.tables.length > 1) change((before) => withTable(before, place, () => undefined));
  };
  return (
    <Page
      title={<NameField name={model.name} onChange={(name) => change((before) => renamed(before, name))} />}
      actions={
        <>
          <Button iconName="undo" ariaLabel="Undo" disabled={!history.at} onClick={() => step(-1)} />
          <Button iconName="redo" ariaLabel="Redo" disabled={history.at + 1 >= history.models.length} onClick={() => step(1)} />
          <Button iconName="download" onClick={() => download(`${model.name}.json`, printModel(model, changed ? new Date() : undefined), 'application/json')}>
            Save as file
          </Button>
          <Button variant="primary" onClick={() => setMaking(true)}>
            Make tables
          </Button>
        </>
      }
    >
      <div className="model-bar">
        <Select
          ariaLabel="Table of the model"
          selectedOption={{ value: table.name, label: table.name }}
          options={model.tables.map((each) => ({ value: each.name, label: each.name, description: plural('item', each.items.length) }))}
          onChange={({ detail }) => setTableName(detail.selectedOption.value!)}
        />
        <Button iconName="add-plus" onClick={addTable}>
          Table
        </Button>
        <Button disabled={model.tables.length < 2} onClick={removeTable}>
          Remove table
        </Button>
        <SegmentedControl label="View" selectedId={view} options={VIEWS} onChange={({ detail }) => setView(detail.selectedId)} />
        <span className="model-bar-end">
          <Button iconName="add-plus" onClick={() => setItem({})}>
            Sample item
          </Button>
        </span>
      </div>
      {table.problems.length > 0 && (
        <Alert type="warning" header={`${plural('sample item', table.problems.length)} of ${table.name} cannot be an item of this table`}>
          They stay in the file and are not drawn.
          <ul>
            {table.problems.slice(0, 8).map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </Alert>
      )}
      {view === 'picture' && <ModelPicture model={model} place={place} panes={panes} onPanes={setPanes} onOpen={(before) => setItem({ before })} />}
      {view === 'design' && <DesignForm key={`${place} ${history.at}`} model={model} place={place} onChange={change} onRenamed={setTableName} />}
      {view === 'difference' && <Difference model={model} />}
      {item && <ItemForm table={table} place={place} before={item.before} onChange={change} onClose={() => setItem(undefined)} />}
      {making && <MakeTables model={model} onClose={() => setMaking(false)} />}
    </Page>
  );
}

function NameField({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  const [text, setText] = useState<string>();
  if (text === undefined) {
    return (
      <SpaceBetween direction="horizontal" size="xxs" alignItems="center">
        <span>{name}</span>
        <Button variant="icon" iconName="edit" ariaLabel="Rename the model" onClick={() => setText(name)} />
      </SpaceBetween>
    );
  }
  const finish = () => {
    setText(undefined);
    if (text.trim() && text.trim() !== name) onChange(text.trim());
  };
  return (
    <Input
      value={text}
      autoFocus
      ariaLabel="Name of the model"
      onChange={({ detail }) => setText(detail.value)}
      onBlur={finish}
      onKeyDown={({ detail }) => {
        if (detail.key === 'Enter') finish();
        if (detail.key === 'Escape') setText(undefined);
      }}
    />
  );
}

interface PictureProps {
  model: Model;
  place: number;
  panes: string;
  onPanes: (names: string) => void;
  onOpen: (item: Item) => void;
}

function ModelPicture({ model, place, panes, onPanes, onOpen }: PictureProps) {
  const table = model.tables[place]!;
  const shape = useMemo(() => pictureOf(table), [table]);
  const shown = panes.split('\n').filter((each) => shape.indexes.some((index) => index.name === each));
  const data = useMemo(
    () => [
      { items: inServerOrder(table.items, shape.keys) },
      ...shown.map((index) => ({ index, items: inServerOrder(indexItems(table.items, shape, index), keysIn(shape, index)) })),
    ],
    [table, shape, panes],
  );
  const openWhole = (item: Item) => {
    const keys = [...shape.keys.partition, ...shape.keys.sort];
    onOpen(table.items.find((each) => keys.every((key) => JSON.stringify(each[key]) === JSON.stringify(item[key]))) ?? item);
  };
  return (
    <Picture
      table={shape}
      panes={data}
      onOpen={openWhole}
      height="calc(100vh - 300px)"
      controls={
        shape.indexes.length > 0 && (
          <Multiselect
            ariaLabel="Shown beside"
            placeholder="Show indexes"
            inlineTokens
            selectedOptions={shown.map((value) => ({ value, label: `Index ${value}` }))}
            options={shape.indexes.map(({ name }) => ({ value: name, label: `Index ${name}` }))}
            onChange={({ detail }) => onPanes(detail.selectedOptions.map((each) => each.value!).join('\n'))}
          />
        )
      }
    />
  );
}
