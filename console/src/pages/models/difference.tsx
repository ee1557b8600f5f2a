import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { call, codeOf, type TableDescription, useSession } from '../../aws/index.ts';
import { describeTable, ErrorBox, plural, useAsync } from '../../components/index.ts';
import { equalItems, type Item } from '../../values/index.ts';
import { idOf } from '../picture/schema.ts';
import { type Model, type ModelTable, pictureOf } from './file.ts';
import { type Difference as Found, differences } from './tables.ts';

interface Compared {
  table: ModelTable;
  found: Found[];
  /** Sample items that the server lacks, has otherwise, has alike. */
  missing: number;
  other: number;
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
  const found = differences(table, description);
  const counts = { missing: 0, other: 0, same: 0 };
  if (description && !found.some((each) => each.what === 'Keys')) {
    const shape = pictureOf(table);
    const there = await serverItems(table, description);
    for (const item of table.items) {
      const live = there.get(idOf(item, shape));
      counts[!live ? 'missing' : equalItems(live, item) ? 'same' : 'other']++;
    }
  }
  return { table, found, ...counts };
}

/** What the tables of the same names on the server have otherwise. */
export function Difference({ model }: { model: Model }) {
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
      {compared.data.map((each) => (
        <Container
          key={each.table.name}
          header={
            <Header variant="h2" description={sampleText(each)}>
              {each.table.name}
            </Header>
          }
        >
          {each.found.length ? (
            <Table
              variant="embedded"
              contentDensity="compact"
              items={each.found}
              trackBy="what"
              ariaLabels={{ tableLabel: `Differences of ${each.table.name}` }}
              columnDefinitions={[
                { id: 'what', header: 'What', cell: (row) => row.what, isRowHeader: true },
                { id: 'model', header: 'In the model', cell: (row) => row.model },
                { id: 'server', header: 'On the server', cell: (row) => row.server },
              ]}
            />
          ) : (
            <StatusIndicator type="success">Keys, indexes and capacity are the same.</StatusIndicator>
          )}
        </Container>
      ))}
    </SpaceBetween>
  );
}

function sampleText({ missing, other, same }: Compared): string | undefined {
  if (!missing && !other && !same) return undefined;
  return `Sample items: ${plural('item', same)} the same, ${other} with other attributes, ${missing} not on the server`;
}
