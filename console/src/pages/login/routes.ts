import type { Route } from '../../app/routes.ts';

export const routes: Route[] = [{ path: 'login', nav: '', title: () => 'Sign in', load: () => import('./page.tsx') }];
