/** The sinks of a table: where its changes go, how far behind each is, and what is wrong. */
import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import Spinner from '@cloudscape-design/components/spinner';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import { notify } from '../../app/notices.ts';
import { follow, href, segment } from '../../app/router.ts';
import { callPartita, messageOf, missingAction, namespaceName, useReadOnly, useSession } from '../../aws/index.ts';
import { ErrorBox, formatCount, plural, useAsync, usePolling, WriteButton } from '../../components/index.ts';
import { CreateSink } from './create_sink.tsx';
import { Pair } from './pair.tsx';
import { DeleteSink, FillSink, nameOf, SinkSettings, VerifySink } from './sink_dialogs.tsx';
import { kindName, shownUrl } from './sink_kinds.ts';
import { formatLag, refusal, type Sink, type Sinks, type SinkVerb, takesChanges, waiting } from './sink_state.ts';

const STATES: Record<Sink['State'], [StatusIndicatorProps.Type, string]> = {
  FILLING: ['in-progress', 'Filling'],
  CARRYING: ['success', 'Carrying'],
  PAUSED: ['stopped', 'Paused'],
  FAILED: ['error', 'Failed'],
  DELETING: ['in-progress', 'Deleting'],
};

const POLLED = 2000; // milliseconds
const POLLED_REFUSED = 15000;

type Act = 'settings' | SinkVerb;
type Shown = { act: 'VerifySink' | 'Fill' | 'DeleteSink' | 'settings'; name: string } | { act: 'create' };

export function TableSinks({ table }: { table: string }) {
  const session = useSession();
  const namespace = session.server?.Namespaces === 'header' ? session.namespace : '';
  if (namespace) {
    return <Box color="text-body-secondary">Sinks are for tables of the namespace without a name. This one is {namespaceName(session)}.</Box>;
  }
  return <List key={table} table={table} />;
}

function List({ table }: { table: string }) {
  const session = useSession();
  const locked = useReadOnly();
  const [shown, setShown] = useState<Shown>();
  const who = `${session.credentials?.accessKeyId ?? ''} ${table}`;
  const loaded = useAsync(who, (signal) => callPartita<Sinks>('ListSinks', { TableName: table }, { signal }));
  usePolling(loaded.reload, missingAction(loaded.error) ? POLLED_REFUSED : POLLED);
  const close = () => setShown(undefined);

  const act = async (sink: Sink, what: Act) => {
    if (what !== 'PauseSink' && what !== 'ResumeSink' && what !== 'RetrySink') return setShown({ act: what, name: sink.SinkName });
    const done = { PauseSink: 'is paused', ResumeSink: 'goes on', RetrySink: 'sends its dead letters again' }[what];
    try {
      await callPartita(what, nameOf(sink));
      notify({ type: 'success', content: `Sink ${sink.SinkName} ${done}.` });
    } catch (error) {
      notify({ type: 'error', header: `${what} of ${sink.SinkName} was refused`, content: messageOf(error) });
    }
    loaded.reload();
  };

  if (!loaded.data) return loaded.error ? <ErrorBox error={loaded.error} header="The sinks could not be listed" onRetry={loaded.reload} /> : <Spinner />;
  const { Sinks: sinks, Schemes: schemes } = loaded.data;
  const sink = shown && shown.act !== 'create' ? sinks.find((each) => each.SinkName === shown.name) : undefined;
  return (
    <>
      <ErrorBox error={loaded.error} header="The sinks could not be listed again" />
      <Table
        items={sinks}
        trackBy="SinkName"
        wrapLines
        ariaLabels={{ tableLabel: 'Sinks' }}
        header={
          <Header
            variant="h2"
            counter={`(${sinks.length})`}
            description="Every change of the table is carried to these."
            actions={
              <WriteButton variant="primary" onClick={() => setShown({ act: 'create' })}>
                Create sink
              </WriteButton>
            }
          >
            Sinks
          </Header>
        }
        empty={<Box color="text-body-secondary">This table has no sinks.</Box>}
        columnDefinitions={[
          { id: 'name', header: 'Name', isRowHeader: true, minWidth: 140, cell: (each) => <Pair first={<b>{each.SinkName}</b>} second={each.Owner ?? kindName(each.Url)} /> },
          { id: 'state', header: 'State', minWidth: 260, cell: (each) => <State sink={each} /> },
          { id: 'url', header: 'Destination', minWidth: 200, cell: (each) => <span className="prewrap">{shownUrl(each.Url)}</span> },
          { id: 'lag', header: 'Behind', minWidth: 130, cell: (each) => <Pair first={<span className="tabular">{formatLag(each.LagSeconds)}</span>} second={waiting(each)} /> },
          {
            id: 'sent',
            header: 'Sent',
            cell: (each) => <Pair first={<span className="tabular">{formatCount(each.Sent)}</span>} second={takesChanges(each) ? each.Dropped ? `${formatCount(each.Dropped)} dropped` : '' : plural('conflict', each.Conflicts ?? 0)} />,
          },
          { id: 'rejected', header: 'Rejected', minWidth: 120, cell: (each) => <Rejected sink={each} /> },
          { id: 'actions', header: 'Actions', minWidth: 130, cell: (each) => <Actions sink={each} locked={locked} onAct={(what) => void act(each, what)} /> },
        ]}
      />
      {shown?.act === 'create' && <CreateSink table={table} schemes={schemes} onClose={close} onCreated={loaded.reload} />}
      {sink && shown?.act === 'settings' && <SinkSettings sink={sink} onClose={close} />}
      {sink && shown?.act === 'VerifySink' && <VerifySink sink={sink} onClose={close} />}
      {sink && shown?.act === 'Fill' && <FillSink sink={sink} onClose={close} onDone={loaded.reload} />}
      {sink && shown?.act === 'DeleteSink' && <DeleteSink sink={sink} onClose={close} onDone={loaded.reload} />}
    </>
  );
}

function State({ sink }: { sink: Sink }) {
  const [type, word] = STATES[sink.State] ?? ['pending', sink.State];
  const trouble = sink.State === 'CARRYING' && sink.Message;
  return (
    <>
      <StatusIndicator type={trouble ? 'warning' : type}>{word}</StatusIndicator>
      {sink.ItemsFilled !== undefined && <div className="cell-note">{plural('item', sink.ItemsFilled)} so far</div>}
      {sink.Message && <div className="cell-note prewrap">{sink.Message}</div>}
    </>
  );
}

/** How many were rejected since the sink was created; those that were not accepted later are in the table. */
function Rejected({ sink }: { sink: Sink }) {
  const letters = href(`explore/${segment(sink.DeadLetterTableName)}`, { mode: 'query', pk: `${sink.TableName}/${sink.SinkName}` });
  return (
    <Pair
      first={<span className="tabular">{formatCount(sink.Rejected)}</span>}
      second={sink.Rejected > 0 && <Link href={letters} onFollow={follow} fontSize="body-s" ariaLabel={`Dead letters of ${sink.SinkName}`}>Dead letters</Link>}
    />
  );
}

function Actions({ sink, locked, onAct }: { sink: Sink; locked: boolean; onAct: (what: Act) => void }) {
  const item = (id: SinkVerb, text: string) => {
    const reason = locked && id !== 'VerifySink' ? 'Read-only is on (at the top right).' : refusal(sink, id);
    return { id, text, disabled: !!reason, disabledReason: reason };
  };
  const changes = takesChanges(sink);
  return (
    <ButtonDropdown
      variant="inline-icon"
      ariaLabel={`Actions of sink ${sink.SinkName}`}
      expandToViewport
      items={[
        { id: 'settings', text: 'Settings' },
        item('PauseSink', 'Pause'),
        item('ResumeSink', 'Resume'),
        item('RetrySink', 'Send dead letters again'),
        ...(changes ? [] : [item('Fill', 'Send all items again'), item('VerifySink', 'Verify')]),
        item('DeleteSink', 'Delete'),
      ]}
      onItemClick={({ detail }) => onAct(detail.id as Act)}
    />
  );
}
