import TopNavigation, { type TopNavigationProps } from '@cloudscape-design/components/top-navigation';
import { callPartita } from '../aws/client.ts';
import { chooseNamespace, logOut, namespaceName, readOnly, useReadOnly, useSession } from '../aws/session.ts';
import { useAsync } from '../components/use_async.ts';
import { density, mode, type Mode } from './appearance.ts';
import { href, navigate } from './router.ts';
import { useStore } from './store.ts';

interface Props {
  onPalette: () => void;
  onKeys: () => void;
}

/** Namespaces by header and by key are chosen here alike; the client sends them as the server expects. */
async function listNamespaces(): Promise<string[]> {
  const names: string[] = [];
  let start: string | undefined;
  do {
    const page: { Namespaces: string[]; LastEvaluatedName?: string } = await callPartita('ListNamespaces', {
      ExclusiveStartName: start,
    });
    names.push(...page.Namespaces);
    start = page.LastEvaluatedName;
  } while (start && names.length < 1000);
  return names;
}

export function TopBar({ onPalette, onKeys }: Props) {
  const session = useSession();
  const locked = useReadOnly();
  const chosenMode = useStore(mode);
  const chosenDensity = useStore(density);
  const spaces = session.server && session.server.Namespaces !== 'none';
  const byKeyOfLogin = session.server?.Namespaces === 'key' && session.server.Mode === 'verified';
  const signedIn = session.server?.Mode === 'verified' && session.credentials;
  const namespaces = useAsync(spaces && !byKeyOfLogin && (signedIn || session.server?.Mode === 'open') ? 'list' : undefined, listNamespaces);

  const utilities: TopNavigationProps.Utility[] = [
    { type: 'button', iconName: 'search', text: 'Find', ariaLabel: 'Find a page or table (Ctrl+K)', title: 'Ctrl+K', onClick: onPalette },
  ];
  if (spaces && !byKeyOfLogin) {
    const unnamed = namespaceName({ ...session, namespace: '' })!;
    const names = [...new Set(['', session.namespace, ...(namespaces.data ?? []).filter((name) => name !== unnamed)])].sort();
    utilities.push({
      type: 'menu-dropdown',
      text: `Namespace: ${namespaceName(session)}`,
      ariaLabel: 'Namespace',
      disableUtilityCollapse: true,
      items: [
        ...names.map((name) => ({
          id: `use ${name}`,
          text: name || unnamed,
          iconName: name === session.namespace ? ('check' as const) : undefined,
        })),
        { id: 'other', text: 'Another name…' },
      ],
      onItemClick: ({ detail }) => {
        const chosen = detail.id === 'other' ? prompt('Name of the namespace')?.trim() : detail.id.slice(4);
        const name = chosen === unnamed ? '' : chosen;
        if (name !== undefined && name !== session.namespace) {
          chooseNamespace(name);
          navigate(href('tables'));
        }
      },
    });
  }
  utilities.push(
    {
      type: 'button',
      iconName: locked ? 'lock-private' : 'edit',
      text: locked ? 'Read-only' : 'Read and write',
      ariaLabel: locked ? 'Read-only: allow changes' : 'Read and write: switch to read-only',
      disableTextCollapse: locked,
      onClick: () => readOnly.set(!locked),
    },
    {
      type: 'menu-dropdown',
      iconName: 'settings',
      ariaLabel: 'Appearance and keys',
      title: 'Appearance',
      items: [
        ...(['light', 'dark', 'system'] as Mode[]).map((each) => ({
          id: `mode ${each}`,
          text: { light: 'Light', dark: 'Dark', system: 'As the system' }[each],
          iconName: each === chosenMode ? ('check' as const) : undefined,
        })),
        { id: 'density', text: 'Compact', iconName: chosenDensity === 'compact' ? ('check' as const) : undefined },
        { id: 'keys', text: 'Keyboard shortcuts' },
        { id: 'licenses', text: 'Licences', href: '/console/licenses.txt', external: true, externalIconAriaLabel: 'opens in a new tab' },
      ],
      onItemClick: ({ detail }) => {
        if (detail.id === 'keys') onKeys();
        else if (detail.id === 'density') density.set(chosenDensity === 'compact' ? 'comfortable' : 'compact');
        else if (detail.id.startsWith('mode ')) mode.set(detail.id.slice(5) as Mode);
      },
    },
  );
  if (signedIn) {
    const name = session.identity?.replace(/^.*[:/]/, '') ?? session.credentials!.accessKeyId;
    utilities.push({
      type: 'menu-dropdown',
      iconName: 'user-profile',
      text: byKeyOfLogin ? `${name}, namespace ${namespaceName(session)}` : name,
      description: session.identity,
      disableUtilityCollapse: byKeyOfLogin,
      items: [{ id: 'out', text: 'Sign out' }],
      onItemClick: logOut,
    });
  }
  return (
    <TopNavigation
      identity={{
        href: href('tables'),
        title: 'Partita',
        logo: { src: '/console/partita.svg', alt: '' },
        onFollow: (event) => {
          event.preventDefault();
          navigate(href('tables'));
        },
      }}
      utilities={utilities}
    />
  );
}
