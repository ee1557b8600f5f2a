import type { NavItem, Route } from '../../app/routes.ts';

export const routes: Route[] = [{ path: 'partiql', nav: 'partiql', title: () => 'PartiQL', load: () => import('./page.tsx'), wide: true }];

export const navigation: NavItem[] = [{ id: 'partiql', text: 'PartiQL', path: 'partiql', keys: 'g p', order: 30, section: 'data' }];
