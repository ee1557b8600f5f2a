/** The filter: rows of tests, in groups that may hold groups. */
import Autosuggest from '@cloudscape-design/components/autosuggest';
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { FileValue } from '../../components/index.ts';
import { TYPE_NAMES, TYPES, type TypeTag } from '../../values/index.ts';
import {
  type Comparison, COMPARISONS, emptyGroup, emptyTest, type Fault, faultsOf, type FilterNode, type Group, OPERATOR_NAMES, OPERATORS, type Operator,
  operandCount, type OperandType, type Test, typesOf, withOperator,
} from './filter.ts';
import { PLACEHOLDERS } from './operand.ts';

interface Props {
  filter: Group;
  /** Paths of attributes that were seen. */
  names: string[];
  onChange: (filter: Group) => void;
}

export function FilterForm({ filter, names, onChange }: Props) {
  const faults = faultsOf(filter);
  return (
    <div data-filter className="filter" role="group" aria-label="Filter">
      <GroupRows group={filter} depth={0} names={names} faults={faults} onChange={(next) => onChange((next ?? emptyGroup()) as Group)} />
    </div>
  );
}

interface NodeProps<T> {
  names: string[];
  faults: Fault[];
  onChange: (node: FilterNode | undefined) => void;
  depth: number;
  group: T;
}

function GroupRows({ group, depth, names, faults, onChange }: NodeProps<Group>) {
  const replace = (at: number, node: FilterNode | undefined) =>
    onChange({ ...group, children: group.children.flatMap((each, index) => (index === at ? (node ? [node] : []) : [each])) });
  const several = group.children.length > 1;
  return (
    <div className={depth ? 'filter-group' : 'filter-group outermost'}>
      {(several || depth > 0) && (
        <div className="filter-head">
          <NotToggle on={!!group.not} label="NOT: negate the group" onChange={(not) => onChange({ ...group, not })} />
          <Select
            selectedOption={{ value: group.join, label: group.join === 'AND' ? 'all of (AND)' : 'any of (OR)' }}
            options={[
              { value: 'AND', label: 'all of (AND)' },
              { value: 'OR', label: 'any of (OR)' },
            ]}
            ariaLabel="How the conditions are joined"
            onChange={({ detail }) => onChange({ ...group, join: detail.selectedOption.value as 'AND' | 'OR' })}
          />
          {depth > 0 && <Button variant="icon" iconName="close" ariaLabel="Remove the group" onClick={() => onChange(undefined)} />}
        </div>
      )}
      {group.children.map((child, at) =>
        child.kind === 'test' ? (
          <TestRow key={at} test={child} names={names} faults={faults} onChange={(node) => replace(at, node)} />
        ) : (
          <GroupRows key={at} group={child} depth={depth + 1} names={names} faults={faults} onChange={(node) => replace(at, node)} />
        ),
      )}
      <div className="filter-add">
        <Button variant="inline-link" iconName="add-plus" onClick={() => onChange({ ...group, children: [...group.children, emptyTest()] })}>
          Add a condition
        </Button>
        {group.children.length > 0 && (
          <Button
            variant="inline-link"
            iconName="add-plus"
            onClick={() => onChange({ ...group, children: [...group.children, { ...emptyGroup(group.join === 'AND' ? 'OR' : 'AND'), children: [emptyTest()] }] })}
          >
            Add a group
          </Button>
        )}
      </div>
    </div>
  );
}

function NotToggle({ on, label, onChange }: { on: boolean; label: string; onChange: (on: boolean) => void }) {
  return (
    <button type="button" className={on ? 'not-toggle on' : 'not-toggle'} aria-pressed={on} aria-label={label} title={label} onClick={() => onChange(!on)}>
      NOT
    </button>
  );
}

interface TestProps {
  test: Test;
  names: string[];
  faults: Fault[];
  onChange: (node: FilterNode | undefined) => void;
}

function TestRow({ test, names, faults, onChange }: TestProps) {
  const fault = (at: 'path' | number) => faults.find((each) => each.test === test && each.at === at)?.message;
  const setValue = (at: number, text: string) => onChange({ ...test, values: test.values.map((each, index) => (index === at ? text : each)) });
  const label = test.path || 'attribute';
  const count = operandCount(test.op);
  return (
    <div className="filter-row">
      <NotToggle on={!!test.not} label={`NOT: negate the condition of ${label}`} onChange={(not) => onChange({ ...test, not })} />
      <div className="filter-path">
        <Autosuggest
          value={test.path}
          options={names.map((value) => ({ value }))}
          enteredTextLabel={(value) => `Use ${value}`}
          ariaLabel="Attribute or path"
          placeholder="Attribute or path"
          invalid={!!fault('path')}
          onChange={({ detail }) => onChange({ ...test, path: detail.value })}
        />
        {fault('path') && <div className="field-fault">{fault('path')}</div>}
      </div>
      <Select
        selectedOption={{ value: test.op, label: OPERATOR_NAMES[test.op] }}
        options={OPERATORS.map((value) => ({ value, label: OPERATOR_NAMES[value] }))}
        ariaLabel={`Operator for ${label}`}
        onChange={({ detail }) => onChange(withOperator(test, detail.selectedOption.value as Operator))}
      />
      {test.op === 'size' && (
        <Select
          selectedOption={{ value: test.compare ?? '=', label: OPERATOR_NAMES[test.compare ?? '='] }}
          options={COMPARISONS.map((value) => ({ value, label: OPERATOR_NAMES[value] }))}
          ariaLabel={`Comparison of the size of ${label}`}
          onChange={({ detail }) => onChange({ ...test, compare: detail.selectedOption.value as Comparison })}
        />
      )}
      {test.op === 'type' ? (
        <Select
          selectedOption={{ value: test.values[0] ?? 'S', label: TYPE_NAMES[(test.values[0] ?? 'S') as TypeTag] }}
          options={TYPES.map((value) => ({ value, label: TYPE_NAMES[value] }))}
          ariaLabel={`Type of ${label}`}
          onChange={({ detail }) => setValue(0, detail.selectedOption.value!)}
        />
      ) : (
        count !== 0 &&
        test.op !== 'size' && (
          <Select
            selectedOption={{ value: test.type, label: typeName(test.type) }}
            options={typesOf(test.op).map((value) => ({ value, label: typeName(value) }))}
            ariaLabel={`Type of the value for ${label}`}
            onChange={({ detail }) => onChange({ ...test, type: detail.selectedOption.value as OperandType, values: test.values.map((each) => boolText(detail.selectedOption.value as OperandType, each)) })}
          />
        )
      )}
      {test.op !== 'type' &&
        test.type !== 'NULL' &&
        test.values.map((text, at) => (
          <div className="filter-value" key={at}>
            {test.type === 'BOOL' ? (
              <Select
                selectedOption={{ value: text, label: text }}
                options={[{ value: 'true' }, { value: 'false' }]}
                ariaLabel={`Value for ${label}`}
                onChange={({ detail }) => setValue(at, detail.selectedOption.value!)}
              />
            ) : (
              <div className="with-file">
                <Input
                  value={text}
                  ariaLabel={at ? `Value ${at + 1} for ${label}` : `Value for ${label}`}
                  placeholder={test.type === 'PATH' ? 'Another attribute' : test.op === 'size' ? 'Bytes or members' : PLACEHOLDERS[test.type]}
                  spellcheck={false}
                  autoComplete={false}
                  invalid={text !== '' && !!fault(at)}
                  onChange={({ detail }) => setValue(at, detail.value)}
                />
                {test.type === 'B' && <FileValue label={`Value for ${label}`} onChange={(value) => setValue(at, value)} />}
              </div>
            )}
            {text !== '' && fault(at) && <div className="field-fault">{fault(at)}</div>}
          </div>
        ))}
      {count === 'many' && (
        <Button variant="icon" iconName="add-plus" ariaLabel={`Add a value for ${label}`} onClick={() => onChange({ ...test, values: [...test.values, ''] })} />
      )}
      {count === 'many' && test.values.length > 1 && (
        <Button variant="icon" iconName="subtract-minus" ariaLabel={`Remove the last value for ${label}`} onClick={() => onChange({ ...test, values: test.values.slice(0, -1) })} />
      )}
      <Button variant="icon" iconName="close" ariaLabel={`Remove the condition of ${label}`} onClick={() => onChange(undefined)} />
    </div>
  );
}

const typeName = (type: OperandType) => (type === 'PATH' ? 'Attribute' : TYPE_NAMES[type]);
const boolText = (type: OperandType, text: string) => (type === 'BOOL' ? (text === 'false' ? 'false' : 'true') : type === 'NULL' ? '' : text);
