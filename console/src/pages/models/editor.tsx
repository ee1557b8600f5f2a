/** One model: its tables drawn, its design and sample data edited, made into tables, compared with the server. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Input from '@cloudscape-design/components/input';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useEffect, useRef, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { notify } from '../../app/notices.ts';
import { href, navigate, useQueryState } from '../../app/router.ts';
import type { PageProps } from '../../app/routes.ts';
import { messageOf } from '../../aws/index.ts';
import { cloudFormation } from '../../codegen/index.ts';
import { Page, plural, useAsync } from '../../components/index.ts';
import type { Item } from '../../values/index.ts';
import { download } from '../picture/export.ts';
import { Conflict } from './conflict.tsx';
import { DesignForm } from './design_form.tsx';
import { Difference } from './difference.tsx';
import { type Draft, draftOf } from './draft.ts';
import { addItems, newTable, renamed, withNewTable, withTable } from './edit.ts';
import { type Model, pictureOf, printModel, readModel, workbenchLimits } from './file.ts';
import { ItemForm } from './item_form.tsx';
import { MakeTables } from './make_tables.tsx';
import { ModelPicture } from './model_picture.tsx';
import { samplesCsv, samplesFromCsv } from './samples.ts';
import { keepModel, keptModel, newId } from './store.ts';
import { createTableInput } from './tables.ts';
import { useKeeping } from './use_keeping.ts';
import './models.css';

export default function ModelPage({ params }: PageProps) {
  const id = params.id!;
  const kept = useAsync(id, async () => {
    const found = await keptModel(id);
    return found && { model: readModel(found.text), version: found.version ?? 0 };
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
  return <Editor key={id} id={id} initial={kept.data.model} version={kept.data.version} />;
}

const VIEWS = [
  { id: 'picture', text: 'Picture' },
  { id: 'design', text: 'Design' },
  { id: 'difference', text: 'Difference from the server' },
];

function Editor({ id, initial, version }: { id: string; initial: Model; version: number }) {
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

  const { keep, conflict, resolve } = useKeeping(id, version);
  const [deciding, setDeciding] = useState(true);
  useEffect(() => setDeciding(true), [conflict]);
  const [drafts, setDrafts] = useState<Record<string, { base: string; draft: Draft }>>({});
  const csvInput = useRef<HTMLInputElement>(null);
  const base = JSON.stringify(draftOf(table));
  const kept = drafts[table.name]?.base === base ? drafts[table.name]!.draft : undefined;
  const draft = kept ?? draftOf(table);
  const dirty = kept !== undefined && JSON.stringify(kept) !== base;
  const push = (next: Model) => setHistory((before) => ({ models: [...before.models.slice(0, before.at + 1), next].slice(-100), at: Math.min(before.at + 1, 99) }));
  /** Applies an edit; an edit that would break the model changes nothing. */
  const change = (edit: (model: Model) => Model): boolean => {
    try {
      const next = edit(model);
      push(next);
      keep(next);
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
    keep(history.models[at]);
  };
  useKeys([
    { keys: 'Ctrl+Z', does: 'Undo a change of the model', run: () => step(-1) },
    { keys: 'Ctrl+Y', does: 'Redo it', run: () => step(1) },
    { keys: 'n', does: 'Add a sample item', run: () => setItem({}) },
  ]);
  useEffect(() => {
    document.title = `${model.name} · Partita`;
  }, [model.name]);

  const addTable = () => {
    let number = model.tables.length + 1;
    while (model.tables.some((each) => each.name === `Table${number}`)) number++;
    const name = `Table${number}`;
    if (change((before) => withNewTable(before, newTable(name, { partition: [{ name: 'PK', type: 'S' }], sort: [{ name: 'SK', type: 'S' }] })))) {
      setTableName(name);
      setView('design');
    }
  };
  const removeTable = () => {
    if (model.tables.length > 1) change((before) => withTable(before, place, () => undefined));
  };
  const save = (format: string) => {
    if (format === 'csv') download(`${table.name}.csv`, samplesCsv(table), 'text/csv;charset=utf-8');
    else if (format === 'template') download(`${model.name}.yaml`, cloudFormation(model.tables.map((each) => ({ input: createTableInput(each) }))), 'text/yaml;charset=utf-8');
    else download(`${model.name}.json`, printModel(model, changed ? new Date() : undefined), 'application/json');
  };
  const readCsv = async (file: File) => {
    try {
      const { items, faults } = samplesFromCsv(await file.text(), table);
      if (items.length) change((before) => withTable(before, place, (tree) => addItems(tree, pictureOf(table), items)));
      notify({
        type: faults.length ? 'warning' : 'success',
        header: faults.length ? `${plural('row', faults.length)} of ${file.name} left out` : undefined,
        content: [`${plural('sample item', items.length)} read into ${table.name}.`, ...faults.slice(0, 5)].join(' '),
      });
    } catch (error) {
      notify({ type: 'error', header: `${file.name} cannot be read`, content: messageOf(error) });
    }
  };
  const keepBoth = async () => {
    const copy = renamed(model, `${model.name} (copy)`);
    const other = newId(copy.name);
    await keepModel(other, copy);
    navigate(href(`models/${other}`));
  };
  const useTheirs = () => {
    push(readModel(conflict!.theirs!.text));
    resolve(conflict!.theirs!.version ?? 0);
  };
  const limits = workbenchLimits(model);
  return (
    <Page
      title={<NameField name={model.name} onChange={(name) => change((before) => renamed(before, name))} />}
      actions={
        <>
          <Button iconName="undo" ariaLabel="Undo" disabled={!history.at} onClick={() => step(-1)} />
          <Button iconName="redo" ariaLabel="Redo" disabled={history.at + 1 >= history.models.length} onClick={() => step(1)} />
          <ButtonDropdown
            ariaLabel="Save in another format"
            mainAction={{ text: 'Save as file', onClick: () => save('workbench') }}
            items={[
              { id: 'workbench', text: 'Model of NoSQL Workbench' },
              { id: 'template', text: 'CloudFormation template' },
              { id: 'csv', text: `Sample items of ${table.name} as CSV` },
            ]}
            onItemClick={({ detail }) => save(detail.id)}
          />
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
        <SegmentedControl label="View" selectedId={view} options={VIEWS.map((each) => (each.id === 'design' && dirty ? { ...each, text: 'Design (not applied)' } : each))} onChange={({ detail }) => setView(detail.selectedId)} />
        <span className="model-bar-end">
          <ButtonDropdown
            ariaLabel="Add sample items"
            mainAction={{ text: 'Sample item', iconName: 'add-plus', onClick: () => setItem({}) }}
            items={[{ id: 'csv', text: 'From a CSV file' }]}
            onItemClick={() => csvInput.current!.click()}
          />
        </span>
        <input
          ref={csvInput}
          type="file"
          accept=".csv,.tsv,text/csv"
          hidden
          aria-label="CSV file of sample items"
          data-testid="sample-file"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            if (file) void readCsv(file).finally(() => (csvInput.current!.value = ''));
          }}
        />
      </div>
      {conflict && (
        <Alert type="error" header="Changes are not kept" action={<Button onClick={() => setDeciding(true)}>Decide</Button>}>
          Another tab {conflict.theirs ? 'changed' : 'deleted'} this model.
        </Alert>
      )}
      {limits.length > 0 && (
        <Alert type="info" header="NoSQL Workbench has no form for a part of this model">
          {limits.map((each) => (
            <div key={each}>{each}</div>
          ))}
        </Alert>
      )}
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
      {view === 'picture' && <ModelPicture table={table} panes={panes} onPanes={setPanes} onOpen={(before) => setItem({ before })} />}
      {view === 'design' && (
        <DesignForm
          model={model}
          place={place}
          draft={draft}
          dirty={dirty}
          onDraft={(next) => setDrafts({ ...drafts, [table.name]: next && { base, draft: next } } as typeof drafts)}
          onChange={change}
          onRenamed={setTableName}
        />
      )}
      {view === 'difference' && <Difference model={model} onChange={change} onMake={() => setMaking(true)} />}
      {item && <ItemForm table={table} place={place} before={item.before} onChange={change} onClose={() => setItem(undefined)} />}
      {conflict && deciding && (
        <Conflict
          theirs={conflict.theirs}
          onTheirs={useTheirs}
          onMine={() => {
            resolve(conflict.theirs?.version);
            keep(model);
          }}
          onBoth={() => void keepBoth()}
          onClose={() => setDeciding(false)}
        />
      )}
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
