/** Lines over time in SVG: the last so many seconds, with the figures under the pointer. */
import { type PointerEvent, useState } from 'react';
import { axisEnd, shortFigure } from './samples.ts';

export interface Series {
  name: string;
  /** 'a', 'b', 'bad': colours of watch.css. */
  tone: 'a' | 'b' | 'bad' | 'warn';
  /** One for each time; undefined leaves a gap. */
  values: (number | undefined)[];
  /** Fills the area below. */
  area?: boolean;
}

interface Props {
  title: string;
  unit: string;
  times: number[];
  /** How many seconds are shown, up to the last time. */
  seconds: number;
  series: Series[];
}

const WIDTH = 600;
const HEIGHT = 120;

function path(times: number[], values: (number | undefined)[], x: (time: number) => number, y: (value: number) => number): string {
  let text = '';
  let open = false;
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      open = false;
      continue;
    }
    text += `${open ? 'L' : 'M'}${x(times[index]!).toFixed(1)} ${y(value).toFixed(1)}`;
    open = true;
  }
  return text;
}

export function Chart({ title, unit, times, seconds, series }: Props) {
  const [at, setAt] = useState<number>();
  const end = times[times.length - 1] ?? 0;
  const start = end - seconds;
  const top = axisEnd(Math.max(0, ...series.flatMap((each) => each.values.filter((value) => value !== undefined && Number.isFinite(value)) as number[])));
  const x = (time: number) => ((time - start) / seconds) * WIDTH;
  const y = (value: number) => HEIGHT - (Math.min(value, top) / top) * (HEIGHT - 4) - 1;
  const shown = at ?? times.length - 1;

  const onPointerMove = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const time = start + ((event.clientX - box.left) / box.width) * seconds;
    let best: number | undefined;
    for (const [index, each] of times.entries()) {
      if (best === undefined || Math.abs(each - time) < Math.abs(times[best]! - time)) best = index;
    }
    setAt(best);
  };

  return (
    <figure className="chart" aria-label={title}>
      <figcaption>
        <strong>{title}</strong>
        <span className="chart-legend">
          {series.map((each) => (
            <span key={each.name} className={`chart-key tone-${each.tone}`}>
              {each.name} <b>{figure(each.values[shown], unit)}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div className="chart-plot">
        <span className="chart-top">{shortFigure(top)}</span>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}: ${series.map((each) => `${each.name} ${figure(each.values[times.length - 1], unit)}`).join(', ')}`}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setAt(undefined)}
        >
          <line className="chart-line" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          {series.map((each) => {
            const d = path(times, each.values, x, y);
            const first = times[0] === undefined ? 0 : x(times[0]);
            return (
              <g key={each.name} className={`tone-${each.tone}`}>
                {each.area && d && <path className="chart-area" d={`${d}L${WIDTH} ${HEIGHT}L${first.toFixed(1)} ${HEIGHT}Z`} />}
                <path className="chart-stroke" d={d} />
              </g>
            );
          })}
          {at !== undefined && times[at] !== undefined && <line className="chart-cursor" x1={x(times[at])} x2={x(times[at])} y1="0" y2={HEIGHT} />}
        </svg>
      </div>
      <div className="chart-axis">
        <span>{seconds >= 120 ? `${seconds / 60} min ago` : `${seconds} s ago`}</span>
        <span>{at === undefined ? 'now' : `${Math.round(end - (times[at] ?? end))} s ago`}</span>
      </div>
    </figure>
  );
}

function figure(value: number | undefined, unit: string): string {
  return value === undefined ? '–' : `${shortFigure(value)}${unit}`;
}

/** A row's trend, without axes. */
export function Sparkline({ values, label }: { values: number[]; label: string }) {
  const top = Math.max(1e-9, ...values);
  const step = values.length > 1 ? 100 / (values.length - 1) : 0;
  const d = values.map((value, index) => `${index ? 'L' : 'M'}${(index * step).toFixed(1)} ${(19 - (value / top) * 18).toFixed(1)}`).join('');
  return (
    <svg className="sparkline tone-a" viewBox="0 0 100 20" preserveAspectRatio="none" role="img" aria-label={label}>
      <path className="chart-stroke" d={d} />
    </svg>
  );
}
