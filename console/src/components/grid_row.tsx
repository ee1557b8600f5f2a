/** The rows of a grid and its head. A row is drawn again only if something in it changed. */
import { type CSSProperties, Fragment, memo, type ReactNode, useRef } from 'react';
import type { GridColumn } from './grid.tsx';

const MIN_WIDTH = 48;

interface Cell {
  column: GridColumn;
  index: number;
  style: CSSProperties;
}

/** The cells of each row that are in sight. */
export interface Line {
  /** Those that stay when scrolled sideways. */
  fixed: Cell[];
  others: Cell[];
  fixedWidth: number;
  selectable: boolean;
}

export const cellId = (grid: string, row: number, column: number) => `${grid}-${row}-${column}`;

function classOf({ align, sticky }: GridColumn, active = false): string {
  return `grid-cell${align === 'right' ? ' right' : ''}${sticky ? ' sticky' : ''}${active ? ' active' : ''}`;
}

interface RowProps {
  grid: string;
  row: number;
  line: Line;
  top: number;
  width: number;
  selected: boolean;
  /** The active column, or -1. */
  active: number;
  look: string | undefined;
}

export const GridRow = memo(function GridRow({ grid, row, line, top, width, selected, active, look }: RowProps) {
  const cell = ({ column, index, style }: Cell): ReactNode => (
    <div key={column.id} id={cellId(grid, row, index)} role="gridcell" aria-colindex={index + 1} className={classOf(column, index === active)} style={style}>
      {/* A new element where texts of other lengths begin elsewhere: it would count as a shift of the layout. */}
      <Fragment key={column.align === 'right' ? row : 0}>{column.render(row)}</Fragment>
    </div>
  );
  return (
    <div
      role="row"
      aria-rowindex={row + 2}
      aria-selected={line.selectable ? selected : undefined}
      className={`grid-row${selected ? ' selected' : ''}${row % 2 ? ' odd' : ''}${look ? ` ${look}` : ''}`}
      style={{ top, width }}
    >
      {line.fixedWidth > 0 && (
        <div role="none" className="grid-fixed" style={{ width: line.fixedWidth }}>
          {line.selectable && (
            <div role="gridcell" className="grid-cell grid-check">
              <span className="grid-box" aria-hidden="true">
                {selected ? '✓' : ''}
              </span>
            </div>
          )}
          {line.fixed.map(cell)}
        </div>
      )}
      {line.others.map(cell)}
    </div>
  );
});

interface HeadProps {
  line: Line;
  onHeader?: (column: string) => void;
  onResize?: (column: string, width: number) => void;
}

export function HeadCells({ line, onHeader, onResize }: HeadProps) {
  const cell = ({ column, index, style }: Cell): ReactNode => (
    <div
      key={column.id}
      role="columnheader"
      aria-colindex={index + 1}
      className={classOf(column)}
      style={style}
      title={column.label ?? (typeof column.header === 'string' ? column.header : undefined)}
      onClick={() => onHeader?.(column.id)}
    >
      <span className="grid-title">{column.header}</span>
      {onResize && <Resizer width={column.width} onResize={(width) => onResize(column.id, width)} />}
    </div>
  );
  return (
    <>
      {line.fixedWidth > 0 && (
        <div role="none" className="grid-fixed" style={{ width: line.fixedWidth }}>
          {line.selectable && (
            <div role="columnheader" className="grid-cell grid-check">
              <span className="off-screen">Selected</span>
            </div>
          )}
          {line.fixed.map(cell)}
        </div>
      )}
      {line.others.map(cell)}
    </>
  );
}

function Resizer({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const start = useRef<{ x: number; width: number } | undefined>(undefined);
  return (
    <span
      className="grid-resizer"
      aria-hidden="true"
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => {
        if (start.current) onResize(Math.max(MIN_WIDTH, start.current.width + event.clientX - start.current.x));
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
    />
  );
}
