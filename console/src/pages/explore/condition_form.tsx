/** The key condition: a value for each attribute of the partition key, and conditions on the sort key. */
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { FileValue } from '../../components/index.ts';
import { TYPE_NAMES } from '../../values/index.ts';
import { OPERATOR_NAMES } from './filter.ts';
import { PLACEHOLDERS } from './operand.ts';
import type { KeyAttribute, ReadTarget } from './target.ts';
import { type Faults, type SortCondition, sortOperatorsOf, type SortOperator, type View } from './view.ts';

/** Of the forms that say which items are read. */
export interface ConditionProps {
  view: View;
  target: ReadTarget;
  faults: Faults;
  /** Faults of empty fields are shown once a run was tried. */
  tried: boolean;
  onChange: (change: Partial<View>) => void;
}

export const shownFault = ({ faults, tried }: ConditionProps, field: string, text: string) => (tried || text !== '' ? faults.get(field) : undefined);

export function ConditionForm(props: ConditionProps) {
  const { view, target, onChange } = props;
  const shown = (field: string, text: string) => shownFault(props, field, text);
  const setPartition = (at: number, value: string) => {
    const partition = target.partition.map((_, index) => (index === at ? value : (view.partition[index] ?? '')));
    onChange({ partition });
  };
  // A condition on a part of the sort key needs equalities on all parts before it.
  const open = view.sort.slice(0, target.sort.length);
  const rows = target.sort.slice(0, open.every((each) => each.op === '=') ? open.length + 1 : open.length);
  const setSort = (at: number, condition: SortCondition | undefined) => {
    const sort = open.slice(0, at);
    if (condition) {
      sort.push(condition);
      if (condition.op === '=') sort.push(...open.slice(at + 1));
    }
    onChange({ sort });
  };
  return (
    <div className="condition-rows" role="group" aria-label="Key condition">
      {target.partition.map((attribute, at) => (
        <div className="condition-row" key={attribute.name}>
          <KeyName attribute={attribute} role={at ? '' : 'Partition key'} />
          <div className="condition-fixed">=</div>
          <OperandValue
            attribute={attribute}
            text={view.partition[at] ?? ''}
            label={`${attribute.name} =`}
            fault={shown(`pk${at}`, view.partition[at] ?? '')}
            onChange={(value) => setPartition(at, value)}
          />
        </div>
      ))}
      {rows.map((attribute, at) => {
        const condition = open[at];
        return (
          <div className="condition-row" key={attribute.name}>
            <KeyName attribute={attribute} role={at ? '' : 'Sort key'} />
            <Select
              selectedOption={condition ? { value: condition.op, label: OPERATOR_NAMES[condition.op] } : { value: '', label: 'any' }}
              options={[{ value: '', label: 'any' }, ...sortOperatorsOf(attribute.type).map((value) => ({ value, label: OPERATOR_NAMES[value] }))]}
              ariaLabel={`Condition on ${attribute.name}`}
              onChange={({ detail }) => {
                const op = detail.selectedOption.value as SortOperator | '';
                if (!op) setSort(at, undefined);
                else setSort(at, { op, values: [condition?.values[0] ?? '', ...(op === 'between' ? [condition?.values[1] ?? ''] : [])] });
              }}
            />
            {condition?.values.map((text, operand) => (
              <OperandValue
                key={operand}
                attribute={attribute}
                text={text}
                label={`${attribute.name} ${condition.op}${operand ? ' and' : ''}`}
                fault={shown(`sk${at}.${operand}`, text)}
                onChange={(value) => setSort(at, { ...condition, values: condition.values.map((each, index) => (index === operand ? value : each)) })}
              />
            ))}
          </div>
        );
      })}
    </div>
  );
}

function KeyName({ attribute, role }: { attribute: KeyAttribute; role: string }) {
  return (
    <div className="condition-name" title={`${attribute.name}: ${TYPE_NAMES[attribute.type]}`}>
      <small>{role}</small>
      <strong>{attribute.name}</strong> <span className="type-tag">{attribute.type}</span>
    </div>
  );
}

interface ValueProps {
  attribute: KeyAttribute;
  text: string;
  label: string;
  fault: string | undefined;
  onChange: (text: string) => void;
}

export function OperandValue({ attribute, text, label, fault, onChange }: ValueProps) {
  return (
    <div className="condition-value">
      <div className="with-file">
        <Input
          value={text}
          ariaLabel={label}
          placeholder={PLACEHOLDERS[attribute.type]}
          spellcheck={false}
          autoComplete={false}
          invalid={!!fault}
          onChange={({ detail }) => onChange(detail.value)}
        />
        {attribute.type === 'B' && <FileValue label={label} onChange={onChange} />}
      </div>
      {fault && <div className="field-fault">{fault}</div>}
    </div>
  );
}
