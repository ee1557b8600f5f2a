import type { Route } from '../../app/routes.ts';

export const routes: Route[] = [
  { path: 'picture/:table', nav: 'explore', title: ({ table }) => `Picture of ${table}`, load: () => import('./page.tsx'), wide: true },
];
