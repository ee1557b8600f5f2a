import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useQueryState } from '../../app/router.ts';
import { plural, TableSelect } from '../../components/index.ts';
import { type Item, summary } from '../../values/index.ts';
import { usePolled } from './poll.ts';
import { shortFigure } from './samples.ts';
import { Nothing, Trouble } from './states.tsx';

interface HotKey {
  Key: Item;
  IndexName?: string;
  Units: number;
  ErrorUnits: number;
}

interface HotKeysReply {
  TableName: string;
  WindowSeconds: number;
  Units: number;
  HotKeys: HotKey[];
}

export function HotKeys() {
  const [table, setTable] = useQueryState('table', '');
  const polled = usePolled<HotKeysReply>('DescribeHotKeys', `keys ${table}`, () => (table ? { TableName: table, Limit: 50 } : undefined));
  const data = polled.data;
  return (
    <SpaceBetween size="m">
      <FormField label="Table">
        <div style={{ maxWidth: 420 }}>
          <TableSelect value={table || undefined} onChange={setTable} />
        </div>
      </FormField>
      <Trouble of={polled} header="The keys could not be read" />
      {!table && !polled.absent && <Nothing title="Choose a table">Keys are counted while this page shows them, and for one minute after.</Nothing>}
      {table && data && <KeysTable data={data} />}
    </SpaceBetween>
  );
}

const columns = (data: HotKeysReply): TableProps.ColumnDefinition<HotKey & { rank: number }>[] => [
  { id: 'rank', header: '#', cell: (key) => <span className="tabular">{key.rank}</span>, width: 60 },
  {
    id: 'key',
    header: 'Partition key',
    isRowHeader: true,
    cell: (key) => (
      <span className="mono">
        {Object.entries(key.Key).map(([name, value], index) => (
          <span key={name}>
            {index > 0 && ', '}
            <Box variant="span" color="text-body-secondary">
              {name} =
            </Box>{' '}
            {summary(value)}
          </span>
        ))}
      </span>
    ),
  },
  { id: 'index', header: 'Index', cell: (key) => key.IndexName ?? '–', width: 160 },
  {
    id: 'share',
    header: 'Share of all units',
    cell: (key) => {
      const share = data.Units ? Math.min(1, key.Units / data.Units) : 0;
      return (
        <div className="share tone-b">
          <span>{(share * 100).toFixed(1)}%</span>
          <div className="share-track">
            <div className="share-bar" style={{ width: `${share * 100}%` }} />
          </div>
        </div>
      );
    },
  },
  { id: 'rate', header: 'Units/s', cell: (key) => <span className="tabular">{shortFigure(key.Units / Math.max(1, data.WindowSeconds))}</span>, width: 110 },
  { id: 'units', header: 'Units', cell: (key) => <span className="tabular">{shortFigure(key.Units)}</span>, width: 110 },
  {
    id: 'error',
    header: 'Error at most',
    cell: (key) => <span className="tabular">{key.ErrorUnits ? shortFigure(key.ErrorUnits) : 'exact'}</span>,
    width: 180,
  },
];

function KeysTable({ data }: { data: HotKeysReply }) {
  return (
    <Table
      variant="container"
      contentDensity="compact"
      header={
        <Header
          variant="h2"
          description={`${shortFigure(data.Units)} capacity units in the last ${plural('second', Math.max(1, Math.round(data.WindowSeconds)))}. A Scan has no key, so it is not counted.`}
        >
          Hottest keys of {data.TableName}
        </Header>
      }
      items={data.HotKeys.map((key, index) => ({ ...key, rank: index + 1 }))}
      columnDefinitions={columns(data)}
      trackBy={(key) => `${key.IndexName ?? ''} ${JSON.stringify(key.Key)}`}
      ariaLabels={{ tableLabel: 'Hottest keys' }}
      empty={<Nothing title="No key was read or written">Keys appear here within a second after a request names them.</Nothing>}
    />
  );
}
