/** What the server does right now: requests, capacity, hottest keys, jobs, changes of a table. */
import Tabs from '@cloudscape-design/components/tabs';
import { useQueryState } from '../../app/router.ts';
import { Page } from '../../components/index.ts';
import { HotKeys } from './hot_keys.tsx';
import { Jobs } from './jobs.tsx';
import { Requests } from './requests.tsx';
import { StreamTail } from './stream_tail.tsx';
import './watch.css';

const TABS = [
  { id: 'requests', label: 'Requests', content: Requests },
  { id: 'keys', label: 'Hottest keys', content: HotKeys },
  { id: 'jobs', label: 'Jobs', content: Jobs },
  { id: 'stream', label: 'Stream', content: StreamTail },
];

export default function Watch() {
  const [tab, setTab] = useQueryState('tab', 'requests');
  const active = TABS.find((each) => each.id === tab) ?? TABS[0]!;
  const Content = active.content;
  return (
    <Page title="Watch">
      <Tabs
        ariaLabel="What is watched"
        activeTabId={active.id}
        onChange={({ detail }) => setTab(detail.activeTabId)}
        tabs={TABS.map((each) => ({ id: each.id, label: each.label, content: each.id === active.id ? <Content /> : null }))}
      />
    </Page>
  );
}
