import type { NavItem, Route } from '../../app/routes.ts';

export const routes: Route[] = [
  { path: 'models', nav: 'models', title: () => 'Models', load: () => import('./list.tsx') },
  { path: 'models/:id', nav: 'models', title: () => 'Model', load: () => import('./editor.tsx'), wide: true },
];

export const navigation: NavItem[] = [{ id: 'models', text: 'Models', path: 'models', keys: 'g m', order: 40, section: 'data' }];
