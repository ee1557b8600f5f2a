/** How tables are told in words. */
import type { TableDescription } from '../../aws/operations.ts';
import { formatCount, keyType } from '../../components/index.ts';

export const KEY_TYPES = { S: 'String', N: 'Number', B: 'Binary' } as const;

/** 'Artist (S)'; several attributes are separated by commas; none is '–'. */
export function keyText(table: TableDescription, attributes: string[]): string {
  return attributes.map((each) => `${each} (${keyType(table, each)})`).join(', ') || '–';
}

export function isOnDemand(table: TableDescription): boolean {
  return table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
}

export function billingOf(table: TableDescription): string {
  if (isOnDemand(table)) return 'On demand';
  const units = table.ProvisionedThroughput;
  return unitsText(units?.ReadCapacityUnits, units?.WriteCapacityUnits);
}

export function unitsText(read: number | undefined, write: number | undefined): string {
  return read === undefined ? '–' : `${formatCount(read)} read, ${formatCount(write)} write`;
}

/** Limits of on-demand capacity; a negative one is none. */
export function limitsText(read: number | undefined, write: number | undefined): string {
  if (!(read! >= 0) && !(write! >= 0)) return 'No limit';
  const one = (value: number | undefined) => (value === undefined || value < 0 ? 'no limit' : formatCount(value));
  return `${one(read)} read, ${one(write)} write`;
}
