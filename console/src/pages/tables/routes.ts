import type { NavItem, Route } from '../../app/routes.ts';

export const routes: Route[] = [
  { path: '', nav: 'tables', title: () => 'Tables', load: () => import('./list.tsx') },
  { path: 'tables', nav: 'tables', title: () => 'Tables', load: () => import('./list.tsx') },
  { path: 'tables/new', nav: 'tables', title: () => 'Create table', load: () => import('./create.tsx') },
  { path: 'tables/:table', nav: 'tables', title: (params) => params.table!, load: () => import('./detail.tsx') },
];

export const navigation: NavItem[] = [
  { id: 'tables', text: 'Tables', path: 'tables', keys: 'g t', order: 10, section: 'data' },
];
