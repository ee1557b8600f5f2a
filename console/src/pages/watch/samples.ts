/** Samples of DescribeMetrics: kept for ten minutes, cut to a scope, and made into series and totals. */

export interface OperationSample {
  Operation: string;
  Requests: number;
  Errors: number;
  Throttled: number;
  P50Ms?: number;
  P99Ms?: number;
}

export interface TableSample {
  TableName: string;
  Requests: number;
  P50Ms?: number;
  P99Ms?: number;
  ReadUnits: number;
  WriteUnits: number;
  Throttled: number;
  /** Reads and writes beyond the capacity, which the mode `record` serves. */
  WouldThrottle: number;
}

export interface Sample {
  /** The interval's end, in seconds since 1970, and its length. */
  Time: number;
  Seconds: number;
  Requests: number;
  Errors: number;
  Throttled: number;
  P50Ms?: number;
  P99Ms?: number;
  /** [upper bound in ms, requests]; null has no bound. */
  Latency?: [number | null, number][];
  Operations: OperationSample[];
  Tables: TableSample[];
}

export interface Metrics {
  Time: number;
  UptimeSeconds: number;
  Totals: { Requests: number; Errors: number; Throttled: number };
  Samples: Sample[];
}

export const KEPT_SECONDS = 600;

/** Adds new samples, oldest first. A server that started anew sends older times: those replace all. */
export function appendSamples(kept: Sample[], fresh: Sample[]): Sample[] {
  if (!fresh.length) return kept;
  const last = kept[kept.length - 1]?.Time ?? -Infinity;
  const newest = fresh[fresh.length - 1]!.Time;
  const all = newest < last ? fresh : [...kept, ...fresh.filter((each) => each.Time > last)];
  return all.filter((each) => each.Time > newest - KEPT_SECONDS);
}

export type Scope = { kind: 'server' } | { kind: 'table'; name: string } | { kind: 'operation'; name: string };

/** One interval of a scope, per second. Undefined where the scope has no such figure. */
export interface Point {
  time: number;
  requests: number;
  errors: number | undefined;
  throttled: number;
  wouldThrottle: number | undefined;
  p50: number | undefined;
  p99: number | undefined;
  readUnits: number | undefined;
  writeUnits: number | undefined;
}

export function pointOf(sample: Sample, scope: Scope): Point {
  const each = (count: number) => count / (sample.Seconds || 1);
  const sum = (pick: (table: TableSample) => number) => each(sample.Tables.reduce((total, table) => total + pick(table), 0));
  if (scope.kind === 'server') {
    return {
      time: sample.Time, requests: each(sample.Requests), errors: each(sample.Errors), throttled: each(sample.Throttled),
      p50: sample.P50Ms, p99: sample.P99Ms, readUnits: sum((table) => table.ReadUnits), writeUnits: sum((table) => table.WriteUnits),
      wouldThrottle: sum((table) => table.WouldThrottle),
    };
  }
  if (scope.kind === 'table') {
    const table = sample.Tables.find((one) => one.TableName === scope.name);
    return {
      time: sample.Time, requests: each(table?.Requests ?? 0), errors: undefined, throttled: each(table?.Throttled ?? 0),
      p50: table?.P50Ms, p99: table?.P99Ms, readUnits: each(table?.ReadUnits ?? 0), writeUnits: each(table?.WriteUnits ?? 0),
      wouldThrottle: each(table?.WouldThrottle ?? 0),
    };
  }
  const operation = sample.Operations.find((one) => one.Operation === scope.name);
  return {
    time: sample.Time, requests: each(operation?.Requests ?? 0), errors: each(operation?.Errors ?? 0),
    throttled: each(operation?.Throttled ?? 0), p50: operation?.P50Ms, p99: operation?.P99Ms, readUnits: undefined, writeUnits: undefined,
    wouldThrottle: undefined,
  };
}

/** The quantile of merged histograms: the upper bound of the bucket it falls into. Undefined without requests. */
export function quantile(samples: Sample[], part: number): number | undefined {
  const buckets = new Map<number, number>();
  let total = 0;
  for (const sample of samples) {
    for (const [bound, count] of sample.Latency ?? []) {
      buckets.set(bound ?? Infinity, (buckets.get(bound ?? Infinity) ?? 0) + count);
      total += count;
    }
  }
  if (!total) return undefined;
  let seen = 0;
  for (const [bound, count] of [...buckets].sort((a, b) => a[0] - b[0])) {
    seen += count;
    if (seen >= part * total) return bound;
  }
  return Infinity;
}

/** What one table or operation did over several samples. */
export interface Line {
  name: string;
  requests: number;
  errors: number;
  throttled: number;
  wouldThrottle: number;
  readUnits: number;
  writeUnits: number;
  /** Of the interval with the most requests: estimates of intervals cannot be added. */
  p50: number | undefined;
  p99: number | undefined;
  /** Requests a second, interval by interval. */
  trend: number[];
}

function lines<Entry extends { Requests: number; Throttled: number; P50Ms?: number; P99Ms?: number }>(
  samples: Sample[],
  entries: (sample: Sample) => Entry[],
  nameOf: (entry: Entry) => string,
  add: (line: Line, entry: Entry) => void,
): Line[] {
  const found = new Map<string, Line & { most: number }>();
  for (const [index, sample] of samples.entries()) {
    for (const entry of entries(sample)) {
      const name = nameOf(entry);
      let line = found.get(name);
      if (!line) {
        line = {
          name, requests: 0, errors: 0, throttled: 0, wouldThrottle: 0, readUnits: 0, writeUnits: 0, p50: undefined, p99: undefined,
          trend: new Array<number>(samples.length).fill(0), most: 0,
        };
        found.set(name, line);
      }
      line.requests += entry.Requests;
      line.throttled += entry.Throttled;
      line.trend[index] = entry.Requests / (sample.Seconds || 1);
      if (entry.Requests >= line.most && entry.P50Ms !== undefined) {
        line.most = entry.Requests;
        line.p50 = entry.P50Ms;
        line.p99 = entry.P99Ms;
      }
      add(line, entry);
    }
  }
  return [...found.values()].map(({ most: _, ...line }) => line).sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1));
}

export const tableLines = (samples: Sample[]): Line[] =>
  lines(samples, (sample) => sample.Tables, (table) => table.TableName, (line, table) => {
    line.wouldThrottle += table.WouldThrottle;
    line.readUnits += table.ReadUnits;
    line.writeUnits += table.WriteUnits;
  });

export const operationLines = (samples: Sample[]): Line[] =>
  lines(samples, (sample) => sample.Operations, (operation) => operation.Operation, (line, operation) => {
    line.errors += operation.Errors;
  });

/** The samples of the last so many seconds, and how long they are together. */
export function lastSeconds(samples: Sample[], seconds: number): { samples: Sample[]; seconds: number } {
  const newest = samples[samples.length - 1]?.Time ?? 0;
  const chosen = samples.filter((each) => each.Time > newest - seconds);
  return { samples: chosen, seconds: chosen.reduce((total, each) => total + each.Seconds, 0) };
}

/** 12345 → '12.3 k', 0.25 → '0.25': three digits that fit beside an axis. */
export function shortFigure(value: number): string {
  if (!Number.isFinite(value)) return '∞';
  const units: [number, string][] = [[1e9, ' G'], [1e6, ' M'], [1e3, ' k']];
  for (const [size, unit] of units) {
    if (value >= size) return trimmed(value / size) + unit;
  }
  return trimmed(value);
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)));
}

/** The end of an axis: the next 1, 2 or 5 times a power of ten. */
export function axisEnd(highest: number): number {
  if (!(highest > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  for (const step of [1, 2, 5, 10]) if (highest <= step * power) return step * power;
  return 10 * power;
}
