import { ServiceError } from '../../aws/index.ts';
import { ErrorBox } from '../../components/index.ts';
import type { Fault } from './messages.ts';

/** A fault of the worker, shown as the page shows its own. */
export function FaultBox({ fault, header }: { fault: Fault | undefined; header: string }) {
  if (!fault) return null;
  const error = fault.code ? new ServiceError(fault.operation ?? '', fault.status ?? 400, fault.code, fault.message, {}) : new Error(fault.message);
  return <ErrorBox error={error} header={header} />;
}
