import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useQueryState } from '../../app/router.ts';
import { call, isAbort, type TableDescription, useSession } from '../../aws/index.ts';
import { ErrorBox, formatCount, formatTime, plural, tablesChanged, TableSelect, usePolling, useSubmit, useTable, WriteButton } from '../../components/index.ts';
import { Grid, type GridColumn } from '../../components/grid.tsx';
import { type AttributeValue, type Item, printJson, summary, typeOf } from '../../values/index.ts';
import type { Json } from '../../values/json.ts';
import { type Change, changesOf } from './diff.ts';
import { Nothing } from './states.tsx';
import { type StreamRecord, Tail } from './tail.ts';

const KEPT = 5000;
const POLL = 700; // below the two seconds within which a change is promised to be seen

export function StreamTail() {
  const [name, setName] = useQueryState('table', '');
  const table = useTable(name || undefined);
  return (
    <SpaceBetween size="m">
      <FormField label="Table">
        <div style={{ maxWidth: 420 }}>
          <TableSelect value={name || undefined} onChange={setName} />
        </div>
      </FormField>
      <ErrorBox error={table.error} header="The table could not be read" onRetry={table.reload} />
      {!name && <Nothing title="Choose a table">Its changes appear here as they are written.</Nothing>}
      {table.data && (table.data.LatestStreamArn && table.data.StreamSpecification?.StreamEnabled ? (
        <Records key={table.data.LatestStreamArn} table={table.data} arn={table.data.LatestStreamArn} />
      ) : (
        <NoStream name={name} />
      ))}
    </SpaceBetween>
  );
}

function NoStream({ name }: { name: string }) {
  const { busy, error, submit } = useSubmit();
  const turnOn = async () => {
    await call('UpdateTable', { TableName: name, StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
    tablesChanged();
  };
  return (
    <SpaceBetween size="m">
      <ErrorBox error={error} header="The stream was not turned on" />
      <Nothing title={`${name} has no stream`}>
        <Box padding={{ vertical: 's' }} color="inherit">
          A stream records each change for 24 hours, here with the item as it was and as it is.
        </Box>
        <WriteButton variant="primary" loading={busy} onClick={() => void submit(turnOn)}>
          Turn on the stream
        </WriteButton>
      </Nothing>
    </SpaceBetween>
  );
}

const EVENTS = [
  { value: '', label: 'All events' },
  { value: 'INSERT', label: 'Inserts' },
  { value: 'MODIFY', label: 'Changes' },
  { value: 'REMOVE', label: 'Removals' },
];

const keyText = (keys: Item) => Object.values(keys).map(summary).join(' / ');

function noteOf(record: StreamRecord): string {
  const { OldImage: before, NewImage: after } = record.dynamodb;
  if (record.userIdentity?.type === 'Service') return 'removed by time to live';
  if (record.eventName !== 'MODIFY') return plural('attribute', Object.keys(after ?? before ?? record.dynamodb.Keys).length);
  if (!before || !after) return '';
  return changesOf(before, after)
    .filter((each) => each.kind !== 'same')
    .map((each) => each.path)
    .join(', ');
}

function Records({ table, arn }: { table: TableDescription; arn: string }) {
  const session = useSession();
  const [from, setFrom] = useState<'LATEST' | 'TRIM_HORIZON'>('LATEST');
  const [running, setRunning] = useState(true);
  const [records, setRecords] = useState<StreamRecord[]>([]);
  const [error, setError] = useState<unknown>();
  const [event, setEvent] = useState('');
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [shards, setShards] = useState<number>();
  const tail = useMemo(
    () => new Tail((operation, input) => call(operation as 'DescribeStream', input), arn, from),
    [arn, from, session.namespace],
  );
  const latest = useRef(tail);
  latest.current = tail;

  const read = async () => {
    try {
      const fresh = await tail.read();
      if (latest.current !== tail) return;
      setShards(tail.open);
      setError(undefined);
      // The newest record comes first.
      if (fresh.length) setRecords((before) => [...fresh.reverse(), ...before].slice(0, KEPT));
    } catch (fault) {
      if (!isAbort(fault) && latest.current === tail) setError(fault);
    }
  };
  useEffect(() => {
    setRecords([]);
    setShards(undefined);
    void read();
  }, [tail]);
  usePolling(read, error ? 5000 : POLL, running && shards !== undefined);

  const wanted = text.toLowerCase();
  const shown = records.filter(
    (each) => (!event || each.eventName === event) && (!wanted || keyText(each.dynamodb.Keys).toLowerCase().includes(wanted)),
  );
  const open = shown.find((each) => each.eventID === chosen) ?? shown[0];
  const columns: GridColumn[] = [
    { id: 'time', header: 'Time', width: 160, render: (row) => <span className="mono">{formatTime(shown[row]!.dynamodb.ApproximateCreationDateTime)}</span> },
    {
      id: 'event',
      header: 'Event',
      width: 90,
      render: (row) => <span className={`tail-event tail-${shown[row]!.eventName.toLowerCase()}`}>{shown[row]!.eventName}</span>,
    },
    { id: 'key', header: 'Key', width: 230, render: (row) => <span className="mono">{keyText(shown[row]!.dynamodb.Keys)}</span> },
    { id: 'note', header: 'What changed', width: 320, render: (row) => noteOf(shown[row]!) },
  ];
  const view = table.StreamSpecification?.StreamViewType;
  return (
    <SpaceBetween size="m">
      <ErrorBox error={error} header="The stream could not be read" onRetry={() => void read()} />
      {view !== 'NEW_AND_OLD_IMAGES' && (
        <StatusIndicator type="info">This stream records {view ?? 'keys'} only, so a comparison of old and new is not possible.</StatusIndicator>
      )}
      <SpaceBetween direction="horizontal" size="xs" alignItems="center">
        <Button onClick={() => setRunning(!running)} data-testid="tail-pause">
          {running ? 'Pause' : 'Go on'}
        </Button>
        <Select
          ariaLabel="Event"
          selectedOption={EVENTS.find((each) => each.value === event)!}
          options={EVENTS}
          onChange={({ detail }) => setEvent(detail.selectedOption.value!)}
        />
        <Input type="search" value={text} placeholder="Find a key" ariaLabel="Find a key" onChange={({ detail }) => setText(detail.value)} />
        <Checkbox checked={from === 'TRIM_HORIZON'} onChange={({ detail }) => setFrom(detail.checked ? 'TRIM_HORIZON' : 'LATEST')}>
          From the start of the stream
        </Checkbox>
        <Button disabled={!records.length} onClick={() => setRecords([])}>
          Clear
        </Button>
        <StatusIndicator type={!running ? 'stopped' : shards === undefined ? 'loading' : 'success'}>
          {!running ? 'Paused' : shards === undefined ? 'Opening the shards' : `Following ${plural('shard', shards)} · ${plural('record', shown.length)}`}
        </StatusIndicator>
      </SpaceBetween>
      <div className="tail">
        <Grid
          label={`Changes of ${table.TableName}`}
          columns={columns}
          rowCount={shown.length}
          height="calc(100vh - 400px)"
          onActive={(row) => setChosen(shown[row]?.eventID)}
          rowClass={(row) => (shown[row]?.eventID === open?.eventID ? 'selected' : undefined)}
          empty={shards === undefined ? 'Opening the shards' : 'No change yet. Write to the table, and it appears here.'}
        />
        {open && <Details record={open} />}
      </div>
    </SpaceBetween>
  );
}

const MARKS: Record<Change['kind'], string> = { added: '+', removed: '−', changed: '≠', same: '' };

export function valueText(value: AttributeValue | undefined): string {
  if (!value) return '';
  const tag = typeOf(value);
  return tag === 'M' || tag === 'L' ? printJson(value as unknown as Json) : summary(value);
}

function Details({ record }: { record: StreamRecord }) {
  const { OldImage: before, NewImage: after, Keys } = record.dynamodb;
  const rows = before || after ? changesOf(before, after) : changesOf(undefined, Keys).map((each) => ({ ...each, kind: 'same' as const }));
  return (
    <Container
      header={
        <Header variant="h3" description={`Sequence number ${record.dynamodb.SequenceNumber}, ${formatCount(record.dynamodb.SizeBytes)} bytes`}>
          {keyText(Keys)}
        </Header>
      }
    >
      <table className="diff" aria-label="Old and new image">
        <thead>
          <tr>
            <th scope="col">Attribute</th>
            <th scope="col">Old</th>
            <th scope="col">New</th>
          </tr>
        </thead>
        <tbody>
          {[...rows].sort((a, b) => Number(a.kind === 'same') - Number(b.kind === 'same')).map((row) => (
            <tr key={row.path} className={row.kind === 'same' ? 'same' : 'changed'} data-kind={row.kind}>
              <td>
                {MARKS[row.kind]} {row.path}
              </td>
              <td className={row.kind === 'removed' || row.kind === 'changed' ? 'old' : undefined}>{valueText(row.before)}</td>
              <td className={row.kind === 'added' || row.kind === 'changed' ? 'new' : undefined}>{valueText(row.after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Container>
  );
}
