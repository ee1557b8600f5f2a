/** Someone else wrote the item meanwhile: what was, what you want, what is there; and which of it to keep. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMemo, useState } from 'react';
import { WriteButton } from '../../components/index.ts';
import { type AttributeValue, emptyItem, equalValues, type Item, type Json, printJson, toPlain, TYPE_NAMES, typeOf } from '../../values/index.ts';
import { type Difference, differences, merged, type Side } from './save.ts';
import type { Dispute } from './use_saving.ts';

interface Props {
  /** As it was read; undefined for a new item. */
  before: Item | undefined;
  yours: Item;
  dispute: Dispute;
  busy: boolean;
  /** Writes `wanted` over `base`, if `base` is what is there. */
  onWrite: (base: Item | undefined, wanted: Item) => void;
  onKeepEditing: (base: Item | undefined, wanted: Item) => void;
  /** Drops one's own changes. */
  onTheirs?: () => void;
  onClose: () => void;
}

export function Conflict(props: Props) {
  const { before, yours, dispute, busy } = props;
  if (dispute === 'deleted') {
    return (
      <Alert
        type="warning"
        header="The item was deleted meanwhile"
        action={
          <SpaceBetween direction="horizontal" size="xs">
            <Button onClick={props.onClose}>Keep editing</Button>
            <WriteButton loading={busy} onClick={() => props.onWrite(undefined, yours)}>
              Create it again
            </WriteButton>
          </SpaceBetween>
        }
      >
        Nothing was written.
      </Alert>
    );
  }
  return <Choice {...props} before={before ?? emptyItem()} isNew={!before} theirs={dispute.theirs} />;
}

function Choice({ before, yours, theirs, isNew, busy, onWrite, onKeepEditing, onTheirs, onClose }: Props & { before: Item; theirs: Item; isNew: boolean }) {
  const list = useMemo(() => differences(before, yours, theirs), [before, yours, theirs]);
  const [chosen, setChosen] = useState<Record<string, Side>>({});
  const sideOf = (each: Difference): Side => (Object.hasOwn(chosen, each.name) ? chosen[each.name]! : each.suggested);
  const wanted = merged(theirs, list, chosen);
  const conflicts = list.filter((each) => each.conflict).length;
  // Where both want the same there is nothing to choose.
  const open = list.filter((each) => !(each.yours && each.theirs && equalValues(each.yours, each.theirs)));
  return (
    <Alert type="warning" header={isNew ? 'There is an item with this key already' : 'Someone else changed the item'}>
      <div className="conflict" data-testid="conflict">
        <div>
          Nothing was written.{' '}
          {isNew
            ? `Give the new item another key${open.length ? ', or choose what to keep of both' : '. The two are the same in all else'}.`
            : conflicts
              ? `${conflicts === 1 ? 'One attribute was' : `${conflicts} attributes were`} changed by both. Choose what to keep.`
              : 'No attribute was changed by both: the proposal keeps both changes.'}
        </div>
        {open.length > 0 && (<table>
          <thead>
            <tr>
              <th scope="col">Attribute</th>
              {!isNew && <th scope="col">Before</th>}
              <th scope="col">Yours</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {open.map((each) => (
              <tr key={each.name} className={each.conflict ? 'both' : undefined}>
                <th scope="row">{each.name}</th>
                {!isNew && (
                  <td>
                    <Shown value={each.before} />
                  </td>
                )}
                {(['yours', 'theirs'] as const).map((side) => (
                  <td key={side} className={sideOf(each) === side ? 'kept' : undefined}>
                    <label>
                      <input
                        type="radio"
                        name={`keep ${each.name}`}
                        checked={sideOf(each) === side}
                        aria-label={`Keep ${side} of ${each.name}`}
                        onChange={() => setChosen((was) => Object.assign(Object.create(null) as Record<string, Side>, was, { [each.name]: side }))}
                      />
                      <Shown value={each[side]} />
                    </label>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>)}
        <SpaceBetween direction="horizontal" size="xs">
          {(open.length > 0 || !isNew) && (
            <>
              <WriteButton variant="primary" loading={busy} onClick={() => onWrite(theirs, wanted)} data-testid="save-merge">
                Save this merge
              </WriteButton>{' '}
              <Button onClick={() => onKeepEditing(theirs, wanted)}>Edit this merge</Button>
            </>
          )}
          {onTheirs && <Button onClick={onTheirs}>Take theirs</Button>}
          <Button variant="link" onClick={onClose}>
            Close
          </Button>
        </SpaceBetween>
      </div>
    </Alert>
  );
}

function Shown({ value }: { value: AttributeValue | undefined }) {
  if (!value) return <span className="absent">absent</span>;
  const text = printJson(toPlain(Object.assign(emptyItem(), { value })).json.value as Json, 2, 40);
  return (
    <span className="shown">
      <span className="type-tag" title={TYPE_NAMES[typeOf(value)]}>
        {typeOf(value)}
      </span>{' '}
      {text.length > 400 ? `${text.slice(0, 400)}…` : text}
    </span>
  );
}
