/**
 * A grid of up to a million rows: only what is seen is in the document. Rows are 28 pixels high, so that 1,190,000 of
 * them stay below the height at which Chromium cuts elements. The grid takes the focus as a whole and names its active
 * cell, as ARIA's pattern for grids has it.
 */
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { cellId, GridRow, HeadCells, type Line } from './grid_row.tsx';

export const ROW_HEIGHT = 28;
export const MAX_ROWS = 1_190_000;
const HEADER_HEIGHT = 36;
const OVERSCAN = 8;
const SELECT_WIDTH = 36;

export interface GridColumn {
  id: string;
  header: ReactNode;
  /** For screen readers and tooltips, if the header is no text. */
  label?: string;
  /** Pixels. */
  width: number;
  align?: 'left' | 'right';
  /** Stays in sight when scrolled sideways. Sticky columns come first. */
  sticky?: boolean;
  /** What a row's cell holds. Rows are drawn again when the array of columns changes, not on scrolling. */
  render: (row: number) => ReactNode;
}

export interface GridProps {
  /** What the grid shows, for screen readers: 'Items of Music'. */
  label: string;
  columns: GridColumn[];
  rowCount: number;
  /** Whether there are more rows than rowCount, as with pages not yet read. */
  more?: boolean;
  /** CSS height of the whole. */
  height: string;
  /** Rows of this range are seen; called after scrolling. */
  onVisible?: (first: number, last: number) => void;
  /** Enter or a double click. */
  onOpen?: (row: number, column: string) => void;
  /** Space, 'x', or the box in front. With Shift, all rows from the last one on. */
  isSelected?: (row: number) => boolean;
  onSelect?: (rows: number[], selected: boolean) => void;
  /** A key that the grid does not know; true if it was used. */
  onKey?: (key: string, row: number, column: string) => boolean;
  onActive?: (row: number, column: string) => void;
  /** Ctrl+C, unless text is selected. */
  onCopy?: (row: number, column: string) => void;
  /** Takes the focus at this row as soon as there is one, as after the way back from an item. */
  focusRow?: number;
  onResize?: (column: string, width: number) => void;
  /** A click on a header, as for sorting. */
  onHeader?: (column: string) => void;
  rowClass?: (row: number) => string | undefined;
  empty?: ReactNode;
}

export function Grid(props: GridProps) {
  const { columns, onSelect, isSelected } = props;
  const rowCount = Math.min(props.rowCount, MAX_ROWS);
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, width: 1200, height: 600 });
  const [active, setActive] = useState({ row: 0, column: 0 });
  const [focused, setFocused] = useState(false);
  const anchor = useRef(0);

  const lead = onSelect ? SELECT_WIDTH : 0;
  const offsets = useMemo(() => {
    const result = [lead];
    for (const column of columns) result.push(result[result.length - 1]! + column.width);
    return result;
  }, [columns, lead]);
  const total = offsets[offsets.length - 1]!;
  const stickyWidth = columns.reduce((sum, each) => sum + (each.sticky ? each.width : 0), lead);

  useLayoutEffect(() => {
    const element = scroller.current!;
    let frame = 0;
    const measure = () => {
      frame = 0;
      setView({ top: element.scrollTop, left: element.scrollLeft, width: element.clientWidth, height: element.clientHeight });
    };
    // The rows are drawn in the frame that scrolls to them, not in the one after it.
    const later = () => {
      frame ||= requestAnimationFrame(() => flushSync(measure));
    };
    measure();
    const observer = new ResizeObserver(later);
    observer.observe(element);
    element.addEventListener('scroll', later, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', later);
      cancelAnimationFrame(frame);
    };
  }, []);

  const first = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - OVERSCAN);
  const last = Math.min(rowCount, Math.ceil((view.top + view.height) / ROW_HEIGHT) + OVERSCAN);
  const { onVisible } = props;
  useEffect(() => onVisible?.(first, last), [first, last, onVisible]);

  const sides = columns.flatMap((column, index) =>
    column.sticky || (offsets[index + 1]! > view.left + stickyWidth - 200 && offsets[index]! < view.left + view.width + 200) ? [index] : [],
  );
  const line = useMemo((): Line => {
    const cells = sides.map((index) => ({ column: columns[index]!, index, style: { left: offsets[index], width: columns[index]!.width } }));
    return { fixed: cells.filter(({ column }) => column.sticky), others: cells.filter(({ column }) => !column.sticky), fixedWidth: stickyWidth, selectable: lead > 0 };
  }, [columns, offsets, sides.join()]);

  const reveal = (row: number, column: number) => {
    const element = scroller.current!;
    const top = row * ROW_HEIGHT;
    const room = element.clientHeight - HEADER_HEIGHT - ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = top - room;
    if (columns[column]?.sticky) return;
    const left = offsets[column] ?? 0;
    const right = offsets[column + 1] ?? 0;
    if (left < element.scrollLeft + stickyWidth) element.scrollLeft = left - stickyWidth;
    else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
  };

  const go = (row: number, column: number) => {
    const to = {
      row: Math.max(0, Math.min(rowCount - 1, row)),
      column: Math.max(0, Math.min(columns.length - 1, column)),
    };
    setActive(to);
    reveal(to.row, to.column);
    props.onActive?.(to.row, columns[to.column]?.id ?? '');
  };

  const { focusRow } = props;
  const there = focusRow !== undefined && focusRow < rowCount;
  useEffect(() => {
    if (!there) return;
    go(focusRow, 0);
    scroller.current!.focus({ preventScroll: true });
  }, [there, focusRow]);

  const toggle = (row: number, range: boolean) => {
    if (!onSelect || !isSelected) return;
    const from = range ? Math.min(anchor.current, row) : row;
    const to = range ? Math.max(anchor.current, row) : row;
    const rows = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    onSelect(rows, range || !isSelected(row));
    anchor.current = row;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { row, column } = active;
    const page = Math.max(1, Math.floor(view.height / ROW_HEIGHT) - 2);
    const name = columns[column]?.id ?? '';
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === 'Home') go(0, 0);
      else if (event.key === 'End') go(rowCount - 1, columns.length - 1);
      else if (event.key === 'c' && props.onCopy && rowCount && getSelection()?.isCollapsed !== false) props.onCopy(row, name);
      else return;
    } else if (event.key === 'ArrowDown' || event.key === 'j') go(row + 1, column);
    else if (event.key === 'ArrowUp' || event.key === 'k') go(row - 1, column);
    else if (event.key === 'ArrowRight') go(row, column + 1);
    else if (event.key === 'ArrowLeft') go(row, column - 1);
    else if (event.key === 'PageDown') go(row + page, column);
    else if (event.key === 'PageUp') go(row - page, column);
    else if (event.key === 'Home') go(row, 0);
    else if (event.key === 'End') go(row, columns.length - 1);
    else if ((event.key === ' ' || event.key.toLowerCase() === 'x') && onSelect && rowCount) toggle(row, event.shiftKey);
    else if (event.key === 'Enter' && props.onOpen && rowCount) props.onOpen(row, name);
    else if (!rowCount || !props.onKey?.(event.key, row, name)) return;
    // The first column may be fixed and in sight already; those after it need not be.
    if (event.key === 'Home') scroller.current!.scrollLeft = 0;
    event.preventDefault();
    event.stopPropagation();
  };

  const pressed = (event: MouseEvent): { row: number; column: number } | undefined => {
    const cell = (event.target as Element).closest('[role=gridcell]');
    const row = Number(cell?.parentElement!.closest('[role=row]')!.getAttribute('aria-rowindex')) - 2;
    return cell ? { row, column: Number(cell.getAttribute('aria-colindex')) - 1 } : undefined;
  };
  const onMouseDown = (event: MouseEvent) => {
    const at = pressed(event);
    if (at && at.column >= 0) go(at.row, at.column);
    else if (at) {
      event.preventDefault();
      scroller.current!.focus({ preventScroll: true });
      toggle(at.row, event.shiftKey);
    }
  };
  const onDoubleClick = (event: MouseEvent) => {
    const at = pressed(event);
    if (at && at.column >= 0) props.onOpen?.(at.row, columns[at.column]!.id);
  };

  const activeShown = active.row >= first && active.row < last && active.row < rowCount;
  // A jump moves the elements together and draws into them; a row that stays in sight keeps its own.
  const drawn = useRef({ first: 0, shift: 0 });
  if (Math.abs(first - drawn.current.first) * 2 > last - first) drawn.current.shift += first - drawn.current.first;
  drawn.current.first = first;
  const { shift } = drawn.current;
  const rows: ReactNode[] = [];
  for (let row = first; row < last; row++) {
    rows.push(
      <GridRow
        key={row - shift}
        grid={id}
        row={row}
        line={line}
        top={(row - shift) * ROW_HEIGHT}
        width={total}
        selected={isSelected?.(row) ?? false}
        active={focused && row === active.row ? active.column : -1}
        look={props.rowClass?.(row)}
      />,
    );
  }

  return (
    <div
      ref={scroller}
      className={total > view.width ? 'grid wide' : 'grid'}
      role="grid"
      aria-label={props.label}
      aria-rowcount={props.more ? -1 : rowCount + 1}
      aria-colcount={columns.length}
      aria-multiselectable={onSelect ? true : undefined}
      aria-activedescendant={activeShown ? cellId(id, active.row, active.column) : undefined}
      tabIndex={0}
      style={{ height: props.height }}
      onKeyDown={onKeyDown}
      onMouseDown={onMouseDown}
      onDoubleClick={onDoubleClick}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <div className="grid-body" style={{ height: HEADER_HEIGHT + rowCount * ROW_HEIGHT, width: total }} role="rowgroup">
        <div role="row" aria-rowindex={1} className="grid-head" style={{ width: total }}>
          <HeadCells line={line} onHeader={props.onHeader} onResize={props.onResize} />
        </div>
        <div role="none" className="grid-rows" style={{ transform: `translateY(${shift * ROW_HEIGHT}px)` }}>
          {rows}
        </div>
      </div>
      {rowCount === 0 && <div className="grid-empty">{props.empty}</div>}
    </div>
  );
}
