/** All collections of a pane in a narrow strip: length is bytes, segments are types. A click goes there. */
import { type PointerEvent, useEffect, useRef } from 'react';
import type { Layout } from './layout.ts';
import type { EntityTypes } from './types.ts';

const WIDTH = 62;

interface Props {
  layout: Layout;
  types: EntityTypes;
  view: { top: number; height: number };
  onScroll: (y: number) => void;
}

export function Strip({ layout, types, view, onScroll }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current!;
    const paint = () => draw(element, layout, types, view);
    paint();
    const observer = new ResizeObserver(paint);
    observer.observe(element);
    return () => observer.disconnect();
  }, [layout, types, view]);

  const to = (event: PointerEvent) => {
    if (event.type === 'pointermove' && !event.buttons) return;
    const box = canvas.current!.getBoundingClientRect();
    const band = layout.bands[Math.floor(((event.clientY - box.top) / box.height) * layout.bands.length)];
    if (band) onScroll(band.y);
  };
  return (
    <canvas
      ref={canvas}
      className="pic-strip"
      role="img"
      aria-label={`Sizes of ${layout.bands.length} collections`}
      onPointerDown={to}
      onPointerMove={to}
    />
  );
}

function draw(element: HTMLCanvasElement, layout: Layout, types: EntityTypes, view: Props['view']) {
  const ratio = devicePixelRatio || 1;
  const height = element.clientHeight;
  element.width = WIDTH * ratio;
  element.height = height * ratio;
  const context = element.getContext('2d');
  if (!context || !height) return;
  context.scale(ratio, ratio);
  const most = Math.max(1, ...layout.bands.map((each) => each.bytes));
  const step = height / layout.bands.length;
  for (const [index, band] of layout.bands.entries()) {
    let x = 0;
    for (const [type, bytes] of band.types) {
      const width = (bytes / most) * (WIDTH - 6);
      context.fillStyle = types.list[type]?.colour ?? '#999999';
      context.fillRect(3 + x, index * step, Math.max(1, width), Math.max(1, step - (step > 3 ? 1 : 0)));
      x += width;
    }
  }
  const place = (y: number) => {
    const found = layout.bands.findIndex((band) => band.y + band.height > y);
    return (found < 0 ? layout.bands.length : found) * step;
  };
  const start = place(view.top);
  context.strokeStyle = getComputedStyle(element).color;
  context.strokeRect(0.5, start + 0.5, WIDTH - 1, Math.max(4, place(view.top + view.height) - start));
}
