/** A picture of item collections: panes side by side, legend, folding, export. What is drawn comes from its caller. */
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import Select from '@cloudscape-design/components/select';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { isDark } from '../../app/appearance.ts';
import { notify } from '../../app/notices.ts';
import { useQueryState } from '../../app/router.ts';
import { type Item, typeOf } from '../../values/index.ts';
import { download, toPng, toSvg } from './export.ts';
import { layOut, notIndexed } from './layout.ts';
import { Mark, Pane } from './pane.tsx';
import { idOf, type PictureTable } from './schema.ts';
import { oneLine } from './text.ts';
import { entityTypes } from './types.ts';
import './picture.css';

export interface PaneData {
  /** Absent: the table itself. */
  index?: string;
  items: Item[];
  more?: boolean;
}

interface Props {
  table: PictureTable;
  panes: PaneData[];
  /** Ids of what a query reads in the first pane, and of what its filter drops. */
  read?: ReadonlySet<string>;
  dropped?: ReadonlySet<string>;
  /** Further controls, before those of the picture. */
  controls?: ReactNode;
  onOpen?: (item: Item) => void;
  height?: string;
}

const TABLE = '\u0000table';
const CHROME = 28 + 26 + 20; // title, heads of columns, scroll bar
const MIN_HEIGHT = 160;
const LEAST = 280; // in a low window the page scrolls

export function Picture({ table, panes, read, dropped, controls, onOpen, height = 'calc(100vh - 300px)' }: Props) {
  const [align, setAlign] = useQueryState('p.align', 'packed');
  const [foldText, setFold] = useQueryState('p.fold', '0');
  const [isolatedName, setIsolated] = useQueryState('p.type', '');
  const [attribute, setAttribute] = useQueryState('p.by', '');
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [hovered, setHovered] = useState<string>();
  const now = useMemo(() => Date.now(), [panes]);

  // The pane of the table has whole items; an index's may be projections of the same ones.
  const whole = useMemo(() => {
    const items = new Map<string, Item>();
    for (const pane of [...panes].sort((a, b) => Number(a.index !== undefined) - Number(b.index !== undefined))) {
      for (const item of pane.items) {
        const id = idOf(item, table);
        if (!items.has(id)) items.set(id, item);
      }
    }
    return items;
  }, [panes, table]);
  const types = useMemo(() => entityTypes([...whole.values()], table, attribute || undefined), [whole, table, attribute]);
  const names = useMemo(() => textAttributes(whole.values(), table), [whole, table]);
  const fold = useDeferredValue(Number(foldText) || 0);
  const layouts = useMemo(
    () =>
      panes.map((pane) =>
        layOut(
          { table, index: pane.index, items: pane.items, whole: pane.index === undefined ? undefined : whole, read, dropped },
          { align: align === 'aligned', fold, opened, types, now },
        ),
      ),
    [panes, table, whole, read, dropped, align, fold, opened, types, now],
  );
  const tallest = Math.max(MIN_HEIGHT, ...layouts.map((each) => each.height));
  const levels = Math.max(0, ...layouts.map((each) => each.levels));
  const found = types.list.findIndex((each) => each.name === isolatedName);
  const isolated = found < 0 ? undefined : found;

  const toggle = (id: string) =>
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const save = async (kind: string) => {
    // Pictures of other indexes are other files. File systems take names of 255 bytes.
    const file = [table.name, ...panes.flatMap((pane) => pane.index ?? [])].join('-').slice(0, 200);
    try {
      const svg = toSvg(
        panes.map((pane, index) => ({ title: pane.index ? `Index ${pane.index}` : table.name, layout: layouts[index]!, table, index: pane.index })),
        types,
        isDark(),
        isolated,
      );
      if (kind === 'svg') download(`${file}.svg`, svg, 'image/svg+xml');
      else {
        const { blob, scale } = await toPng(svg);
        download(`${file}.png`, blob);
        if (scale < 1) notify({ type: 'warning', content: `The picture is too large for PNG: it is saved at ${Math.floor(scale * 100)}% of its size. SVG is sharp at any size.` });
      }
    } catch (error) {
      notify({ type: 'error', header: 'The picture was not saved', content: (error as Error).message });
    }
  };
  const noteOf = (pane: PaneData) => {
    if (!pane.index) return undefined;
    const base = panes.find((each) => each.index === undefined);
    const missing = base ? notIndexed(base.items, table, pane.index) : 0;
    return missing ? `not in the index: ${missing}` : undefined;
  };
  const foldOptions = Array.from({ length: levels + 1 }, (_, level) => ({
    value: String(level),
    label: level ? `Fold ${level} ${level === 1 ? 'level' : 'levels'}` : 'Fold nothing',
  }));

  return (
    <div data-testid="item-picture">
      <div className="pic-bar">
        <div className="pic-legend" role="group" aria-label="Entity types">
          {types.list.map((type) => (
            <button
              key={type.name}
              type="button"
              className="pic-type"
              aria-pressed={type.name === isolatedName}
              title={`Show ${type.name} alone`}
              onClick={() => setIsolated(type.name === isolatedName ? '' : type.name)}
            >
              <Mark type={type} />
              {type.name} <small>{type.count}</small>
            </button>
          ))}
        </div>
        <div className="pic-bar-end">
          {controls}
          {levels > 0 && (
            <Select
              ariaLabel="Folding"
              selectedOption={foldOptions.find((each) => each.value === foldText) ?? foldOptions[0]!}
              options={foldOptions}
              onChange={({ detail }) => {
                setOpened(new Set());
                setFold(detail.selectedOption.value!);
              }}
            />
          )}
          <Select
            ariaLabel="Entity types from"
            selectedOption={{ value: attribute, label: attribute ? `Types from ${oneLine(attribute)}` : 'Types guessed' }}
            options={[{ value: '', label: 'Types guessed' }, ...names.map((name) => ({ value: name, label: `Types from ${oneLine(name)}` }))]}
            filteringType={names.length > 12 ? 'auto' : 'none'}
            onChange={({ detail }) => setAttribute(detail.selectedOption.value!)}
          />
          <SegmentedControl
            label="Attributes"
            selectedId={align}
            options={[
              { id: 'packed', text: 'Packed' },
              { id: 'aligned', text: 'Aligned' },
            ]}
            onChange={({ detail }) => setAlign(detail.selectedId)}
          />
          <ButtonDropdown
            items={[
              { id: 'svg', text: 'As SVG' },
              { id: 'png', text: 'As PNG' },
            ]}
            onItemClick={({ detail }) => void save(detail.id)}
          >
            Save picture
          </ButtonDropdown>
        </div>
      </div>
      <div className="pic-panes" style={{ height: `min(max(${height}, ${LEAST}px), ${tallest + CHROME}px)` }}>
        {panes.map((pane, index) => (
          <Pane
            key={pane.index ?? TABLE}
            table={table}
            index={pane.index}
            layout={layouts[index]!}
            types={types}
            isolated={isolated}
            note={noteOf(pane)}
            more={pane.more}
            hovered={hovered}
            onHover={setHovered}
            onFold={toggle}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  );
}

/** Attributes that could tell types apart: texts, without keys. */
function textAttributes(items: Iterable<Item>, table: PictureTable): string[] {
  const names = new Set<string>();
  for (const item of items) {
    for (const name in item) if (typeOf(item[name]!) === 'S') names.add(name);
  }
  for (const keys of [table.keys, ...table.indexes.map((each) => each.keys)]) for (const name of [...keys.partition, ...keys.sort]) names.delete(name);
  return [...names].sort();
}
