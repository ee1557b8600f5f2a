/** What to read: query or scan, the index, the key condition, the filter and the options. */
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import Select from '@cloudscape-design/components/select';
import { RequestPreview } from '../../components/index.ts';
import { printName } from '../../values/index.ts';
import { ConditionForm } from './condition_form.tsx';
import { FilterForm } from './filter_form.tsx';
import type { Hint } from './hint.ts';
import { SearchForm } from './search_form.tsx';
import type { ReadTarget } from './target.ts';
import type { Faults, ReadRequest, View } from './view.ts';

interface Props {
  view: View;
  target: ReadTarget;
  /** Those of the mode. */
  targets: ReadTarget[];
  /** The table has vector indexes. */
  searchable: boolean;
  faults: Faults;
  tried: boolean;
  /** Attributes that were seen. */
  names: string[];
  hint: Hint | undefined;
  request: ReadRequest | undefined;
  busy: boolean;
  /** The form no longer says what the results show. */
  stale: boolean;
  onChange: (change: Partial<View>) => void;
  onRun: () => void;
  onBetter: (view: View) => void;
}

const KINDS = { table: '', local: 'Local index', global: 'Global index', vector: 'Vector index' } as const;

function targetLabel(target: ReadTarget): string {
  return target.index || 'Table';
}

function targetDescription(target: ReadTarget): string {
  const keys = target.vector ? target.vector.attribute : [...target.partition, ...target.sort].map((each) => each.name).join(', ');
  const projection = target.kind === 'table' || target.projection === 'ALL' ? '' : target.projection === 'KEYS_ONLY' ? ' · keys only' : ' · some attributes';
  const filling = target.status && target.status !== 'ACTIVE' ? ` · ${target.status.toLowerCase()}` : '';
  return [KINDS[target.kind], keys].filter(Boolean).join(' · ') + projection + filling;
}

export function QueryForm(props: Props) {
  const { view, target, targets, faults, tried, hint, request, onChange } = props;
  const searching = view.mode === 'search';
  const option = (each: ReadTarget) => ({ value: each.index, label: targetLabel(each), description: targetDescription(each) });
  const names = [...new Set([...target.partition, ...target.sort].map((each) => each.name).concat(props.names))].map(printName);
  return (
    <Container>
      <div className="query-form">
        <div className="query-top">
          <SegmentedControl
            selectedId={view.mode}
            label="Query or scan"
            options={[
              { id: 'query', text: 'Query' },
              { id: 'scan', text: 'Scan' },
              ...(props.searchable || searching ? [{ id: 'search', text: 'Vector search' }] : []),
            ]}
            onChange={({ detail }) => onChange({ mode: detail.selectedId as View['mode'] })}
          />
          <div className="query-target">
            <Select
              selectedOption={{ value: target.index, label: targetLabel(target) }}
              options={targets.map(option)}
              triggerVariant="label"
              ariaLabel="Table or index"
              expandToViewport
              onChange={({ detail }) => {
                const index = detail.selectedOption.value!;
                const next = targets.find((each) => each.index === index)!;
                // Values stay where the attribute is the same.
                const kept = new Map(target.partition.map((each, at) => [each.name, view.partition[at] ?? '']));
                const partition = next.partition.map((each) => kept.get(each.name) ?? '');
                const sort = next.sort[0]?.name === target.sort[0]?.name && next.sort[0]?.type === target.sort[0]?.type ? view.sort : [];
                onChange({ index, partition, sort, consistent: view.consistent && next.kind !== 'global' });
              }}
            />
            <small className="explore-note">{targetDescription(target)}</small>
          </div>
          <div className="query-run">
            {props.stale && <small className="explore-note">The results are of an earlier query.</small>}
            <Button variant="primary" loading={props.busy} onClick={props.onRun} data-testid="run">
              Run
            </Button>
          </div>
        </div>
        {view.mode === 'query' && (
          <div data-first>
            <ConditionForm view={view} target={target} faults={faults} tried={tried} onChange={onChange} />
          </div>
        )}
        {searching && <SearchForm view={view} target={target} faults={faults} tried={tried} onChange={onChange} onRun={props.onRun} />}
        {!searching && (
          <div className="query-section">
            <div className="query-label">Filter</div>
            <div>
              <FilterForm filter={view.filter} names={names} onChange={(filter) => onChange({ filter })} />
              {hint && (
                <div className="hint" role="note" data-testid="hint">
                  <span>{hint.text}</span>
                  <Button variant="inline-link" onClick={() => props.onBetter(hint.better)}>
                    Use a key condition
                  </Button>
                </div>
              )}
              {tried && faults.get('filter') && <div className="field-fault">{faults.get('filter')}</div>}
            </div>
          </div>
        )}
        <div className="query-options">
          <FormField label="Attributes" errorText={faults.get('attributes')} stretch>
            <Input
              value={view.projection}
              disabled={view.count}
              placeholder="All. Some: name, address.zip, &quot;a.b&quot;"
              spellcheck={false}
              autoComplete={false}
              onChange={({ detail }) => onChange({ projection: detail.value })}
            />
          </FormField>
          {!searching && (
            <>
              <div>
                <div className="option-label" id="query-order">
                  Order
                </div>
                <SegmentedControl
                  selectedId={view.descending ? 'desc' : 'asc'}
                  ariaLabelledby="query-order"
                  options={[
                    { id: 'asc', text: 'Ascending', disabled: view.mode === 'scan' },
                    { id: 'desc', text: 'Descending', disabled: view.mode === 'scan' },
                  ]}
                  onChange={({ detail }) => onChange({ descending: detail.selectedId === 'desc' })}
                />
              </div>
              <FormField label="Items a page" errorText={faults.get('limit')}>
                <Input value={view.limit} inputMode="numeric" placeholder="1 MB" autoComplete={false} onChange={({ detail }) => onChange({ limit: detail.value.trim() })} />
              </FormField>
              <div className="query-checks">
                <Checkbox checked={view.consistent && target.kind !== 'global'} disabled={target.kind === 'global'} onChange={({ detail }) => onChange({ consistent: detail.checked })}>
                  Consistent read
                </Checkbox>
                <Checkbox checked={view.count} onChange={({ detail }) => onChange({ count: detail.checked })}>
                  Count only
                </Checkbox>
              </div>
            </>
          )}
        </div>
        <ExpandableSection headerText="Request as code" variant="footer">
          {request ? <RequestPreview request={request} height="short" /> : <small className="explore-note">The query is not complete.</small>}
        </ExpandableSection>
      </div>
    </Container>
  );
}
