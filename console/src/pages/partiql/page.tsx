/** PartiQL: one statement, a batch, or a transaction. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import Input from '@cloudscape-design/components/input';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { notify } from '../../app/notices.ts';
import { currentPlace, href, navigate, segment, useQueryState } from '../../app/router.ts';
import { isAbort, missingAction, useReadOnly } from '../../aws/index.ts';
import { ErrorBox, formatCount, Page, plural, RequestPreview, useTable } from '../../components/index.ts';
import type { Item } from '../../values/index.ts';
import { emptyColumns, withItems } from '../explore/columns.ts';
import '../explore/explore.css';
import { ItemsGrid } from '../explore/items_grid.tsx';
import { ItemsJson } from '../explore/items_json.tsx';
import { remember } from '../explore/saved.ts';
import { SavedMenu } from '../explore/saved_menu.tsx';
import { keyAttributes, keyOf } from '../explore/target.ts';
import { execute, faultsOf, type Outcome } from './execute.ts';
import { locate } from './locate.ts';
import './partiql.css';
import { StatementForm } from './statement_form.tsx';
import { decodeStatements, emptyStatement, encodeStatements, isRead, type Mode, requestOf, type Statement, tableOf } from './statements.ts';

const MODES = { single: 'Statement', batch: 'Batch', transaction: 'Transaction' } as const;
const MOST = { single: 1, batch: 25, transaction: 100 } as const;
/** Saved statements stand beside the queries of tables; no table has an empty name. */
export const NO_TABLE = '';

export default function PartiqlPage() {
  const [modeText, setMode] = useQueryState('mode', 'single');
  const mode: Mode = Object.hasOwn(MODES, modeText) ? (modeText as Mode) : 'single';
  const [source, setSource] = useQueryState('s', '');
  const [limit, setLimit] = useQueryState('limit', '');
  const [consistent, setConsistent] = useQueryState('consistent', '');
  const [shape, setShape] = useQueryState('show', 'grid');
  const statements = useMemo(() => decodeStatements(source), [source]);
  const shown = mode === 'single' ? statements.slice(0, 1) : statements;
  const locked = useReadOnly();
  const [outcome, setOutcome] = useState<Outcome>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [faults, setFaults] = useState(new Map<number, string>());
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const request = requestOf(mode, statements, { consistent: consistent === '1', limit });
  // A batch or transaction leaves blank statements out; numbers of faults are of those that were sent.
  const sent = shown.map((each, at) => ({ each, at })).filter(({ each }) => mode === 'single' || each.text.trim() !== '');
  const refused = locked && shown.some((each) => each.text.trim() !== '' && !isRead(each.text));

  const change = (at: number, statement: Statement) => {
    setSource(encodeStatements(statements.map((each, index) => (index === at ? statement : each))));
    if (faults.size) setFaults(new Map());
    setError(undefined);
  };
  const run = async (before?: Outcome) => {
    if (!request || refused || (before && !before.nextToken)) return;
    abort.current?.abort();
    const control = new AbortController();
    abort.current = control;
    setBusy(true);
    setError(undefined);
    setFaults(new Map());
    if (!before) {
      const name = shown.map((each) => each.text.trim().replace(/\s+/g, ' ')).filter(Boolean).join('; ');
      remember({ name, table: NO_TABLE, query: currentPlace().query.toString(), at: Date.now() });
    }
    try {
      const next = await execute(before?.request ?? request, control.signal, before);
      setOutcome(next);
      setFaults(next.faults);
    } catch (fault) {
      if (!isAbort(fault) && !control.signal.aborted) {
        setError(fault);
        setFaults(faultsOf(fault, request));
        if (!before) setOutcome(undefined);
      }
    }
    if (abort.current === control) setBusy(false);
  };
  useKeys([{ keys: 'Ctrl+Enter', does: 'Run the statements', run: () => void run() }]);

  const faultAt = (at: number) => faults.get(sent.findIndex((each) => each.at === at));
  return (
    <Page
      title="PartiQL"
      actions={<SavedMenu table={NO_TABLE} title="PartiQL" path="partiql" query={() => currentPlace().query.toString()} suggestion={shown[0]!.text.trim().replace(/\s+/g, ' ').slice(0, 80)} />}
    >
      <Container>
        <div className="partiql">
          <div className="query-top">
            <SegmentedControl
              selectedId={mode}
              label="What to run"
              options={Object.entries(MODES).map(([id, text]) => ({ id, text }))}
              onChange={({ detail }) => {
                setMode(detail.selectedId);
                setFaults(new Map());
                setError(undefined);
              }}
            />
            <small className="explore-note partiql-note">
              {mode === 'single' ? 'One statement; a SELECT is read page by page.' : mode === 'batch' ? 'Up to 25 statements, each by itself; all read, or all write.' : 'Up to 100 statements: all of them, or none.'}
            </small>
            <div className="query-run">
              <Button
                variant="primary"
                loading={busy}
                disabled={!request || refused}
                disabledReason={refused ? 'Read-only is on (at the top right): only SELECT is run.' : 'A statement is empty, or a parameter is not complete.'}
                onClick={() => void run()}
                data-testid="run"
              >
                Run
              </Button>
            </div>
          </div>
          {shown.map((statement, at) => {
            const fault = faultAt(at);
            return (
              <StatementForm
                key={at}
                statement={statement}
                label={mode === 'single' ? 'Statement' : `Statement ${at + 1}`}
                rows={mode === 'single' ? 6 : 3}
                fault={fault}
                place={fault ? locate(statement.text, fault.replace(/^\w+: /, '')) : undefined}
                autoFocus={at === 0}
                onChange={(next) => change(at, next)}
                onRun={() => void run()}
                onRemove={mode !== 'single' && statements.length > 1 ? () => setSource(encodeStatements(statements.filter((_, index) => index !== at))) : undefined}
              />
            );
          })}
          {mode !== 'single' && statements.length < MOST[mode] && (
            <div>
              <Button variant="inline-link" iconName="add-plus" onClick={() => setSource(encodeStatements([...statements, emptyStatement()]))}>
                Add a statement
              </Button>
            </div>
          )}
          <div className="partiql-options">
            {mode === 'single' && (
              <label>
                Items a page
                <Input value={limit} inputMode="numeric" placeholder="1 MB" ariaLabel="Items a page" autoComplete={false} onChange={({ detail }) => setLimit(detail.value.trim())} />
              </label>
            )}
            {mode !== 'transaction' && (
              <Checkbox checked={consistent === '1'} onChange={({ detail }) => setConsistent(detail.checked ? '1' : '')}>
                Consistent read
              </Checkbox>
            )}
          </div>
          {request && <RequestPreview folded request={request} height="short" />}
        </div>
      </Container>
      {error !== undefined && !(mode === 'single' && faults.size > 0 && !missingAction(error)) && <ErrorBox error={error} header="Refused" onDismiss={() => setError(undefined)} />}
      {outcome && outcome.faults.size > 0 && <Alert type="warning">{`${plural('statement', outcome.faults.size)} of ${outcome.count} failed; the others were run.`}</Alert>}
      {outcome && <OutcomeView outcome={outcome} shape={shape} busy={busy} statements={shown} onShape={setShape} onReadOn={() => void run(outcome)} />}
    </Page>
  );
}

interface OutcomeProps {
  outcome: Outcome;
  shape: string;
  busy: boolean;
  statements: Statement[];
  onShape: (shape: string) => void;
  onReadOn: () => void;
}

function OutcomeView({ outcome, shape, busy, statements, onShape, onReadOn }: OutcomeProps) {
  const { items, units } = outcome;
  const [text] = useState(() => statements[0]?.text ?? '');
  const source = tableOf(text)?.table;
  const table = useTable(outcome.origins ? undefined : source);
  const keys = table.data ? keyAttributes(table.data) : [];
  const columns = useMemo(() => withItems(emptyColumns(), items), [items]);
  const open = (item: Item) => {
    const key = keys.length ? keyOf(item, keys) : undefined;
    if (key) navigate(href(`item/${segment(source!)}`, { key: JSON.stringify(key) }));
    else notify({ type: 'info', content: 'The statement did not return the key of the item, so it cannot be opened.' });
  };
  return (
    <Container>
      <div className="results">
        <div className="results-head">
          <div className="summary" role="status" data-testid="summary">
            <strong>{plural('item', items.length)}</strong>
            <span>
              {formatCount(units)} {units === 1 ? 'unit' : 'units'}
            </span>
            <span>{Math.max(1, Math.round(outcome.milliseconds))} ms</span>
            {outcome.nextToken ? <span className="more">there is more</span> : <span className="end">done</span>}
          </div>
          <SegmentedControl
            selectedId={['dynamodb', 'plain'].includes(shape) ? shape : 'grid'}
            label="Show as"
            options={[
              { id: 'grid', text: 'Grid' },
              { id: 'dynamodb', text: 'DynamoDB JSON' },
              { id: 'plain', text: 'JSON' },
            ]}
            onChange={({ detail }) => onShape(detail.selectedId)}
          />
        </div>
        {items.length === 0 ? (
          <div className="results-empty">{outcome.nextToken ? 'Nothing on this page, but there is more: read on.' : 'The statements returned no items.'}</div>
        ) : shape === 'dynamodb' || shape === 'plain' ? (
          <ItemsJson form={shape} items={(first, last) => items.slice(first, last)} count={items.length} turn={items.length} />
        ) : (
          <ItemsGrid
            label="Items"
            columns={columns}
            rowCount={items.length}
            item={(row) => items[row]}
            keys={keys.map((each) => each.name)}
            more={!!outcome.nextToken}
            onOpen={(row) => open(items[row]!)}
          />
        )}
        {outcome.nextToken && (
          <div className="read-on">
            <Button loading={busy} onClick={onReadOn}>
              Read on
            </Button>
          </div>
        )}
      </div>
    </Container>
  );
}
