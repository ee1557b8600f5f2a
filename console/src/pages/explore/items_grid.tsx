/** Items as a grid: a row each, the key's columns fixed at the left. */
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Grid, type GridColumn } from '../../components/grid.tsx';
import { ValueCell } from '../../components/index.ts';
import { type Item, own } from '../../values/index.ts';
import { type ColumnSet, orderedColumns } from './columns.ts';

interface Props {
  label: string;
  columns: ColumnSet;
  rowCount: number;
  /** Rows are drawn again when the function changes, not on scrolling. */
  item: (row: number) => Item | undefined;
  /** Asked for rows whose item is not there. */
  onMissing?: (row: number) => void;
  /** The key's attributes: first and fixed. */
  keys: string[];
  /** Others that come before the rest, as an index's key. */
  first?: string[];
  more?: boolean;
  height?: string;
  selected?: Set<number>;
  onSelected?: (rows: Set<number>) => void;
  onOpen?: (row: number) => void;
  onActive?: (row: number, column: string) => void;
  onCopy?: (row: number, column: string) => void;
  /** Attributes without a column. */
  hidden?: string[];
  /** A column before all others. */
  lead?: GridColumn;
  focusRow?: number;
  empty?: ReactNode;
}

const MAX_STICKY = 460;
const REST = 100; // milliseconds

export function ItemsGrid(props: Props) {
  const { columns, keys, item, onMissing, selected, onSelected } = props;
  const [widths, setWidths] = useState(new Map<string, number>());
  const names = keys.join('\n');
  const first = (props.first ?? []).join('\n');
  const source = useRef(item);
  source.current = item;
  const onOpen = !!props.onOpen;
  const opener = useRef(props.onOpen);
  opener.current = props.onOpen;

  const shown: GridColumn[] = useMemo(() => {
    let fixed = 0;
    const hidden = new Set(props.hidden);
    const ordered = orderedColumns(columns, [...keys, ...(props.first ?? [])]).filter((column) => !hidden.has(column.name) || keys.includes(column.name));
    const attributes = ordered.map((column): GridColumn => {
      const width = widths.get(column.name) ?? column.width;
      const sticky = keys.includes(column.name) && fixed + width <= MAX_STICKY;
      if (sticky) fixed += width;
      return {
        id: column.name,
        header: column.name,
        width,
        align: column.numeric ? 'right' : 'left',
        sticky,
        render: (row: number) => {
          // A character is 7 pixels wide: more than twice of what fits.
          const value = <ValueCell value={own(item(row), column.name)} most={Math.ceil(width / 3)} />;
          // The way into an item is seen: the first part of its key is a link.
          return onOpen && column.name === keys[0] ? <span className="grid-link" onClick={() => opener.current?.(row)}>{value}</span> : value;
        },
      };
    });
    return props.lead ? [{ ...props.lead, sticky: true }, ...attributes] : attributes;
  }, [columns, item, names, first, widths, props.hidden, props.lead?.id, onOpen]);

  // What is scrolled past is not read again; only where one stops.
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const seen = useCallback(
    (from: number, to: number) => {
      clearTimeout(rest.current);
      if (!onMissing) return;
      rest.current = setTimeout(() => {
        for (let row = from; row < to; row++) if (!source.current(row)) onMissing(row);
      }, REST);
    },
    [onMissing],
  );
  useEffect(() => () => clearTimeout(rest.current), []);
  useEffect(() => setWidths(new Map()), [names]);

  return (
    <Grid
      label={props.label}
      columns={shown}
      rowCount={props.rowCount}
      more={props.more}
      height={props.height ?? (props.rowCount ? 'max(340px, calc(100vh - 500px))' : '260px')}
      onVisible={seen}
      onOpen={props.onOpen}
      onActive={props.onActive}
      onCopy={props.onCopy}
      focusRow={props.focusRow}
      isSelected={selected && ((row) => selected.has(row))}
      onSelect={
        selected && onSelected
          ? (rows, on) => {
              const next = new Set(selected);
              for (const row of rows) {
                if (on) next.add(row);
                else next.delete(row);
              }
              onSelected(next);
            }
          : undefined
      }
      onResize={(column, width) => setWidths((before) => new Map(before).set(column, width))}
      empty={props.empty}
    />
  );
}
