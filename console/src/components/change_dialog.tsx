/** A dialog that sends requests: its fields, the requests as code, and the server's error. */
import type { ReactNode } from 'react';
import { notify } from '../app/notices.ts';
import { call } from '../aws/client.ts';
import { codeOf } from '../aws/errors.ts';
import type { Request } from '../codegen/index.ts';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './error_box.tsx';
import { RequestPreview, type Template } from './request_preview.tsx';
import { useSubmit } from './use_submit.ts';
import { WriteButton } from './write_button.tsx';

export interface ChangeDialogProps {
  title: string;
  /** The button's text: 'Save'. */
  action?: string;
  /** Sent one after the other. None: there is nothing to change. */
  requests: Request[];
  /** What is wrong before anything is sent; the button is disabled then. */
  fault?: string;
  /** Said when it worked: 'The index is being created.' */
  done: string;
  /** Of the table after the change, for CloudFormation. */
  template?: Template;
  onDone?: () => void;
  onClose: () => void;
  size?: 'medium' | 'large';
  children?: ReactNode;
}

const TRIES = 50;
const PAUSE = 100; // milliseconds

/** Until the change before is complete, the server may refuse the next one. */
async function callAfter({ operation, input }: Request): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await call(operation, input));
    } catch (error) {
      if (codeOf(error) !== 'ResourceInUseException' || tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

export function ChangeDialog({ title, action = 'Save', requests, fault, done, template, onDone, onClose, size = 'large', children }: ChangeDialogProps) {
  const { busy, error, submit } = useSubmit();
  const send = async () => {
    let sent = 0;
    try {
      for (const request of requests) {
        await (sent ? callAfter(request) : call(request.operation, request.input));
        sent++;
      }
    } finally {
      // What was sent is in effect also when a later request fails: the dialog then offers the rest.
      if (sent) onDone?.();
    }
    notify({ type: 'success', content: done });
    onClose();
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
          onClick={() => void submit(send)}
          data-testid="save"
        >
          {action}
        </WriteButton>
      }
    >
      {children}
      {requests.length > 0 && <RequestPreview request={requests} template={template} height="short" />}
      <ErrorBox error={error} header="The change was refused" />
    </Dialog>
  );
}
