/** The form: a row for each attribute, and below it the rows of what it holds. */
import { type MouseEvent, useState } from 'react';
import { FileValue, plural } from '../../components/index.ts';
import { base64Bytes, TYPE_NAMES, TYPES, type TypeTag } from '../../values/index.ts';
import { type Field, type FieldFaults, isSet, needsJson, newField, withType } from './draft.ts';

interface Props {
  fields: Field[];
  faults: FieldFaults;
  /** Names of attributes whose faults the server or the schema tells. */
  named: Map<string, string>;
  /** The key's attributes: of an existing item they cannot change. */
  keys: string[];
  fixedKeys: boolean;
  locked: boolean;
  onChange: (id: number, change: (field: Field) => Field | undefined) => void;
  onAdd: () => void;
}

export function FieldRows(props: Props) {
  // The first field of a key's name is the key; one that is being named like it is a fault.
  const keyIds = new Set(props.keys.map((name) => props.fields.find((each) => each.name === name)?.id));
  return (
    <div className="fields" role="group" aria-label="Attributes">
      {props.fields.map((field) => (
        <Row key={field.id} {...props} field={field} kind="attribute" depth={0} path={field.name} isKey={keyIds.has(field.id)} />
      ))}
      {!props.locked && (
        <button type="button" className="field-add" onClick={(event) => addAndFocus(event, props.onAdd)}>
          + Add attribute
        </button>
      )}
    </div>
  );
}

/** The new row is the one before the button, once it is drawn. */
function addAndFocus(event: MouseEvent<HTMLButtonElement>, add: () => void) {
  const button = event.currentTarget;
  add();
  setTimeout(() => button.previousElementSibling?.querySelector<HTMLElement>('.field-input')?.focus());
}

interface RowProps extends Props {
  field: Field;
  kind: 'attribute' | 'member' | 'element';
  depth: number;
  /** For screen readers: where the value is. */
  path: string;
  /** Of an element: its place. */
  position?: number;
  isKey?: boolean;
}

function Row(props: RowProps) {
  const { field, kind, depth, path, faults, named, locked, onChange, isKey = false } = props;
  const [open, setOpen] = useState(true);
  const fixed = isKey && props.fixedKeys;
  const fault = faults.get(field.id) ?? (depth === 0 ? named.get(field.name) : undefined);
  const holds = field.type === 'M' || field.type === 'L' || isSet(field.type);
  const label = path || 'new attribute';
  const replace = (change: Partial<Field>) => onChange(field.id, (before) => ({ ...before, ...change }));
  const addChild = () => {
    const type: TypeTag = isSet(field.type) ? (field.type[0] as TypeTag) : 'S';
    replace({ children: [...field.children, newField('', type)] });
    setOpen(true);
  };
  return (
    <>
      <div className={fault ? 'field-row invalid' : 'field-row'} style={{ paddingInlineStart: depth * 22 }}>
        <span className="field-lead">
          {holds ? (
            <button type="button" className="field-fold" aria-expanded={open} aria-label={open ? `Fold ${label}` : `Unfold ${label}`} onClick={() => setOpen(!open)}>
              {open ? '▾' : '▸'}
            </button>
          ) : isKey ? (
            <span className="key-mark" title="Part of the key">
              key
            </span>
          ) : null}
        </span>
        {kind === 'element' ? (
          <span className="field-position">[{props.position}]</span>
        ) : (
          <input
            className="field-input name"
            value={field.name}
            aria-label={field.name ? `Name of ${label}` : 'Name of the new attribute'}
            placeholder="Name"
            readOnly={fixed || locked || isKey}
            tabIndex={isKey ? -1 : undefined}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => replace({ name: event.target.value })}
          />
        )}
        <select
          className="field-input type"
          value={field.type}
          aria-label={`Type of ${label}`}
          tabIndex={isKey ? -1 : undefined}
          disabled={fixed || locked || kind === 'member'}
          onChange={(event) => onChange(field.id, (before) => withType(before, event.target.value as TypeTag))}
        >
          {TYPES.map((type) => (
            <option key={type} value={type}>
              {TYPE_NAMES[type]}
            </option>
          ))}
        </select>
        <FieldValue field={field} label={label} locked={fixed || locked} onChange={replace} />
        {!locked && !isKey && (
          <RemoveButton label={label} onClick={() => onChange(field.id, () => undefined)} />
        )}
        <FaultMessage path={path} fault={fault} />
      </div>
      {holds && open && (
        <>
          {field.children.map((child, at) =>
            isSet(field.type) ? (
              <MemberRow key={child.id} {...props} field={child} depth={depth + 1} path={`${path}[${at}]`} />
            ) : (
              <Row
                key={child.id}
                {...props}
                isKey={false}
                field={child}
                depth={depth + 1}
                kind={field.type === 'L' ? 'element' : 'attribute'}
                position={at}
                path={field.type === 'L' ? `${path}[${at}]` : `${path}.${child.name}`}
              />
            ),
          )}
          {!locked && (
            <button type="button" className="field-add" style={{ marginInlineStart: 30 + (depth + 1) * 22 }} onClick={(event) => addAndFocus(event, addChild)}>
              + {field.type === 'M' ? `Add to ${field.name || 'the map'}` : field.type === 'L' ? 'Add an element' : 'Add a member'}
            </button>
          )}
        </>
      )}
    </>
  );
}

/** A member of a set: a value without a name, whose type the set gives. */
function MemberRow({ field, depth, path, faults, locked, onChange }: RowProps | Omit<RowProps, 'kind'>) {
  const fault = faults.get(field.id);
  return (
    <div className={fault ? 'field-row member invalid' : 'field-row member'} style={{ paddingInlineStart: depth * 22 }}>
      <span className="field-lead" />
      <FieldValue field={field} label={path} locked={locked} onChange={(change) => onChange(field.id, (before) => ({ ...before, ...change }))} />
      {!locked && (
        <RemoveButton label={path} onClick={() => onChange(field.id, () => undefined)} />
      )}
      <FaultMessage path={path} fault={fault} />
    </div>
  );
}

function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="field-remove" aria-label={`Remove ${label}`} title="Remove" onClick={onClick}>
      ×
    </button>
  );
}

function FaultMessage({ path, fault }: { path: string; fault: string | undefined }) {
  if (!fault) return null;
  return (
    <div className="field-message" role="alert" data-fault={path}>
      {fault}
    </div>
  );
}

interface ValueProps {
  field: Field;
  label: string;
  locked: boolean;
  onChange: (change: Partial<Field>) => void;
}

function FieldValue({ field, label, locked, onChange }: ValueProps) {
  switch (field.type) {
    case 'BOOL':
      return (
        <label className="field-bool">
          <input type="checkbox" checked={field.on} disabled={locked} aria-label={`Value of ${label}`} onChange={(event) => onChange({ on: event.target.checked })} />
          {field.on ? 'true' : 'false'}
        </label>
      );
    case 'NULL':
      return <span className="field-none">null</span>;
    case 'M':
    case 'L':
    case 'SS':
    case 'NS':
    case 'BS':
      return <span className="field-none">{field.type === 'M' ? `{${field.children.length}}` : field.type === 'L' ? `[${field.children.length}]` : plural('member', field.children.length)}</span>;
    case 'S': {
      const asJson = needsJson(field.text);
      return (
        <textarea
          className="field-input text"
          rows={1}
          value={field.text}
          aria-label={`Value of ${label}`}
          placeholder="Empty text"
          readOnly={locked || asJson}
          title={asJson ? 'Holds control characters, which a browser changes: edit it as JSON.' : undefined}
          spellCheck={false}
          onChange={(event) => onChange({ text: event.target.value })}
        />
      );
    }
    default:
      return (
        <span className="field-with-note">
          <input
            className={`field-input ${field.type === 'N' ? 'number' : 'binary'}`}
            value={field.text}
            aria-label={`Value of ${label}`}
            placeholder={field.type === 'N' ? 'Number' : 'Base64'}
            inputMode={field.type === 'N' ? 'decimal' : undefined}
            readOnly={locked}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ text: event.target.value })}
          />
          {field.type === 'B' && (
            <>
              {!locked && <FileValue label={`Value of ${label}`} onChange={(text) => onChange({ text })} />}
              <small>{plural('byte', base64Bytes(field.text.trim()))}</small>
            </>
          )}
        </span>
      );
  }
}
