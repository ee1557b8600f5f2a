/** What the tables of the same names on the server have otherwise. Nothing is applied but by choice. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import { notify } from '../../app/notices.ts';
import { batchWrite, call, codeOf, type TableDescription, useSession } from '../../aws/index.ts';
import { ChangeDialog, describeTable, Dialog, ErrorBox, plural, tablesChanged, useAsync, useSubmit, WriteButton } from '../../components/index.ts';
import { equalItems, type Item } from '../../values/index.ts';
import { idOf } from '../picture/schema.ts';
import { DeleteIndex } from '../tables/indexes.tsx';
import { addItems, withTable } from './edit.ts';
import { type Model, type ModelTable, pictureOf } from './file.ts';
import { type Difference as Found, differences, likeServer } from './tables.ts';

interface Compared {
  table: ModelTable;
  description?: TableDescription;
  found: Found[];
  /** Sample items that the server lacks. */
  missing: Item[];
  /** Sample items that the server has with other attributes, and those that it has. */
  other: Item[];
  theirs: Item[];
  same: number;
}

const BATCH = 100;

async function serverItems(table: ModelTable, description: TableDescription): Promise<Map<string, Item>> {
  const shape = pictureOf(table);
  const keys = [...shape.keys.partition, ...shape.keys.sort];
  const found = new Map<string, Item>();
  for (let at = 0; at < table.items.length; at += BATCH) {
    let wanted: unknown = { [description.TableName!]: { Keys: table.items.slice(at, at + BATCH).map((item) => Object.fromEntries(keys.map((key) => [key, item[key]!]))) } };
    while (wanted) {
      const reply = await call('BatchGetItem', { RequestItems: wanted } as never);
      for (const item of (reply.Responses?.[description.TableName!] ?? []) as Item[]) found.set(idOf(item, shape), item);
      wanted = Object.keys(reply.UnprocessedKeys ?? {}).length ? reply.UnprocessedKeys : undefined;
    }
  }
  return found;
}

async function compare(table: ModelTable): Promise<Compared> {
  const description = await describeTable(table.name, true).catch((error: unknown) => {
    if (codeOf(error) === 'ResourceNotFoundException') return undefined;
    throw error;
  });
  const compared: Compared = { table, description, found: differences(table, description), missing: [], other: [], theirs: [], same: 0 };
  if (description && !compared.found.some((each) => each.what === 'Keys')) {
    const shape = pictureOf(table);
    const there = await serverItems(table, description);
    for (const item of table.items) {
      const live = there.get(idOf(item, shape));
      if (!live) compared.missing.push(item);
      else if (equalItems(live, item)) compared.same++;
      else {
        compared.other.push(item);
        compared.theirs.push(live);
      }
    }
  }
  return compared;
}

interface Props {
  model: Model;
  onChange: (edit: (model: Model) => Model) => boolean;
  onMake: () => void;
}

export function Difference({ model, onChange, onMake }: Props) {
  const { namespace } = useSession();
  const compared = useAsync(`${namespace} ${JSON.stringify(model.tree)}`, () => Promise.all(model.tables.map(compare)));
  if (compared.error) return <ErrorBox error={compared.error} header="The tables could not be compared" onRetry={compared.reload} />;
  if (!compared.data) return <Spinner size="large" />;
  return (
    <SpaceBetween size="m">
      <Box float="right">
        <Button iconName="refresh" onClick={compared.reload} loading={compared.loading}>
          Compare again
        </Button>
      </Box>
      {compared.data.map((each, place) => (
        <ComparedTable
          key={each.table.name}
          compared={each}
          onMake={onMake}
          onApplied={compared.reload}
          onTake={(items) =>
            onChange((before) =>
              withTable(before, place, (tree) => (items ? addItems(tree, pictureOf(each.table), items) : likeServer(tree, each.table, each.description!))),
            )
          }
        />
      ))}
    </SpaceBetween>
  );
}

interface TableProps {
  compared: Compared;
  onMake: () => void;
  onApplied: () => void;
  /** Takes the server's items into the model, or without them its keys, indexes and capacity. */
  onTake: (items?: Item[]) => void;
}

function ComparedTable({ compared, onMake, onApplied, onTake }: TableProps) {
  const { table, description, found, missing, other, theirs } = compared;
  const [update, setUpdate] = useState<Found>();
  const [deleting, setDeleting] = useState<string>();
  const [putting, setPutting] = useState(false);
  const takes = description && found.some((each) => !each.why || each.what === 'Keys');
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={sampleText(compared)}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              {takes && <Button onClick={() => onTake()}>Read keys and indexes into the model</Button>}
              {theirs.length > 0 && <Button onClick={() => onTake(theirs)}>Read {plural('item', theirs.length)} into the model</Button>}
              {missing.length + other.length > 0 && <WriteButton onClick={() => setPutting(true)}>Put sample items</WriteButton>}
            </SpaceBetween>
          }
        >
          {table.name}
        </Header>
      }
    >
      {found.length ? (
        <Table
          variant="embedded"
          contentDensity="compact"
          items={found}
          trackBy="what"
          wrapLines
          ariaLabels={{ tableLabel: `Differences of ${table.name}` }}
          columnDefinitions={[
            { id: 'what', header: 'What', cell: (row) => row.what, isRowHeader: true },
            { id: 'model', header: 'In the model', cell: (row) => row.model },
            { id: 'server', header: 'On the server', cell: (row) => row.server },
            {
              id: 'apply',
              header: 'Change the server',
              cell: (row) => {
                if (row.why) return row.why;
                if (!description) return <WriteButton variant="inline-link" onClick={onMake}>Make the table</WriteButton>;
                if (row.update) return <WriteButton variant="inline-link" ariaLabel={`Apply: ${row.what}`} onClick={() => setUpdate(row)}>Apply</WriteButton>;
                return <WriteButton variant="inline-link" ariaLabel={`Delete: ${row.what}`} onClick={() => setDeleting(row.index)}>{row.model === '–' ? 'Delete' : 'Delete, then create anew'}</WriteButton>;
              },
            },
          ]}
        />
      ) : (
        <StatusIndicator type="success">Keys, indexes and capacity are the same.</StatusIndicator>
      )}
      {update && (
        <ChangeDialog
          title={`${update.what} of ${table.name}`}
          action="Apply"
          requests={[{ operation: 'UpdateTable', input: { TableName: table.name, ...update.update } }]}
          done={`${table.name} is being changed.`}
          onDone={onApplied}
          onClose={() => setUpdate(undefined)}
        />
      )}
      {deleting && (
        <DeleteIndex
          table={description!}
          row={{ name: deleting, kind: 'Global' }}
          onClose={() => {
            setDeleting(undefined);
            onApplied();
          }}
        />
      )}
      {putting && <PutItems compared={compared} onDone={onApplied} onClose={() => setPutting(false)} />}
    </Container>
  );
}

function PutItems({ compared, onDone, onClose }: { compared: Compared; onDone: () => void; onClose: () => void }) {
  const { table, missing, other } = compared;
  const [replace, setReplace] = useState(false);
  const { busy, error, submit } = useSubmit();
  const items = replace ? [...missing, ...other] : missing;
  const put = async () => {
    await batchWrite(table.name, items.map((Item) => ({ PutRequest: { Item } })));
    tablesChanged();
    notify({ type: 'success', content: `${plural('item', items.length)} put into ${table.name}.` });
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={`Put sample items into ${table.name}`}
      onClose={onClose}
      action={
        <WriteButton variant="primary" disabled={!items.length} loading={busy} onClick={() => void submit(put)}>
          Put {plural('item', items.length)}
        </WriteButton>
      }
    >
      <Box>{missing.length ? `${plural('sample item', missing.length)} of the model ${missing.length === 1 ? 'is' : 'are'} not on the server.` : 'The server has all keys of the sample items.'}</Box>
      {other.length > 0 && (
        <Checkbox checked={replace} onChange={({ detail }) => setReplace(detail.checked)}>
          Replace {plural('item', other.length)} that the server has with other attributes
        </Checkbox>
      )}
      <ErrorBox error={error} header="Not all items were put" />
    </Dialog>
  );
}

function sampleText({ missing, other, same }: Compared): string | undefined {
  if (!missing.length && !other.length && !same) return undefined;
  return `Sample items: ${plural('item', same)} the same, ${other.length} with other attributes, ${missing.length} not on the server`;
}
