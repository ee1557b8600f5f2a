/** A plain editor for JSON and statements. Ctrl+Enter runs; Tab leaves it, as for any field. */
import { type KeyboardEvent } from 'react';

interface Props {
  value: string;
  onChange: (value: string) => void;
  label: string;
  rows?: number;
  onRun?: () => void;
  invalid?: boolean;
  readOnly?: boolean;
  autoFocus?: boolean;
}

export function TextEditor({ value, onChange, label, rows = 12, onRun, invalid, readOnly, autoFocus }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && onRun) {
      event.preventDefault();
      event.stopPropagation();
      onRun();
    }
  };
  return (
    <textarea
      className={invalid ? 'text-editor invalid' : 'text-editor'}
      aria-label={label}
      aria-invalid={invalid || undefined}
      value={value}
      rows={rows}
      readOnly={readOnly}
      autoFocus={autoFocus}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}

/** Puts the cursor where a JSON text is at fault. */
export function selectOffset(area: HTMLTextAreaElement, offset: number): void {
  area.focus();
  area.setSelectionRange(offset, Math.min(offset + 1, area.value.length));
}
