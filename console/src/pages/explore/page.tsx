/** Explore: a query or scan of a table, its results, and what they cost. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Spinner from '@cloudscape-design/components/spinner';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { currentPlace, follow, href, navigate, segment, usePlace } from '../../app/router.ts';
import type { PageProps } from '../../app/routes.ts';
import type { TableDescription } from '../../aws/index.ts';
import { ErrorBox, Page, TableSelect, useTable, WriteButton } from '../../components/index.ts';
import './explore.css';
import { hintOf } from './hint.ts';
import { QueryForm } from './query_form.tsx';
import { ResultsView } from './results.tsx';
import { remember } from './saved.ts';
import { SavedMenu } from './saved_menu.tsx';
import { targetsOf, vectorTargets } from './target.ts';
import { useResults } from './use_results.ts';
import { describeView, faultsOfView, queryOfView, requestOf, type View, viewFromQuery } from './view.ts';

export default function ExplorePage({ params }: PageProps) {
  const name = params.table!;
  const table = useTable(name);
  const [seen, setSeen] = useState<TableDescription>();
  if (table.data && table.data !== seen) setSeen(table.data);
  const shown = table.data ?? seen;
  if (table.error && !shown) {
    return (
      <Page title={name} actions={<Button onClick={() => navigate(href('explore'))}>Other tables</Button>}>
        <ErrorBox error={table.error} header={`Table ${name} cannot be explored`} onRetry={table.reload} />
      </Page>
    );
  }
  if (!shown) {
    return (
      <div className="centred">
        <Spinner size="large" />
      </div>
    );
  }
  return <Explore table={shown} reload={table.reload} />;
}

const SYNC_DELAY = 250;

/**
 * The view, which the address follows; and which follows the address when it changes otherwise, as by Back. The last
 * function writes at once what was changed: a query that runs is in the address, so Back from an item returns to it.
 */
function useView(onArrival: (view: View) => void): [View, (change: Partial<View>) => View, () => void] {
  const place = usePlace();
  const [view, setView] = useState(() => viewFromQuery(place.query));
  const latest = useRef(view);
  latest.current = view;
  const written = useRef<string | undefined>(undefined);
  const arrival = useRef(onArrival);
  arrival.current = onArrival;
  const path = useRef(place.path);

  useEffect(() => {
    const next = viewFromQuery(place.query);
    // Parameters of others, as of the picture, change nothing here.
    const text = queryOfView(next).toString();
    if (written.current === text || place.path !== path.current) return;
    written.current = text;
    latest.current = next;
    setView(next);
    arrival.current(next);
  }, [place]);

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const write = () => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    if (currentPlace().path !== path.current) return;
    const query = queryOfView(latest.current);
    written.current = query.toString();
    for (const [name, value] of currentPlace().query) if (name.includes('.')) query.append(name, value);
    const text = query.toString();
    navigate(location.pathname + (text ? `?${text}` : ''), { replace: true });
  };
  const change = (part: Partial<View>) => {
    const next = { ...latest.current, ...part };
    latest.current = next;
    setView(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(write, SYNC_DELAY);
    return next;
  };
  return [view, change, write];
}

function Explore({ table, reload }: { table: TableDescription; reload: () => void }) {
  const name = table.TableName!;
  const targets = useMemo(() => targetsOf(table), [table]);
  const vectors = useMemo(() => vectorTargets(table), [table]);
  const results = useResults();
  const [tried, setTried] = useState(false);
  const [ran, setRan] = useState('');

  const targetsIn = (mode: View['mode']) => (mode === 'search' && vectors.length ? vectors : targets);
  const targetOf = (of: View) => targetsIn(of.mode).find((each) => each.index === of.index) ?? targetsIn(of.mode)[0]!;
  const start = (of: View, keep: boolean) => {
    const target = targetOf(of);
    const request = requestOf({ ...of, index: target.index }, table, target);
    if (!request) {
      if (keep) setTried(true);
      return;
    }
    setTried(false);
    const query = queryOfView(of).toString();
    setRan(JSON.stringify(request));
    if (keep) remember({ name: describeView(of, target), table: name, query, at: Date.now() });
    void results.run(request);
  };
  const keepsIndex = (mode: View['mode']) => targetsIn(mode).some((each) => each.index === view.index);
  const [view, change, write] = useView((arrived) => start(arrived, false));
  const target = targetOf(view);
  const faults = faultsOfView(view, target);
  const run = (of = view) => {
    write();
    start(of, true);
  };

  const hint = useMemo(() => (faults.size && !faults.has('pk0') ? undefined : hintOf(view, targets)), [view, targets]);
  const request = requestOf(view, table, target);
  const stale = results.request !== undefined && request !== undefined && JSON.stringify(request) !== ran;
  const create = () => navigate(href(`item/${segment(name)}`, { new: '1' }));

  useKeys([
    { keys: 'Ctrl+Enter', does: 'Run the query', run: () => run() },
    { keys: '/', does: 'Key condition and filter', run: () => document.querySelector<HTMLElement>('.query-form [data-first] input, .query-form [data-filter] input, .query-form [data-filter] button')?.focus() },
    { keys: 'n', does: 'Create an item', run: create },
  ]);

  return (
    <Page
      title={name}
      actions={
        <>
          <div className="table-switch">
            <TableSelect value={name} ariaLabel="Explore another table" onChange={(other) => navigate(href(`explore/${segment(other)}`))} />
          </div>
          <SavedMenu table={name} title={`Queries of ${name}`} path={`explore/${segment(name)}`} query={() => queryOfView(view).toString()} suggestion={describeView(view, target)} />
          <Button href={href(`tables/${segment(name)}`)} onFollow={follow}>
            Table details
          </Button>
          <WriteButton onClick={create} iconName="add-plus">
            Create item
          </WriteButton>
        </>
      }
    >
      {view.index && target.index !== view.index && view.mode !== 'search' && (
        <Alert type="warning" action={<Button onClick={reload}>Look again</Button>}>
          The table has no index {view.index}. The table itself is shown.
        </Alert>
      )}
      <QueryForm
        view={view}
        target={target}
        targets={targetsIn(view.mode)}
        searchable={vectors.length > 0}
        faults={faults}
        tried={tried}
        names={[...new Set([...results.columns.seen.keys(), ...targets.flatMap((each) => [...each.partition, ...each.sort].map(({ name: key }) => key))])]}
        hint={hint}
        request={request && requestOf(view, table, target, true)}
        busy={results.busy}
        stale={stale}
        onChange={(part) => change(part.mode && part.mode !== view.mode ? { ...part, index: keepsIndex(part.mode) ? view.index : targetsIn(part.mode)[0]!.index } : part)}
        onRun={() => run()}
        onBetter={(better) => run(change(better))}
      />
      <ResultsView table={table} target={target} view={view} results={results} onChange={change} onView={(part) => run(change(part))} onRerun={() => results.request && void results.run(results.request)} onCreate={create} />
    </Page>
  );
}
