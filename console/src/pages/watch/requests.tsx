import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useMemo } from 'react';
import { useQueryState } from '../../app/router.ts';
import { useSession } from '../../aws/index.ts';
import { formatCount } from '../../components/index.ts';
import { Chart, Sparkline } from './chart.tsx';
import { usePolled } from './poll.ts';
import { appendSamples, lastSeconds, type Line, type Metrics, operationLines, type Point, pointOf, quantile, type Scope, shortFigure, tableLines } from './samples.ts';
import { Nothing, Trouble } from './states.tsx';

const SPANS = ['60', '300', '600'];

function scopeOf(text: string): Scope {
  const [kind, ...rest] = text.split(':');
  if ((kind === 'table' || kind === 'operation') && rest.length) return { kind, name: rest.join(':') };
  return { kind: 'server' };
}

const milliseconds = (value: number | undefined) => (value === undefined ? '–' : `${shortFigure(value)} ms`);

function uptime(seconds: number): string {
  const days = Math.floor(seconds / 86400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min` : `${Math.floor(seconds)} s`;
}

export function Requests() {
  const [span, setSpan] = useQueryState('span', '60');
  const [chosen, setChosen] = useQueryState('of', '');
  const seconds = SPANS.includes(span) ? Number(span) : 60;
  const scope = useMemo(() => scopeOf(chosen), [chosen]);
  // Asked since the last sample that is here, which only the state knows.
  const since: { at?: number } = useMemo(() => ({}), []);
  const polled = usePolled<Metrics>(
    'DescribeMetrics',
    'metrics',
    () => (since.at === undefined ? {} : { Since: since.at }),
    (before, fresh) => {
      const samples = appendSamples(before?.Samples ?? [], fresh.Samples);
      since.at = samples[samples.length - 1]?.Time;
      return { ...fresh, Samples: samples };
    },
  );
  const data = polled.data;
  const window = useMemo(() => lastSeconds(data?.Samples ?? [], seconds), [data, seconds]);
  const points = useMemo(() => window.samples.map((sample) => pointOf(sample, scope)), [window, scope]);
  const times = points.map((point) => point.time);
  const pick = (name: Exclude<keyof Point, 'time'>) => points.map((point) => point[name]);
  const { server, namespace } = useSession();
  // Requests are counted over the server; tables are those of the chosen namespace.
  const spaced = server !== undefined && server.Namespaces !== 'none';
  const here = server?.Namespaces === 'key' && server.Mode === 'verified' ? 'your namespace' : namespace ? `namespace ${namespace}` : 'the unnamed namespace';
  const last = lastSeconds(data?.Samples ?? [], 5);
  const rate = (name: 'Requests' | 'Errors' | 'Throttled') =>
    last.seconds ? last.samples.reduce((sum, sample) => sum + sample[name], 0) / last.seconds : 0;

  if (!data) return <Trouble of={polled} header="The figures could not be read" />;
  return (
    <SpaceBetween size="m">
      <Trouble of={polled} header="The figures could not be read" />
      <div className="watch-figures" data-testid="watch-figures">
        <Figure name="Requests a second" value={shortFigure(rate('Requests'))} />
        <Figure name="p50" value={milliseconds(quantile(window.samples, 0.5))} />
        <Figure name="p99" value={milliseconds(quantile(window.samples, 0.99))} />
        <Figure name="Errors a second" value={shortFigure(rate('Errors'))} />
        <Figure name="Throttled a second" value={shortFigure(rate('Throttled'))} />
        <Figure name="Requests since the start" value={formatCount(data.Totals.Requests)} />
        <Figure name="Up for" value={uptime(data.UptimeSeconds)} />
      </div>
      {spaced && <small className="watch-note">These figures count requests of all namespaces.</small>}
      <Header
        variant="h2"
        description={
          scope.kind === 'table' ? (spaced ? `Of ${here}` : undefined) : spaced ? 'Requests of all namespaces' : scope.kind === 'server' ? 'All requests of the server' : undefined
        }
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            {scope.kind !== 'server' && (
              <Button iconName="close" onClick={() => setChosen('')}>
                Whole server
              </Button>
            )}
            <SegmentedControl
              label="Time shown"
              selectedId={String(seconds)}
              onChange={({ detail }) => setSpan(detail.selectedId)}
              options={SPANS.map((id) => ({ id, text: `${Number(id) / 60} min` }))}
            />
          </SpaceBetween>
        }
      >
        {scope.kind === 'server' ? 'Whole server' : `${scope.kind === 'table' ? 'Table' : 'Operation'} ${scope.name}`}
      </Header>
      <div className="watch-charts">
        <Chart title="Requests" unit="/s" times={times} seconds={seconds} series={[{ name: 'requests', tone: 'a', area: true, values: pick('requests') }]} />
        <Chart
          title="Latency"
          unit=" ms"
          times={times}
          seconds={seconds}
          series={[
            { name: 'p99', tone: 'b', values: pick('p99') },
            { name: 'p50', tone: 'a', values: pick('p50') },
          ]}
        />
        <Chart
          title="Errors and throttled"
          unit="/s"
          times={times}
          seconds={seconds}
          series={[
            ...(scope.kind === 'table' ? [] : [{ name: 'errors', tone: 'bad' as const, values: pick('errors') }]),
            { name: 'throttled', tone: 'warn', values: pick('throttled') },
            ...(scope.kind === 'operation' ? [] : [{ name: 'beyond capacity', tone: 'b' as const, values: pick('wouldThrottle') }]),
          ]}
        />
        {scope.kind !== 'operation' && (
          <Chart
            title={spaced && scope.kind === 'server' ? `Capacity units of ${here}` : 'Capacity units'}
            unit="/s"
            times={times}
            seconds={seconds}
            series={[
              { name: 'read', tone: 'a', values: pick('readUnits') },
              { name: 'write', tone: 'b', values: pick('writeUnits') },
            ]}
          />
        )}
      </div>
      <Lines kind="table" of={spaced ? `Of ${here}` : undefined} lines={tableLines(window.samples)} seconds={window.seconds} chosen={chosen} onChoose={setChosen} />
      <Lines kind="operation" of={spaced ? 'Of all namespaces' : undefined} lines={operationLines(window.samples)} seconds={window.seconds} chosen={chosen} onChoose={setChosen} />
    </SpaceBetween>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="watch-figure">
      <span>{name}</span>
      <b>{value}</b>
    </div>
  );
}

interface LinesProps {
  kind: 'table' | 'operation';
  /** Which namespaces are counted. */
  of: string | undefined;
  lines: Line[];
  seconds: number;
  chosen: string;
  onChoose: (scope: string) => void;
}

function Lines({ kind, of, lines, seconds, chosen, onChoose }: LinesProps) {
  const rate = (count: number) => <span className="tabular">{shortFigure(count / (seconds || 1))}</span>;
  const title = kind === 'table' ? 'Tables' : 'Operations';
  const columns: TableProps.ColumnDefinition<Line>[] = [
    {
      id: 'name',
      header: kind === 'table' ? 'Table' : 'Operation',
      cell: (line) => (
        <Button variant="inline-link" ariaLabel={`Show ${line.name} in the charts`} onClick={() => onChoose(`${kind}:${line.name}`)}>
          {line.name}
        </Button>
      ),
      isRowHeader: true,
    },
    { id: 'trend', header: 'Trend', cell: (line) => <Sparkline values={line.trend} label={`Requests of ${line.name} over time`} />, width: 150 },
    { id: 'requests', header: 'Requests/s', cell: (line) => rate(line.requests) },
    { id: 'p50', header: 'p50', cell: (line) => <span className="tabular">{milliseconds(line.p50)}</span> },
    { id: 'p99', header: 'p99', cell: (line) => <span className="tabular">{milliseconds(line.p99)}</span> },
    ...(kind === 'table'
      ? [
          { id: 'read', header: 'Read units/s', cell: (line: Line) => rate(line.readUnits) },
          { id: 'write', header: 'Write units/s', cell: (line: Line) => rate(line.writeUnits) },
        ]
      : [{ id: 'errors', header: 'Errors/s', cell: (line: Line) => rate(line.errors) }]),
    { id: 'throttled', header: 'Throttled/s', cell: (line) => rate(line.throttled) },
    ...(kind === 'table' ? [{ id: 'beyond', header: 'Beyond capacity/s', cell: (line: Line) => rate(line.wouldThrottle) }] : []),
  ];
  return (
    <Table
      variant="container"
      contentDensity="compact"
      header={
        <Header variant="h2" counter={`(${formatCount(lines.length)})`} description={of}>
          {title}
        </Header>
      }
      items={lines.slice(0, 100)}
      columnDefinitions={columns}
      trackBy="name"
      selectedItems={lines.filter((line) => `${kind}:${line.name}` === chosen)}
      ariaLabels={{ tableLabel: title }}
      empty={
        <Nothing title={kind === 'table' ? 'No table was read or written' : 'No requests'}>
          <Box color="inherit">Sampling began when this page asked first. Requests appear here within a second.</Box>
        </Nothing>
      }
    />
  );
}
