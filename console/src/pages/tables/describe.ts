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
  return `${formatCount(units?.ReadCapacityUnits)} read, ${formatCount(units?.WriteCapacityUnits)} write`;
}
