/** A statement, its parameters, and the mark of a fault. */
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { useRef } from 'react';
import { TextEditor } from '../../components/index.ts';
import { TYPE_NAMES, TYPES, type TypeTag } from '../../values/index.ts';
import { PLACEHOLDERS } from '../explore/operand.ts';
import { markOf, type Place } from './locate.ts';
import { type Parameter, parameterFault, type Statement, withText } from './statements.ts';

interface Props {
  statement: Statement;
  /** 'Statement', or 'Statement 2'. */
  label: string;
  rows: number;
  /** What the server said of it. */
  fault?: string;
  place?: Place;
  autoFocus?: boolean;
  onChange: (statement: Statement) => void;
  onRun: () => void;
  onRemove?: () => void;
}

export function StatementForm({ statement, label, rows, fault, place, autoFocus, onChange, onRun, onRemove }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const show = () => {
    const area = box.current?.querySelector('textarea');
    if (!area || !place) return;
    area.focus();
    area.setSelectionRange(place.offset, place.offset + place.length);
  };
  const setParameter = (at: number, parameter: Parameter) => onChange({ ...statement, parameters: statement.parameters.map((each, index) => (index === at ? parameter : each)) });
  const mark = place && markOf(statement.text, place);
  return (
    <div className="statement" ref={box}>
      {onRemove && (
        <div className="statement-head">
          <strong>{label}</strong>
          <Button variant="icon" iconName="close" ariaLabel={`Remove ${label}`} onClick={onRemove} />
        </div>
      )}
      <TextEditor label={label} value={statement.text} rows={rows} invalid={!!fault} autoFocus={autoFocus} onRun={onRun} onChange={(text) => onChange(withText(statement, text))} />
      {fault && (
        <div className="statement-fault" role="alert" data-testid="statement-fault">
          <div>{fault}</div>
          {mark && (
            <>
              <pre aria-label={`The fault is in line ${mark.line}, column ${[...mark.lead].length + 1}`}>
                {mark.text}
                {'\n'}
                {mark.lead}
                <b>{mark.mark}</b>
              </pre>
              <Button variant="inline-link" onClick={show}>
                {`Go to line ${mark.line}, column ${[...mark.lead].length + 1}`}
              </Button>
            </>
          )}
        </div>
      )}
      {statement.parameters.length > 0 && (
        <div className="parameters" role="group" aria-label={`Parameters of ${label}`}>
          {statement.parameters.map((parameter, at) => {
            const wrong = parameter.text === '' && parameter.type !== 'S' ? undefined : parameterFault(parameter);
            return (
              <div className="parameter" key={at}>
                <span>?{at + 1}</span>
                <Select
                  selectedOption={{ value: parameter.type, label: TYPE_NAMES[parameter.type] }}
                  options={TYPES.map((value) => ({ value, label: TYPE_NAMES[value] }))}
                  ariaLabel={`Type of parameter ${at + 1}`}
                  onChange={({ detail }) => {
                    const type = detail.selectedOption.value as TypeTag;
                    setParameter(at, { type, text: type === 'BOOL' && parameter.text !== 'false' ? 'true' : parameter.text });
                  }}
                />
                {parameter.type === 'BOOL' ? (
                  <Select
                    selectedOption={{ value: parameter.text, label: parameter.text }}
                    options={[{ value: 'true' }, { value: 'false' }]}
                    ariaLabel={`Value of parameter ${at + 1}`}
                    onChange={({ detail }) => setParameter(at, { ...parameter, text: detail.selectedOption.value! })}
                  />
                ) : (
                  <div>
                    <Input
                      value={parameter.type === 'NULL' ? '' : parameter.text}
                      disabled={parameter.type === 'NULL'}
                      ariaLabel={`Value of parameter ${at + 1}`}
                      placeholder={PLACEHOLDERS[parameter.type]}
                      spellcheck={false}
                      autoComplete={false}
                      invalid={!!wrong}
                      onChange={({ detail }) => setParameter(at, { ...parameter, text: detail.value })}
                    />
                    {wrong && <div className="field-fault">{wrong}</div>}
                  </div>
                )}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}
