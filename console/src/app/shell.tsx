/** The frame around every page: top bar, navigation, notices, login, keys. */
import Button from '@cloudscape-design/components/button';
import { I18nProvider } from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import SideNavigation, { type SideNavigationProps } from '@cloudscape-design/components/side-navigation';
import Spinner from '@cloudscape-design/components/spinner';
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { useSession } from '../aws/session.ts';
import { ErrorBoundary } from './error_boundary.tsx';
import { useKeys } from './keys.ts';
import { notices } from './notices.ts';
import { currentPlace, follow, href, matchPath, navigate, usePlace } from './router.ts';
import { navigation, type NavItem, type PageProps, routes } from './routes.ts';
import { PersistedStore, useStore } from './store.ts';
import { TopBar } from './top_bar.tsx';

const Login = lazy(() => import('../pages/login/login.tsx'));
const Palette = lazy(() => import('./palette.tsx'));
const KeysHelp = lazy(() => import('./keys_help.tsx'));
const NoticeBar = lazy(() => import('./notice_bar.tsx'));
const Unreachable = lazy(() => import('./unreachable.tsx'));

const navigationOpen = new PersistedStore('navigation', innerWidth >= 900);
const pages = new Map<string, ComponentType<PageProps>>();

function pageOf(path: string, load: () => Promise<{ default: ComponentType<PageProps> }>): ComponentType<PageProps> {
  let page = pages.get(path);
  if (!page) pages.set(path, (page = lazy(load)));
  return page;
}

// The first page loads while the server is still being asked what it is.
void routes.find((route) => matchPath(route.path, currentPlace().path))?.load().catch(() => undefined);

const SECTIONS: Record<NavItem['section'], string> = { data: 'Data', tools: 'Tools', server: 'Server' };

function navigationItems(): SideNavigationProps.Item[] {
  return (Object.keys(SECTIONS) as NavItem['section'][])
    .map((section) => ({
      type: 'section-group' as const,
      title: SECTIONS[section],
      items: navigation
        .filter((each) => each.section === section)
        .map((each) => ({ type: 'link' as const, text: each.text, href: href(each.path) })),
    }))
    .filter((group) => group.items.length);
}

const waiting = (
  <div className="centred">
    <Spinner size="large" />
  </div>
);

/** On a narrow window the navigation covers the page, so it closes once it was used. */
function followFromNavigation(event: Parameters<typeof follow>[0]) {
  follow(event);
  if (innerWidth < 900) navigationOpen.set(false);
}

export function Shell() {
  return (
    <I18nProvider locale="en" messages={[messages]}>
      <Frame />
    </I18nProvider>
  );
}

function Frame() {
  const place = usePlace();
  const session = useSession();
  const [dialog, setDialog] = useState<'palette' | 'keys' | undefined>();
  const open = useStore(navigationOpen);

  useKeys([
    { keys: 'Ctrl+K', does: 'Command palette: pages and tables', run: () => setDialog('palette') },
    { keys: '?', does: 'This list of keys', run: () => setDialog('keys') },
    { keys: '/', does: 'Filter', run: () => document.querySelector<HTMLElement>('input[type=search], [data-filter] input')?.focus() },
    ...navigation.map((each) => ({ keys: each.keys, does: `Go to ${each.text}`, run: () => navigate(href(each.path)) })),
  ]);

  const found = routes.map((route) => ({ route, params: matchPath(route.path, place.path) })).find((each) => each.params);
  const title = found ? found.route.title(found.params!) : 'Not found';
  useEffect(() => {
    document.title = `${title} – Partita`;
  }, [title]);

  const locked = session.server?.Mode === 'verified' && !session.credentials;
  const Page = found && pageOf(found.route.path, found.route.load);
  const nav = navigation.find((each) => each.id === found?.route.nav);
  const content = session.fault && !session.server ? (
    <Unreachable fault={session.fault} />
  ) : !session.server ? (
    waiting
  ) : locked ? (
    <Login />
  ) : Page ? (
    // Pages of one route with other parameters, or of another namespace, start anew.
    <Page key={`${place.path} ${session.namespace}`} params={found.params!} />
  ) : (
    <NotFound path={place.path} />
  );

  return (
    <>
      <div id="top" className="top-bar">
        <TopBar onPalette={() => setDialog('palette')} onKeys={() => setDialog('keys')} />
      </div>
      {/* Cloudscape's AppLayout would be a fifth of the first load, for panels that no page has. */}
      <div className={locked ? 'layout locked' : open ? 'layout' : 'layout closed'}>
        {!locked && (
          <nav className="layout-nav" aria-label="Pages">
            {open && <SideNavigation activeHref={nav && href(nav.path)} items={navigationItems()} onFollow={followFromNavigation} />}
            <div className="layout-toggle">
              <Button
                variant="icon"
                iconName={open ? 'angle-left-double' : 'angle-right-double'}
                ariaLabel={open ? 'Hide the navigation' : 'Show the navigation'}
                ariaExpanded={open}
                onClick={() => navigationOpen.set(!open)}
              />
            </div>
          </nav>
        )}
        <main className={found?.route.wide ? 'layout-main wide' : 'layout-main'} id="content" tabIndex={-1}>
          <Notices />
          <ErrorBoundary resetKey={place.path}>
            <Suspense fallback={waiting}>{content}</Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <ErrorBoundary resetKey={`${dialog} ${session.loginNeeded}`}>
        <Suspense fallback={null}>
          {session.loginNeeded !== undefined && !locked && <Login over />}
          {dialog === 'palette' && <Palette onClose={() => setDialog(undefined)} />}
          {dialog === 'keys' && <KeysHelp onClose={() => setDialog(undefined)} />}
        </Suspense>
      </ErrorBoundary>
    </>
  );
}

function Notices() {
  const list = useStore(notices);
  if (!list.length) return null;
  return (
    <Suspense fallback={null}>
      <NoticeBar list={list} />
    </Suspense>
  );
}

function NotFound({ path }: { path: string }) {
  return (
    <div className="centred">
      <p>
        There is no page <code>{path}</code>.{' '}
        <a
          href={href('tables')}
          onClick={(event) => {
            event.preventDefault();
            navigate(href('tables'));
          }}
        >
          Go to the tables
        </a>
        .
      </p>
    </div>
  );
}
