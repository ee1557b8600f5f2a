/** Explore without a table: the tables to choose from, those that were queried last first. */
import Box from '@cloudscape-design/components/box';
import Cards from '@cloudscape-design/components/cards';
import Link from '@cloudscape-design/components/link';
import TextFilter from '@cloudscape-design/components/text-filter';
import { useState } from 'react';
import { useStore } from '../../app/store.ts';
import { follow, href, segment } from '../../app/router.ts';
import { ErrorBox, formatTime, Page, useTables } from '../../components/index.ts';
import { queryHistory, space } from './saved.ts';

const SHOWN = 60;

export default function ChooseTable() {
  const tables = useTables();
  const history = useStore(queryHistory);
  const [filter, setFilter] = useState('');
  const last = new Map<string, number>();
  const kept = Object.hasOwn(history, space()) ? history[space()]! : [];
  for (const { table, at } of kept) last.set(table, Math.max(at, last.get(table) ?? 0));
  const found = (tables.data ?? [])
    .filter((name) => name.toLowerCase().includes(filter.toLowerCase()))
    .sort((a, b) => (last.get(b) ?? 0) - (last.get(a) ?? 0) || (a < b ? -1 : 1));
  return (
    <Page title="Explore" description="Choose a table to query its items.">
      <ErrorBox error={tables.error} header="The tables could not be listed" onRetry={tables.reload} />
      <Cards
        items={found.slice(0, SHOWN)}
        loading={tables.loading && !tables.data}
        loadingText="Listing tables"
        cardsPerRow={[{ cards: 1 }, { minWidth: 500, cards: 3 }, { minWidth: 1000, cards: 4 }]}
        ariaLabels={{ itemSelectionLabel: (_, name) => name, selectionGroupLabel: 'Tables' }}
        filter={
          <div data-filter>
            <TextFilter
              filteringText={filter}
              filteringPlaceholder="Find tables by name"
              filteringAriaLabel="Find tables"
              countText={found.length > SHOWN ? `${SHOWN} of ${found.length} shown` : undefined}
              onChange={({ detail }) => setFilter(detail.filteringText)}
            />
          </div>
        }
        cardDefinition={{
          header: (name) => (
            <Link href={href(`explore/${segment(name)}`)} onFollow={follow} fontSize="heading-s">
              {name}
            </Link>
          ),
          sections: [{ id: 'last', content: (name) => <Box color="text-body-secondary">{last.has(name) ? `Queried ${formatTime(last.get(name)! / 1000)}` : 'Not queried yet'}</Box> }],
        }}
        empty={
          <Box textAlign="center" padding="l">
            {filter ? `No table has “${filter}” in its name.` : 'There is no table yet.'}
          </Box>
        }
      />
    </Page>
  );
}
