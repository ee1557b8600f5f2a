import type { NavItem, Route } from '../../app/routes.ts';

export const routes: Route[] = [{ path: 'watch', nav: 'watch', title: () => 'Watch', load: () => import('./page.tsx'), wide: true }];

export const navigation: NavItem[] = [{ id: 'watch', text: 'Watch', path: 'watch', keys: 'g w', order: 10, section: 'server' }];
