import type { Route } from '../../app/routes.ts';

export const routes: Route[] = [
  { path: 'item/:table', nav: 'explore', title: (params) => `Item of ${params.table}`, load: () => import('./page.tsx') },
];
