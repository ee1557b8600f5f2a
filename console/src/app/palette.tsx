/** Ctrl+K: goes to a page or a table by a few letters of its name. */
import Input, { type InputProps } from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import { useEffect, useId, useRef, useState } from 'react';
import { useFocus } from '../components/use_focus.ts';
import { useTables } from '../components/tables_data.ts';
import { href, navigate, segment } from './router.ts';
import { navigation } from './routes.ts';

interface Entry {
  text: string;
  kind: string;
  to: string;
}

const SHOWN = 50;

/** Letters in order, not necessarily side by side; a run of letters at the start counts most. */
export function score(text: string, typed: string): number {
  const have = text.toLowerCase();
  const want = typed.toLowerCase();
  if (!want) return 1;
  const at = have.indexOf(want);
  if (at >= 0) return 1000 - at - have.length / 1000;
  let from = 0;
  for (const letter of want) {
    from = have.indexOf(letter, from) + 1;
    if (!from) return 0;
  }
  return 1;
}

export default function Palette({ onClose }: { onClose: () => void }) {
  const tables = useTables();
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const input = useRef<InputProps.Ref>(null);
  useFocus(input);

  const entries: Entry[] = [
    ...navigation.map((each) => ({ text: each.text, kind: 'Page', to: href(each.path) })),
    { text: 'Create table', kind: 'Page', to: href('tables/new') },
    ...(tables.data ?? []).flatMap((name) => [
      { text: name, kind: 'Explore', to: href(`explore/${segment(name)}`) },
      { text: name, kind: 'Table', to: href(`tables/${segment(name)}`) },
    ]),
  ];
  const found = entries
    .map((entry, index) => ({ entry, index, points: score(entry.text, typed) }))
    .filter((each) => each.points > 0)
    .sort((a, b) => b.points - a.points || a.index - b.index)
    .slice(0, SHOWN)
    .map((each) => each.entry);
  const current = Math.min(active, found.length - 1);

  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    navigate(entry.to);
  };

  return (
    <Modal visible header="Go to" onDismiss={onClose} closeAriaLabel="Close">
      <Input
        ref={input}
        value={typed}
        placeholder="Page or table"
        ariaLabel="Page or table"
        nativeInputAttributes={{
          role: 'combobox',
          'aria-expanded': true,
          'aria-controls': id,
          'aria-activedescendant': found.length ? `${id}-${current}` : undefined,
        }}
        onChange={({ detail }) => {
          setTyped(detail.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const { key } = event.detail;
          if (key === 'ArrowDown') setActive(Math.min(found.length - 1, current + 1));
          else if (key === 'ArrowUp') setActive(Math.max(0, current - 1));
          else if (key === 'Enter') open(found[current]);
          else return;
          event.preventDefault();
        }}
      />
      <ul className="palette-list" role="listbox" id={id} ref={list} aria-label="Found">
        {found.map((entry, index) => (
          <li
            key={entry.to}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            className={index === current ? 'palette-item active' : 'palette-item'}
            onMouseMove={() => setActive(index)}
            onClick={() => open(entry)}
          >
            <span>{entry.text}</span>
            <small>{entry.kind}</small>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
