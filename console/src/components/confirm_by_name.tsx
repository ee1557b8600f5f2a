/** Asks for the name before something is destroyed, and says on which server and in which namespace. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import { type ReactNode, useRef, useState } from 'react';
import { endpoint, namespaceName, useSession } from '../aws/session.ts';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './error_box.tsx';
import { useFocus } from './use_focus.ts';
import { useSubmit } from './use_submit.ts';

interface Props {
  /** 'Delete table' */
  title: string;
  /** What must be typed: the table's name. */
  name: string;
  /** The button's text: 'Delete'. */
  action: string;
  children?: ReactNode;
  /** The dialog closes when this resolves; an error is shown in it. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

export function ConfirmByName({ title, name, action, children, onConfirm, onClose }: Props) {
  const namespace = namespaceName(useSession());
  const [typed, setTyped] = useState('');
  const input = useRef<InputProps.Ref>(null);
  useFocus(input);
  const { busy, error, submit } = useSubmit();
  const confirm = async () => {
    if (typed !== name) return;
    await submit(async () => {
      await onConfirm();
      onClose();
    });
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      action={
        <Button variant="primary" disabled={typed !== name} loading={busy} onClick={() => void confirm()} data-testid="confirm">
          {action}
        </Button>
      }
    >
      {children}
      <Alert type="warning">
        This cannot be undone. Server: <strong>{endpoint()}</strong>
        {namespace !== undefined && (
          <>
            , namespace: <strong>{namespace}</strong>
          </>
        )}
      </Alert>
      <FormField label={`To confirm, type ${name}`}>
        <Input
          ref={input}
          value={typed}
          autoComplete={false}
          spellcheck={false}
          placeholder={name}
          onChange={({ detail }) => setTyped(detail.value)}
          onKeyDown={({ detail }) => detail.key === 'Enter' && void confirm()}
        />
      </FormField>
      <ErrorBox error={error} />
    </Dialog>
  );
}
