import type { NavItem, Route } from '../../app/routes.ts';

export const routes: Route[] = [
  { path: 'import', nav: 'import', title: () => 'Import', load: () => import('./import_page.tsx') },
  { path: 'export', nav: 'export', title: () => 'Export', load: () => import('./export_page.tsx') },
];

export const navigation: NavItem[] = [
  { id: 'import', text: 'Import', path: 'import', keys: 'g i', order: 50, section: 'data' },
  { id: 'export', text: 'Export', path: 'export', keys: 'g x', order: 60, section: 'data' },
];
