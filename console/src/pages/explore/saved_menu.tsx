/** Saved queries and the history of a table. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { href, navigate } from '../../app/router.ts';
import { useStore } from '../../app/store.ts';
import { formatTime, plural } from '../../components/index.ts';
import { clearHistory, type Entry, entriesOf, forgetQuery, queryHistory, savedQueries, saveQuery } from './saved.ts';

interface Props {
  /** Whose queries these are; '' for statements of PartiQL. */
  table: string;
  title: string;
  /** Of the page that shows them. */
  path: string;
  /** The view as it is now, as parameters of the address. */
  query: () => string;
  /** A name for the view. */
  suggestion: string;
}

export function SavedMenu(props: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)} iconName="history">
        Saved and history
      </Button>
      {open && <SavedDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function SavedDialog({ table, title, path, query, suggestion, onClose }: Props & { onClose: () => void }) {
  const saved = entriesOf(useStore(savedQueries), table);
  const history = entriesOf(useStore(queryHistory), table);
  const [name, setName] = useState(suggestion);
  const replaces = saved.some((each) => each.name === name.trim());
  const save = () => {
    if (name.trim()) saveQuery({ name: name.trim(), table, query: query(), at: Date.now() });
  };
  const go = (entry: Entry) => {
    onClose();
    navigate(`${href(path)}${entry.query ? `?${entry.query}` : ''}`);
  };
  return (
    <Modal visible size="large" header={title} closeAriaLabel="Close" onDismiss={onClose}>
      <SpaceBetween size="l">
        <FormField label="Save the query as it is now" description="Saved in this browser, for this namespace." stretch secondaryControl={<Button onClick={save} disabled={!name.trim()}>{replaces ? 'Replace' : 'Save'}</Button>}>
          <Input value={name} spellcheck={false} onChange={({ detail }) => setName(detail.value)} onKeyDown={({ detail }) => detail.key === 'Enter' && save()} />
        </FormField>
        <List title={plural('saved query', saved.length, 'saved queries')} entries={saved} onOpen={go} onForget={forgetQuery} />
        <List
          title="History"
          entries={history}
          onOpen={go}
          action={history.length > 0 && <Button variant="inline-link" onClick={() => clearHistory(table)}>Clear the history</Button>}
        />
      </SpaceBetween>
    </Modal>
  );
}

interface ListProps {
  title: string;
  entries: Entry[];
  onOpen: (entry: Entry) => void;
  onForget?: (entry: Entry) => void;
  action?: React.ReactNode;
}

function List({ title, entries, onOpen, onForget, action }: ListProps) {
  return (
    <section>
      <div className="saved-head">
        <Box variant="h3">{title}</Box>
        {action}
      </div>
      {entries.length === 0 && <Box color="text-body-secondary">{onForget ? 'None yet.' : 'Queries that you run appear here.'}</Box>}
      <ul className="saved-list">
        {entries.map((entry) => (
          <li key={`${entry.name} ${entry.query}`}>
            <Button variant="inline-link" onClick={() => onOpen(entry)}>
              {entry.name}
            </Button>
            <small>{filterNote(entry)}</small>
            <small className="tabular">{formatTime(entry.at / 1000)}</small>
            {onForget && <Button variant="icon" iconName="remove" ariaLabel={`Forget ${entry.name}`} onClick={() => onForget(entry)} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

const filterNote = (entry: Entry) => (new URLSearchParams(entry.query).has('filter') ? 'with a filter' : '');
