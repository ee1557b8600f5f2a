import type { NavItem, Route } from '../../app/routes.ts';

export const routes: Route[] = [{ path: 'any', nav: 'any', title: () => 'Any operation', load: () => import('./page.tsx'), wide: true }];

export const navigation: NavItem[] = [
  { id: 'any', text: 'Any operation', path: 'any', keys: 'g a', order: 80, section: 'tools' },
];
