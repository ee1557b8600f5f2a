/** A model's table as a picture, with indexes beside it. There is no server to ask: their items are worked out. */
import { useMemo } from 'react';
import type { Item } from '../../values/index.ts';
import { Beside } from '../picture/beside.tsx';
import { indexItems } from '../picture/layout.ts';
import { inServerOrder } from '../picture/order.ts';
import { Picture } from '../picture/picture.tsx';
import { idOf, keysIn } from '../picture/schema.ts';
import { type ModelTable, pictureOf } from './file.ts';

interface Props {
  table: ModelTable;
  panes: string;
  onPanes: (names: string) => void;
  onOpen: (item: Item) => void;
}

export function ModelPicture({ table, panes, onPanes, onOpen }: Props) {
  const shape = useMemo(() => pictureOf(table), [table]);
  const shown = panes.split('\n').filter((each) => shape.indexes.some((index) => index.name === each));
  const data = useMemo(
    () => [
      { items: inServerOrder(table.items, shape.keys) },
      ...shown.map((index) => ({ index, items: inServerOrder(indexItems(table.items, shape, index), keysIn(shape, index)) })),
    ],
    [table, shape, panes],
  );
  const openWhole = (item: Item) => onOpen(table.items.find((each) => idOf(each, shape) === idOf(item, shape)) ?? item);
  return (
    <Picture
      table={shape}
      panes={data}
      onOpen={openWhole}
      height="calc(100vh - 300px)"
      controls={<Beside choices={shape.indexes.map((each) => each.name)} shown={shown} onChange={onPanes} />}
    />
  );
}
