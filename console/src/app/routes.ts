/** Every page: its path, its title, and the module that is loaded when it is opened. */
import type { ComponentType } from 'react';

export interface PageProps {
  /** The path's parameters, decoded. */
  params: Record<string, string>;
}

export interface Route {
  /** 'explore/:table' */
  path: string;
  title: (params: Record<string, string>) => string;
  load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** The entry of the navigation that is marked while this page is shown. */
  nav: string;
  /** Pages with a grid use the whole width. */
  wide?: boolean;
}

export interface NavItem {
  id: string;
  text: string;
  /** Below /console/. */
  path: string;
  /** 'g t': the keys that lead there. */
  keys: string;
  order: number;
  section: 'data' | 'tools' | 'server';
}

interface PageModule {
  routes: Route[];
  navigation?: NavItem[];
}

// Each folder of pages says in its routes.ts what it holds, so adding a page touches no other file.
const modules = import.meta.glob<PageModule>('../pages/*/routes.ts', { eager: true });

export const routes: Route[] = Object.values(modules).flatMap((each) => each.routes);
export const navigation: NavItem[] = Object.values(modules)
  .flatMap((each) => each.navigation ?? [])
  .sort((a, b) => a.order - b.order);
