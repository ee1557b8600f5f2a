/** What is done to a sink after a question: verifying it, filling its index anew, deleting it; and its settings. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { useEffect, useRef, useState } from 'react';
import { notify } from '../../app/notices.ts';
import { callPartita } from '../../aws/index.ts';
import { CodeBlock, ConfirmByName, Dialog, ErrorBox, formatBytes, formatCount, formatTime, useSubmit, WriteButton } from '../../components/index.ts';
import { shownUrl } from './sink_kinds.ts';
import { type Comparison, isEqual, type Sink, takesChanges } from './sink_state.ts';

interface Props {
  sink: Sink;
  onClose: () => void;
  onDone: () => void;
}

export const nameOf = (sink: Sink) => ({ TableName: sink.TableName, SinkName: sink.SinkName });

export function DeleteSink({ sink, onClose, onDone }: Props) {
  const [index, setIndex] = useState(false);
  const deleting = sink.State === 'DELETING';
  return (
    <ConfirmByName
      title={`Delete sink ${sink.SinkName}`}
      name={sink.SinkName}
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await callPartita('DeleteSink', { ...nameOf(sink), DeleteIndex: index || undefined });
        notify({ type: 'success', content: `Sink ${sink.SinkName} is being deleted.` });
        onDone();
      }}
    >
      {takesChanges(sink) && <p>The changes that wait are dropped. What the other end has stays there.</p>}
      {!takesChanges(sink) && deleting && <p>The deletion ends without the index at the other end, which may stay there.</p>}
      {!takesChanges(sink) && !deleting && (
        <>
          <p>The index at the other end is no longer kept up to date.</p>
          <Checkbox checked={index} onChange={({ detail }) => setIndex(detail.checked)}>
            Delete the index at the other end too
          </Checkbox>
        </>
      )}
    </ConfirmByName>
  );
}

export function FillSink({ sink, onClose, onDone }: Props) {
  const { busy, error, submit } = useSubmit();
  const fill = async () => {
    await callPartita('RetrySink', { ...nameOf(sink), Fill: true });
    notify({ type: 'success', content: `Sink ${sink.SinkName} sends the whole table again.` });
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={`Send all of ${sink.TableName} again`}
      onClose={onClose}
      action={
        <WriteButton variant="primary" loading={busy} onClick={() => void submit(fill)} data-testid="save">
          Send all items
        </WriteButton>
      }
    >
      <p>All items are sent to a new index. Searches see the old one until that is complete; then it is deleted.</p>
      <ErrorBox error={error} />
    </Dialog>
  );
}

export function VerifySink({ sink, onClose }: Omit<Props, 'onDone'>) {
  const [found, setFound] = useState<Comparison>();
  const { busy, error, submit } = useSubmit();
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const verify = async () => {
    setFound(undefined);
    setFound(await callPartita<Comparison>('VerifySink', nameOf(sink), { signal: abort.current.signal, noRetries: true }));
  };
  return (
    <Dialog
      title={`Verify sink ${sink.SinkName}`}
      size="large"
      onClose={onClose}
      closeText="Close"
      action={
        <Button variant="primary" loading={busy} onClick={() => void submit(verify)} data-testid="verify">
          {found ? 'Verify again' : 'Verify'}
        </Button>
      }
    >
      <p>Compares all items with their documents. This reads the whole table and the whole index.</p>
      {found && (
        <>
          <Alert type={isEqual(found) ? 'success' : 'warning'}>
            {isEqual(found) ? 'The documents are what the table holds.' : 'Documents differ from the items. Changes that wait count too. “Send all items again” repairs it.'}
          </Alert>
          <KeyValuePairs
            columns={4}
            items={[
              { label: 'Items to be there', value: formatCount(found.Items) },
              { label: 'Documents', value: formatCount(found.Documents) },
              { label: 'Different', value: formatCount(found.Different) },
              { label: 'Rejected', value: formatCount(found.Rejected) },
            ]}
          />
          {found.Ids.length > 0 && <CodeBlock text={found.Ids.join('\n')} label="Documents that differ" height="short" />}
        </>
      )}
      <ErrorBox error={error} header="The sink was not verified" />
    </Dialog>
  );
}

/** All settings of a sink. */
export function SinkSettings({ sink, onClose }: Omit<Props, 'onDone'>) {
  const pairs = (of: Record<string, string> | undefined) => Object.entries(of ?? {}).map(([name, value]) => `${name}=${value}`).join('\n');
  const items: [string, string | undefined][] = [
    ['Destination', shownUrl(sink.Url)],
    ['Belongs to', sink.Owner],
    ['Created', formatTime(sink.CreationDateTime)],
    ['Table of dead letters', sink.DeadLetterTableName],
    ['May wait, at most', formatBytes(sink.MaxBacklogBytes)],
    ['Options', pairs(sink.Options)],
    ['Index', sink.IndexName],
    ['Documents', sink.Document],
    ['Attributes', sink.Fields?.join(', ')],
    ['FilterExpression', sink.FilterExpression],
    ['ExpressionAttributeNames', pairs(sink.ExpressionAttributeNames)],
    ['ExpressionAttributeValues', sink.ExpressionAttributeValues && JSON.stringify(sink.ExpressionAttributeValues)],
    ['File with credentials', sink.CredentialsFile],
    ['File with authorities', sink.AuthorityFile],
  ];
  return (
    <Dialog title={`Sink ${sink.SinkName}`} size="large" onClose={onClose} closeText="Close">
      <KeyValuePairs columns={2} items={items.filter(([, value]) => value).map(([label, value]) => ({ label, value: <span className="prewrap">{value}</span> }))} />
    </Dialog>
  );
}
