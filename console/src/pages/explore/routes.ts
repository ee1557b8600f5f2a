import type { NavItem, Route } from '../../app/routes.ts';

export const routes: Route[] = [
  { path: 'explore', nav: 'explore', title: () => 'Explore', load: () => import('./choose.tsx') },
  { path: 'explore/:table', nav: 'explore', title: (params) => `Explore ${params.table}`, load: () => import('./page.tsx'), wide: true },
];

export const navigation: NavItem[] = [
  { id: 'explore', text: 'Explore', path: 'explore', keys: 'g e', order: 20, section: 'data' },
];
