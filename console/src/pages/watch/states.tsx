import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { ErrorBox } from '../../components/index.ts';
import type { Polled } from './poll.ts';

/** What is shown instead of figures: an error, or that the server does not offer this. */
export function Trouble({ of, header }: { of: Polled<unknown>; header: string }) {
  if (of.absent) return <Nothing title="This server does not offer it">Another version of Partita, or another server, answers at this address.</Nothing>;
  if (of.error) return <ErrorBox error={of.error} header={header} onRetry={of.retry} />;
  return null;
}

export function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Box textAlign="center" padding={{ vertical: 'xxl' }} color="text-body-secondary">
      <Box variant="strong" color="inherit">
        {title}
      </Box>
      {children && <Box color="inherit">{children}</Box>}
    </Box>
  );
}
