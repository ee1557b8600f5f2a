/** What axe finds in a page that is serious or critical. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

export async function serious(page: Page): Promise<string[]> {
  // Past the policy: a script element would be refused.
  await page.evaluate(axe);
  const violations = (await page.evaluate(async () => {
    const runner = (window as unknown as { axe: { run(): Promise<{ violations: unknown[] }> } }).axe;
    return (await runner.run()).violations;
  })) as Violation[];
  return violations
    .filter((each) => ['serious', 'critical'].includes(each.impact))
    .flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}
