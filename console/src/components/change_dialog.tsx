/** A dialog that sends requests: its fields, the requests as code, and the server's error. */
import { type ReactNode, useState } from 'react';
import { notify } from '../app/notices.ts';
import { call } from '../aws/client.ts';
import type { Request } from '../codegen/index.ts';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './error_box.tsx';
import { RequestPreview } from './request_preview.tsx';
import { WriteButton } from './write_button.tsx';

interface Props {
  title: string;
  /** The button's text: 'Save'. */
  action?: string;
  /** Sent one after the other. None: there is nothing to change. */
  requests: Request[];
  /** What is wrong before anything is sent; the button is disabled then. */
  fault?: string;
  /** Said when it worked: 'The index is being created.' */
  done: string;
  onDone?: () => void;
  onClose: () => void;
  size?: 'medium' | 'large';
  children?: ReactNode;
}

export function ChangeDialog({ title, action = 'Save', requests, fault, done, onDone, onClose, size = 'large', children }: Props) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      for (const request of requests) await call(request.operation, request.input);
      notify({ type: 'success', content: done });
      onDone?.();
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      size={size}
      onClose={onClose}
      action={
        <WriteButton
          variant="primary"
          loading={busy}
          disabled={!!fault || !requests.length}
          disabledReason={fault ?? 'Nothing is changed.'}
          onClick={() => void send()}
          data-testid="save"
        >
          {action}
        </WriteButton>
      }
    >
      {children}
      {requests.length > 0 && <RequestPreview request={requests} height="short" />}
      <ErrorBox error={error} header="The change was refused" />
    </Dialog>
  );
}
