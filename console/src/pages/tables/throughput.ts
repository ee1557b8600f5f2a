/** The throughput of a table or index as the form holds it, and what of it a change sends. */
import type { TableDescription } from '../../aws/operations.ts';
import type { Throughput } from './capacity_fields.tsx';
import { maximum, throughput, type TableForm, warmth } from './form.ts';

type Described = Pick<TableDescription, 'ProvisionedThroughput' | 'OnDemandThroughput'> & {
  WarmThroughput?: { ReadUnitsPerSecond?: number; WriteUnitsPerSecond?: number };
};

const text = (value: number | undefined) => (value === undefined || value < 0 ? '' : String(value));

export function throughputOf(of: Described): Throughput {
  return {
    provisioned: { read: text(of.ProvisionedThroughput?.ReadCapacityUnits || 5), write: text(of.ProvisionedThroughput?.WriteCapacityUnits || 5) },
    maximum: { read: text(of.OnDemandThroughput?.MaxReadRequestUnits), write: text(of.OnDemandThroughput?.MaxWriteRequestUnits) },
    warm: { read: text(of.WarmThroughput?.ReadUnitsPerSecond), write: text(of.WarmThroughput?.WriteUnitsPerSecond) },
  };
}

/** The members that differ from what is there. In on-demand mode, -1 removes a limit. */
export function changedThroughput(after: Throughput, of: Described, billing: TableForm['billing'], wasBilling = billing) {
  const before = throughputOf(of);
  const differs = (name: keyof Throughput) => after[name].read !== before[name].read || after[name].write !== before[name].write;
  const limited = { read: after.maximum.read || '-1', write: after.maximum.write || '-1' };
  return {
    ProvisionedThroughput: billing === 'PROVISIONED' && (billing !== wasBilling || differs('provisioned')) ? throughput(after.provisioned) : undefined,
    OnDemandThroughput: billing === 'PAY_PER_REQUEST' && differs('maximum') ? maximum(limited) : undefined,
    WarmThroughput: differs('warm') ? warmth(after.warm) : undefined,
  };
}

export const isEmpty = (change: object): boolean => Object.values(change).every((each) => each === undefined);
