/** One pane: the collections of a table or of an index. Only what is seen is in the document. */
import { type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { formatBytes, plural } from '../../components/format.ts';
import { type AttributeValue, type Item, printJson, summary, TYPE_NAMES, typeOf } from '../../values/index.ts';
import type { Json } from '../../values/json.ts';
import { type Cell, INDENT, KEY_WIDTH, type Layout, MARK_WIDTH, ROW, type Row, rowsBetween } from './layout.ts';
import { keysIn, type PictureTable } from './schema.ts';
import { Strip } from './strip.tsx';
import type { EntityType, EntityTypes } from './types.ts';

const HEAD = 26;
const OVERSCAN = 200;
const STRIP_FROM = 50;
const DEEP = new Set(['M', 'L', 'SS', 'NS', 'BS']);
const DARK_LETTERS = new Set(['#e69f00', '#f0e442', '#56b4e9', '#cc79a7', '#999999']);

export function Mark({ type }: { type: EntityType | undefined }) {
  if (!type) return null;
  return (
    <span className={DARK_LETTERS.has(type.colour) ? 'pic-mark ink' : 'pic-mark'} style={{ background: type.colour }} title={type.name}>
      {type.letter}
    </span>
  );
}

interface Props {
  table: PictureTable;
  index?: string;
  layout: Layout;
  types: EntityTypes;
  /** The place of the type that is isolated. */
  isolated?: number;
  /** Beside the title, such as 'not in the index: 12'. */
  note?: string;
  more?: boolean;
  hovered?: string;
  onHover: (id: string | undefined) => void;
  onFold: (id: string) => void;
  onOpen?: (item: Item) => void;
}

interface Popup {
  text: string;
  x: number;
  y: number;
}

export function Pane(props: Props) {
  const { layout, table, index } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 700 });
  const [active, setActive] = useState(-1);
  const [popup, setPopup] = useState<Popup>();
  const keys = keysIn(table, index);
  const title = index ? `Index ${index}` : table.name;

  useLayoutEffect(() => {
    const element = scroller.current!;
    let frame = 0;
    const measure = () => {
      frame = 0;
      setView({ top: element.scrollTop, height: element.clientHeight });
    };
    const later = () => {
      frame ||= requestAnimationFrame(measure);
    };
    const scrolled = () => {
      setPopup(undefined);
      later();
    };
    measure();
    const observer = new ResizeObserver(later);
    observer.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', scrolled);
      cancelAnimationFrame(frame);
    };
  }, []);

  useEffect(() => {
    if (!popup) return;
    const close = (event: Event) => {
      if (event instanceof globalThis.KeyboardEvent && event.key !== 'Escape') return;
      setPopup(undefined);
    };
    addEventListener('keydown', close, true);
    addEventListener('pointerdown', close);
    return () => {
      removeEventListener('keydown', close, true);
      removeEventListener('pointerdown', close);
    };
  }, [popup]);

  const top = view.top - OVERSCAN;
  const bottom = view.top + view.height + OVERSCAN;
  const rows = rowsBetween(layout, top, bottom);
  const bands = layout.bands.filter((band) => band.y < bottom && band.y + band.height > top);
  const activeRow = layout.rows[active];

  const go = (row: number) => {
    const to = Math.max(0, Math.min(layout.rows.length - 1, row));
    const element = scroller.current!;
    const y = to * ROW;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW > element.scrollTop + element.clientHeight - HEAD) element.scrollTop = y + ROW - element.clientHeight + HEAD;
    setActive(to);
    const found = layout.rows[to];
    props.onHover(found?.kind === 'item' ? found.id : undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(view.height / ROW) - 2);
    const moves: Record<string, number> = { ArrowDown: active + 1, j: active + 1, ArrowUp: active - 1, k: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: layout.rows.length - 1 };
    if (event.key in moves) go(moves[event.key]!);
    else if (event.key === 'Enter' && activeRow?.kind === 'item') props.onOpen?.(activeRow.item);
    else if ((event.key === 'Enter' || event.key === ' ') && activeRow?.kind === 'fold') props.onFold(activeRow.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const show = (event: MouseEvent, value: AttributeValue) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const text = printJson(value as unknown as Json);
    setPopup({ text, x: Math.min(box.left, innerWidth - 540), y: box.bottom + 340 > innerHeight ? Math.max(8, box.top - 330) : box.bottom + 4 });
  };

  return (
    <section className="pic-pane" aria-label={title} data-testid={`pane-${index ?? ''}`}>
      <div className="pic-title">
        <strong>{title}</strong>
        <span data-testid="pane-count">
          {plural('item', layout.items)} in {plural('collection', layout.bands.length)}, {formatBytes(layout.bytes)}
          {props.more ? ' so far' : ''}
        </span>
        {props.note && <span data-testid="pane-note">{props.note}</span>}
      </div>
      <div className="pic-body">
        {layout.bands.length > STRIP_FROM && <Strip layout={layout} types={props.types} view={view} onScroll={(y) => scroller.current!.scrollTo({ top: y })} />}
        <div
          ref={scroller}
          className="pic-scroll"
          role="grid"
          tabIndex={0}
          aria-label={`Item collections of ${title}`}
          aria-rowcount={layout.rows.length + 1}
          aria-activedescendant={activeRow && rows.includes(activeRow) ? rowId(index, activeRow) : undefined}
          onKeyDown={onKeyDown}
          onMouseLeave={() => props.onHover(undefined)}
        >
          <div className="pic-head" role="row" aria-rowindex={1} style={{ width: layout.width, minWidth: '100%' }}>
            <div role="columnheader" style={{ width: KEY_WIDTH, flex: 'none' }} title={`Partition key: ${keys.partition.join(', ')}`}>
              Partition key <b>{keys.partition.join(', ')}</b>
            </div>
            {keys.sort.length > 0 && (
              <div role="columnheader" style={{ width: layout.sortWidth + MARK_WIDTH, flex: 'none' }} title={`Sort key: ${keys.sort.join(', ')}`}>
                Sort key <b>{keys.sort.join(', ')}</b>
              </div>
            )}
            <div role="columnheader" style={{ paddingInlineStart: keys.sort.length ? 6 : MARK_WIDTH }}>
              Attributes
            </div>
          </div>
          {layout.rows.length === 0 ? (
            <div className="pic-empty">No items here.</div>
          ) : (
            <div className="pic-sheet" style={{ height: layout.height, width: layout.width, minWidth: '100%', gridTemplateColumns: `${KEY_WIDTH}px minmax(0, 1fr)` }}>
              <div className="pic-keys" aria-hidden="true">
                {bands.map((band) => (
                  <div key={band.id} className={layout.bands.indexOf(band) % 2 ? 'pic-band pic-shade' : 'pic-band'} style={{ top: band.y, height: band.height }}>
                    <div className="pic-band-text" title={`${band.text}: ${plural('item', band.count)}, ${formatBytes(band.bytes)}`}>
                      <b>{band.text}</b>
                      {band.height > ROW && (
                        <small>
                          {plural('item', band.count)}, {formatBytes(band.bytes)}
                        </small>
                      )}
                    </div>
                  </div>
                ))}
              </div>
              <div style={{ position: 'relative' }}>
                {rows.map((row) => (
                  <RowLine key={`${row.y} ${row.kind}`} row={row} pane={props} first={layout.bands[row.band]!.y === row.y} active={row === activeRow} onShow={show} />
                ))}
                {layout.boxes
                  .filter((box) => box.y < bottom && box.y + box.height > top)
                  .map((box) => (
                    <div key={box.y} className="pic-box" data-testid="query-box" style={{ top: box.y, height: box.height, left: 1, right: 1 }} />
                  ))}
              </div>
            </div>
          )}
        </div>
      </div>
      {popup && (
        <div className="pic-popup" role="dialog" aria-label="Value" style={{ left: popup.x, top: popup.y }} onPointerDown={(event) => event.stopPropagation()}>
          {popup.text}
        </div>
      )}
    </section>
  );
}

const rowId = (index: string | undefined, row: Row) => `pic-${index ?? ''}-${row.y}`;

interface LineProps {
  row: Row;
  pane: Props;
  first: boolean;
  active: boolean;
  onShow: (event: MouseEvent, value: AttributeValue) => void;
}

function RowLine({ row, pane, first, active, onShow }: LineProps) {
  const { layout, types } = pane;
  const classes = ['pic-row', first && 'start', active && 'active', row.band % 2 === 1 && 'pic-shade'];
  const place = { top: row.y };
  const shift = (x: number) => x - KEY_WIDTH;
  const band = layout.bands[row.band]!;
  if (row.kind === 'head') {
    return (
      <div role="row" className={[...classes, 'pic-names'].filter(Boolean).join(' ')} style={place}>
        {row.cells.map((cell) => (
          <span role="gridcell" key={cell.name} className={cell.right ? 'pic-cell right' : 'pic-cell'} style={{ left: shift(cell.x), width: cell.width - 8 }} title={cell.name}>
            {cell.label}
          </span>
        ))}
      </div>
    );
  }
  if (row.kind === 'fold') {
    const names = row.types.map(([type, count]) => `${types.list[type]?.name ?? ''} ${count}`).join(', ');
    return (
      <div role="row" id={rowId(pane.index, row)} aria-rowindex={row.y / ROW + 2} className={classes.filter(Boolean).join(' ')} style={place}>
        {row.types.length === 1 && (
          <span role="gridcell" style={{ left: 4, top: 2 }}>
            <Mark type={types.list[row.types[0]![0]]} />
          </span>
        )}
        <span role="gridcell" style={{ left: MARK_WIDTH + row.depth * INDENT }}>
          <button type="button" tabIndex={-1} className="pic-fold" aria-expanded={row.open} title={names} onClick={() => pane.onFold(row.id)}>
            {row.open ? '▾' : '▸'} {row.prefix}
            <span>
              {plural('item', row.count)}, {formatBytes(row.bytes)}
            </span>
          </button>
        </span>
      </div>
    );
  }
  const faded = pane.isolated !== undefined && pane.isolated !== row.type;
  if (pane.hovered === row.id) classes.push('hovered');
  if (faded) classes.push('faded');
  if (row.dropped) classes.push('dropped');
  return (
    <div
      role="row"
      id={rowId(pane.index, row)}
      aria-rowindex={row.y / ROW + 2}
      aria-label={`${band.text}, ${row.shared}${row.rest}${row.dropped ? ', dropped by the filter' : ''}`}
      className={classes.filter(Boolean).join(' ')}
      style={place}
      data-item={row.id}
      data-read={row.read || undefined}
      onMouseEnter={() => pane.onHover(row.id)}
      onDoubleClick={() => pane.onOpen?.(row.item)}
    >
      <span role="gridcell" style={{ left: 4, top: 2 }}>
        <Mark type={types.list[row.type]} />
      </span>
      {layout.sortWidth > 0 && (
        <span role="gridcell" className="pic-sort" style={{ left: MARK_WIDTH + row.depth * INDENT, width: layout.sortWidth - 8 - row.depth * INDENT }} title={row.shared + row.rest}>
          <i>{row.shared}</i>
          {row.rest}
        </span>
      )}
      {row.cells.map((cell) => (
        <CellText key={cell.name} cell={cell} aligned={layout.rows.length > 0 && isAligned(layout)} left={shift(cell.x)} onShow={onShow} />
      ))}
    </div>
  );
}

const alignedLayouts = new WeakMap<Layout, boolean>();

function isAligned(layout: Layout): boolean {
  let aligned = alignedLayouts.get(layout);
  if (aligned === undefined) alignedLayouts.set(layout, (aligned = layout.rows.some((row) => row.kind === 'head')));
  return aligned;
}

function CellText({ cell, aligned, left, onShow }: { cell: Cell; aligned: boolean; left: number; onShow: LineProps['onShow'] }) {
  const { value } = cell;
  if (!value) {
    return (
      <span role="gridcell" className="pic-cell absent" style={{ left, width: Math.max(12, cell.width - 6) }} title={`${cell.name} is not projected`}>
        {aligned ? '' : cell.label}
      </span>
    );
  }
  const tag = typeOf(value);
  const deep = DEEP.has(tag);
  const title = `${cell.name} (${TYPE_NAMES[tag]})${deep ? '' : `: ${summary(value).slice(0, 400)}`}`;
  const content = (
    <>
      {!aligned && <i>{cell.label}</i>}
      {cell.text}
    </>
  );
  const style = { left, width: cell.width - (aligned ? 8 : 0) };
  if (!deep) {
    return (
      <span role="gridcell" className={aligned && cell.right ? 'pic-cell right' : 'pic-cell'} style={style} title={title}>
        {content}
      </span>
    );
  }
  return (
    <span role="gridcell" className="pic-cell" style={style} title={title}>
      <button type="button" tabIndex={-1} className="pic-cell deep" onClick={(event) => onShow(event, value)}>
        <span className="off-screen">Show </span>
        {content}
      </button>
    </span>
  );
}
