/** The editor of an item: form or JSON, its size and cost, and what is done with it. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import { useEffect, useMemo, useRef, useState } from 'react';
import { typing, useKeys } from '../../app/keys.ts';
import { guardLeaving, href, navigate, segment } from '../../app/router.ts';
import { ServiceError, type TableDescription, useReadOnly } from '../../aws/index.ts';
import {
  ConfirmByName, CopyButton, ErrorBox, formatBytes, formatCount, Page, plural, RequestPreview, selectOffset, TextEditor, WriteButton,
} from '../../components/index.ts';
import { equalItems, type Item, itemSize, MAX_ITEM_BYTES, printItem, readUnits, typeOf, TYPE_NAMES, writeUnits } from '../../values/index.ts';
import { brief } from '../explore/operand.ts';
import { type KeyAttribute, keyAttributes, targetsOf } from '../explore/target.ts';
import { Conflict } from './conflict.tsx';
import { type Content, contentOf, type Form, isValid, readContent } from './content.ts';
import { newField, replaceField } from './draft.ts';
import { FieldRows } from './field_rows.tsx';
import { attributeAtFault, pick, saveRequest } from './save.ts';
import { useSaving } from './use_saving.ts';

interface Props {
  table: TableDescription;
  /** The item as it was read; undefined for a new one. */
  before: Item | undefined;
  /** What the editor begins with. */
  start: Item;
  /** What reading it cost. */
  units?: number;
  /** Called with the key of a new item, once it is saved. */
  onCreated?: (key: Item) => void;
}

export function Editor({ table, before: first, start, units, onCreated }: Props) {
  const name = table.TableName!;
  const keys = useMemo(() => keyAttributes(table), [table]);
  const keyNames = keys.map((each) => each.name);
  const indexKeys = useMemo(() => targetsOf(table).slice(1).flatMap((each) => [...each.partition, ...each.sort]), [table]);
  const locked = useReadOnly();
  const [content, setContent] = useState<Content>(() => contentOf(start, 'form', keyNames));
  const [deleting, setDeleting] = useState(false);
  const [tried, setTried] = useState(false);
  const touched = useRef(false);
  /** What is edited from now on: the item as the server has it, or a merge. */
  const show = (item: Item) => {
    setContent((was) => contentOf(item, was.form, keyNames));
    setTried(false);
  };
  const current = useRef(content);
  current.current = content;
  const sent = useRef<Content>(undefined);
  const saving = useSaving(name, keyNames, first, onCreated, (saved) => {
    // What was typed while the item was being saved is a change of the saved one.
    if (sent.current && sent.current !== current.current) return;
    touched.current = false;
    show(saved);
  });
  const { before, busy, error, dispute } = saving;
  const box = useRef<HTMLDivElement>(null);

  const read = useMemo(() => readContent(content), [content]);
  const item = read.item;
  const valid = isValid(read);
  const changed = !item || !valid || !equalItems(item, before ?? start);
  const atFault = error instanceof ServiceError ? attributeAtFault(error.message, [...keyNames, ...indexKeys.map((each) => each.name)]) : undefined;
  const named = namedFaults(item, keys, indexKeys, before, tried);
  if (atFault) named.set(atFault, (error as Error).message);

  useEffect(() => {
    if (!first) box.current?.querySelector<HTMLElement>('.field-input:not(.name, .type)')?.focus();
  }, []);

  const dirty = useRef(false);
  dirty.current = changed && touched.current && !locked;
  useEffect(() => guardLeaving(() => (dirty.current ? 'The item has unsaved changes. Leave them?' : undefined)), []);

  const change = (next: Content) => {
    touched.current = true;
    setContent(next);
    saving.forgetError();
  };
  const switchTo = (form: Form) => {
    if (item && valid) change(contentOf(item, form, keyNames));
  };

  const keyChanged = !!before && !!item && keyNames.some((each) => !equalItems(pick(before, [each]), pick(item, [each])));
  const save = () => {
    setTried(true);
    if (locked || !item || !valid || keyChanged || (before && !changed)) return;
    sent.current = content;
    void saving.write(before, item).finally(() => (sent.current = undefined));
  };
  const remove = async () => {
    await saving.remove();
    touched.current = false;
    navigate(href(`explore/${segment(name)}`), { force: true });
  };
  const duplicate = () => navigate(href(`item/${segment(name)}`, { new: '1', copy: JSON.stringify(pick(before!, keyNames)) }));
  const leave = () => {
    if (typing(document.activeElement)) (document.activeElement as HTMLElement).blur();
    else if (history.length > 1) history.back();
    else navigate(href(`explore/${segment(name)}`));
  };
  useKeys([
    { keys: 'Ctrl+S', does: 'Save the item', run: save },
    { keys: 'Ctrl+Enter', does: 'Save the item', run: save },
    { keys: 'Escape', does: 'Leave the field; then back to the items', run: leave },
  ]);

  const request = item && valid && !keyChanged && (changed || !before) ? saveRequest(name, before, item, keyNames) : undefined;

  return (
    <Page
      title={before ? titleOf(before, keyNames) : `New item in ${name}`}
      description={before && `Item of ${name}${units === undefined ? '' : ` · read for ${plural('unit', units)}`}`}
      actions={
        <>
          <Button onClick={() => navigate(href(`explore/${segment(name)}`))}>{`Explore ${name}`}</Button>
          {before && <WriteButton onClick={() => setDeleting(true)}>Delete</WriteButton>}
          {before && <WriteButton onClick={duplicate}>Duplicate</WriteButton>}
          <WriteButton variant="primary" loading={busy} disabled={!valid || keyChanged || (!!before && !changed)} onClick={save} data-testid="save">
            {before ? 'Save' : 'Create'}
          </WriteButton>
        </>
      }
    >
      {locked && <Alert type="info">Read-only is on (at the top right): the item is shown, and nothing can be changed.</Alert>}
      {dispute && (
        <Conflict
          before={before}
          yours={item ?? start}
          dispute={dispute}
          busy={busy}
          onWrite={(base, wanted) => void saving.write(base, wanted)}
          onKeepEditing={(base, wanted) => {
            saving.rebase(base);
            show(wanted);
          }}
          onTheirs={before ? () => void saving.reload() : undefined}
          onClose={() => saving.rebase(before)}
        />
      )}
      <Container>
        <div ref={box} className="item-editor">
          <div className="item-head">
            <SegmentedControl
              selectedId={content.form}
              label="Edit as"
              options={[
                { id: 'form', text: 'Form', disabled: !valid && content.form !== 'form' },
                { id: 'dynamodb', text: 'DynamoDB JSON', disabled: !valid && content.form !== 'dynamodb' },
                { id: 'plain', text: 'JSON', disabled: !valid && content.form !== 'plain' },
              ]}
              onChange={({ detail }) => switchTo(detail.selectedId as Form)}
            />
            <Size item={item} before={before} indexed={indexKeys.length > 0} />
            {item && <CopyButton text={() => printItem(item)} label="Copy the item as DynamoDB JSON" />}
          </div>
          {content.form === 'form' ? (
            <FieldRows
              fields={content.fields}
              faults={tried || before ? read.faults : withoutEmpty(read.faults, content.fields)}
              named={named}
              keys={keyNames}
              fixedKeys={!!before || busy}
              locked={locked}
              onChange={(id, with_) => change({ form: 'form', fields: replaceField(content.fields, id, with_) })}
              onAdd={() => change({ form: 'form', fields: [...content.fields, newField('')] })}
            />
          ) : (
            <>
              <TextEditor
                label={content.form === 'dynamodb' ? 'Item as DynamoDB JSON' : 'Item as JSON'}
                value={content.text}
                rows={22}
                readOnly={locked}
                invalid={!!read.error}
                onRun={save}
                onChange={(text) => change({ ...content, text })}
              />
              {content.form === 'plain' && <small className="item-note">Sets, binary values and numbers of 38 digits keep their types where they were; new arrays become lists.</small>}
              {read.error && (
                <div className="field-message" role="alert">
                  {read.error.message}{' '}
                  {read.error.offset !== undefined && (
                    <Button variant="inline-link" onClick={() => selectOffset(box.current!.querySelector('textarea')!, read.error!.offset!)}>
                      Show
                    </Button>
                  )}
                </div>
              )}
              {[...named].map(([attribute, message]) => (
                <div className="field-message" role="alert" key={attribute} data-fault={attribute}>
                  <strong>{attribute}</strong>: {message}
                </div>
              ))}
              {keyChanged && (
                <div className="field-message" role="alert">
                  The key of an item cannot change. Duplicate the item to give the copy another key.
                </div>
              )}
            </>
          )}
          {request && <RequestPreview folded request={request} height="short" />}
        </div>
      </Container>
      <ErrorBox error={error} header={atFault ? `Not saved: ${atFault}` : 'The item was not saved'} onDismiss={saving.forgetError} />
      {deleting && (
        <ConfirmByName title="Delete the item" name={name} action="Delete" onClose={() => setDeleting(false)} onConfirm={remove}>
          <div>
            The item <strong>{titleOf(before!, keyNames)}</strong> of table <strong>{name}</strong> will be deleted, if nobody changed it since it was read.
          </div>
        </ConfirmByName>
      )}
    </Page>
  );
}

function titleOf(item: Item, keys: string[]): string {
  return keys.map((name) => (item[name] ? brief(item[name]).replace(/^“|”$/g, '') : '')).join(' · ');
}

/** Faults of fields that are not filled in yet are shown once saving was tried. */
function withoutEmpty(faults: Map<number, string>, fields: { id: number; name: string; text: string }[]): Map<number, string> {
  const empty = new Set(fields.filter((each) => each.name === '' || each.text === '').map((each) => each.id));
  return new Map([...faults].filter(([id]) => !empty.has(id)));
}

/** What the schema says of the values of keys. The server has the last word: it may be asked all the same. */
function namedFaults(item: Item | undefined, keys: KeyAttribute[], indexKeys: KeyAttribute[], before: Item | undefined, tried: boolean): Map<string, string> {
  const faults = new Map<string, string>();
  if (!item) return faults;
  for (const { name, type } of [...keys, ...indexKeys]) {
    const value = item[name];
    const isKey = keys.some((each) => each.name === name);
    if (value && typeOf(value) !== type) {
      faults.set(name, `The schema says ${TYPE_NAMES[type]} for ${isKey ? 'this part of the key' : 'this key of an index'}; this is ${TYPE_NAMES[typeOf(value)]}.`);
    } else if (!value && isKey && (tried || before)) faults.set(name, 'Part of the key: a value is needed.');
    else if (value && (tried || before) && Object.values(value)[0] === '') faults.set(name, 'A key cannot be empty.');
  }
  return faults;
}

function Size({ item, before, indexed }: { item: Item | undefined; before: Item | undefined; indexed: boolean }) {
  if (!item) return <span className="item-size">Not an item yet</span>;
  const bytes = itemSize(item);
  const larger = Math.max(bytes, before ? itemSize(before) : 0);
  const over = bytes > MAX_ITEM_BYTES;
  return (
    <span className={over ? 'item-size over' : 'item-size'} role="status" data-testid="size">
      <strong>{bytes < 1024 ? plural('byte', bytes) : `${formatCount(bytes)} bytes (${formatBytes(bytes)})`}</strong>
      <span>{plural('attribute', Object.keys(item).length)}</span>
      <span title="Each index that holds the item costs units of its own.">
        {plural('write unit', writeUnits(larger))} to save{indexed && ', without indexes'}
      </span>
      <span>
        {plural('read unit', readUnits(bytes, true))} to read, {readUnits(bytes, false)} eventually consistent
      </span>
      {over && <span>An item may have {formatCount(MAX_ITEM_BYTES)} bytes.</span>}
    </span>
  );
}

