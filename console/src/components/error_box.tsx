/** An error of a call: the server's own text, its name, and what to do about it. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { useEffect, useRef } from 'react';
import { isLoginFault, messageOf, missingAction, missingStatement, ServiceError } from '../aws/errors.ts';
import { session } from '../aws/session.ts';
import { CopyButton } from './copy_button.tsx';

interface Props {
  error: unknown;
  /** What was tried, as a heading: 'The table was not created'. */
  header?: string;
  onRetry?: () => void;
  onDismiss?: () => void;
}

export function ErrorBox({ error, header, onRetry, onDismiss }: Props) {
  const box = useRef<HTMLDivElement>(null);
  // A form may be longer than the window, and its button far from here.
  useEffect(() => {
    if (error) box.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (!error) return null;
  const action = missingAction(error);
  const remedy = remedyOf(error, action);
  const login = isLoginFault(error) && session.get().server?.Mode === 'verified';
  return (
    <div ref={box} className="error-box">
    <Alert
      type="error"
      header={header ?? (action ? 'Not allowed' : 'The call failed')}
      dismissible={!!onDismiss}
      onDismiss={onDismiss}
      action={
        login ? (
          <Button onClick={() => session.set((before) => ({ ...before, loginNeeded: messageOf(error) }))}>Sign in</Button>
        ) : (
          onRetry && <Button onClick={onRetry}>Try again</Button>
        )
      }
    >
      <div data-testid="error-text" className="prewrap">
        {messageOf(error)}
      </div>
      {remedy && <div>{remedy}</div>}
      {error instanceof ServiceError && (
        <Box fontSize="body-s" color="text-body-secondary">
          {error.code} · {error.operation} · HTTP {error.status}
          {error.$metadata.requestId ? ` · request ${error.$metadata.requestId}` : ''}
        </Box>
      )}
    </Alert>
    </div>
  );
}

function remedyOf(error: unknown, action: string | undefined) {
  if (action) {
    return (
      <>
        A policy of this user must allow <strong>{action}</strong>. <CopyButton text={() => missingStatement(error)} label="Copy the policy for the administrator">Copy policy</CopyButton>
      </>
    );
  }
  if (!(error instanceof ServiceError)) return undefined;
  switch (error.code) {
    case 'ProvisionedThroughputExceededException':
      return 'The table’s provisioned capacity is used up. Wait a second, or raise the capacity.';
    case 'ThrottlingException':
    case 'RequestLimitExceeded':
      return 'Too many requests at once. Try again in a moment.';
    case 'ResourceInUseException':
      return /already exists/i.test(error.message) ? undefined : 'The table is being created, changed or deleted. Wait until it is ACTIVE.';
    default:
      return undefined;
  }
}
