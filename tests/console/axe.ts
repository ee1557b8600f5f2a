/** What axe finds in a page that is serious or critical. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that colours decide. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** `rules`: these only. */
export async function serious(page: Page, rules?: string[]): Promise<string[]> {
  // Past the policy: a script element would be refused.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const violations = await page.evaluate(async (rules) => {
    const runner = (window as unknown as { axe: { run(options: object): Promise<{ violations: unknown[] }> } }).axe;
    // What passes is not wanted, and to describe it takes longer than to look.
    return (await runner.run({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })).violations as Violation[];
  }, rules);
  return violations
    .filter((each) => ['serious', 'critical'].includes(each.impact))
    .flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}

/** In light by every rule, and in dark by those that look at colours: nothing else differs. Leaves the page light. */
export async function seriousInBoth(page: Page, settled: () => Promise<void>): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await settled();
  const light = await serious(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('body')).toHaveClass(/awsui-dark-mode/);
  await settled();
  const dark = await serious(page, COLOURS);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light.map((each) => `light: ${each}`), ...dark.map((each) => `dark: ${each}`)];
}
