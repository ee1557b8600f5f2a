/** Light or dark, roomy or compact: Cloudscape's classes on the body. */
import { PersistedStore } from './store.ts';

export type Mode = 'light' | 'dark' | 'system';
export const mode = new PersistedStore<Mode>('mode', 'system');
export const density = new PersistedStore<'comfortable' | 'compact'>('density', 'comfortable');

const systemDark = matchMedia('(prefers-color-scheme: dark)');

export function isDark(): boolean {
  return mode.get() === 'dark' || (mode.get() === 'system' && systemDark.matches);
}

export function applyAppearance(): void {
  document.body.classList.toggle('awsui-dark-mode', isDark());
  document.body.classList.toggle('awsui-compact-mode', density.get() === 'compact');
  document.documentElement.style.colorScheme = isDark() ? 'dark' : 'light';
}

mode.subscribe(applyAppearance);
density.subscribe(applyAppearance);
systemDark.addEventListener('change', applyAppearance);
