import Button, { type ButtonProps } from '@cloudscape-design/components/button';
import { useReadOnly } from '../aws/session.ts';

/** A button that changes something on the server: disabled, with the reason, while the console is read-only. */
export function WriteButton(props: ButtonProps & { 'data-testid'?: string }) {
  const locked = useReadOnly();
  return (
    <Button
      {...props}
      disabled={props.disabled || locked}
      disabledReason={locked ? 'Read-only is on (at the top right).' : props.disabledReason}
    />
  );
}
