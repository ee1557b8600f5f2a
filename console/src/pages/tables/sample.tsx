/** A small table to look around in: an organisation's users and tickets in one table, with an index. */
import { useState } from 'react';
import { notify } from '../../app/notices.ts';
import { href, segment } from '../../app/router.ts';
import { batchWrite, call, messageOf, sameSession } from '../../aws/index.ts';
import { tablesChanged, WriteButton } from '../../components/index.ts';
import type { Item } from '../../values/index.ts';

const NAME = 'SampleTickets';

const ORGANISATIONS = [
  ['MICROSOFT', 'Microsoft', ['BILLGATES Bill Gates', 'SATYANADELLA Satya Nadella']],
  ['AMAZON', 'Amazon', ['JEFFBEZOS Jeff Bezos', 'ANDYJASSY Andy Jassy']],
] as const;
const SUBJECTS = ['The printer is on fire', 'A slow query', 'New badge', 'Cannot sign in', 'Invoice is missing', 'Coffee machine'];

function items(): Item[] {
  const result: Item[] = [];
  let ticket = 0;
  for (const [id, name, users] of ORGANISATIONS) {
    const PK = { S: `ORG#${id}` };
    result.push({ PK, SK: { S: `METADATA#${id}` }, Name: { S: name }, Plan: { S: 'Enterprise' }, Seats: { N: String(users.length) } });
    for (const [at, user] of users.entries()) {
      const [key, first, last] = user.split(' ') as [string, string, string];
      const index = { S: `ORG#${id}#USER#${key}` };
      result.push({
        PK,
        SK: { S: `USER#${key}` },
        GSI1PK: index,
        GSI1SK: { S: `USER#${key}` },
        Name: { S: `${first} ${last}` },
        Roles: { SS: at ? ['member'] : ['admin', 'member'] },
        Address: { M: { City: { S: 'Seattle' }, Zip: { S: `9810${at}` } } },
      });
      for (let n = 0; n < 6; n++) {
        ticket++;
        const sortable = `TICKET#${String(1000 + ticket)}`;
        result.push({
          PK: { S: sortable },
          SK: { S: sortable },
          GSI1PK: index,
          GSI1SK: { S: sortable },
          Subject: { S: SUBJECTS[n]! },
          Open: { BOOL: n % 3 === 0 },
          Priority: { N: String((n % 3) + 1) },
        });
      }
    }
  }
  return result;
}

export function LoadSample() {
  const [busy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    try {
      const check = sameSession();
      await call('CreateTable', {
        TableName: NAME,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['PK', 'SK', 'GSI1PK', 'GSI1SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
        KeySchema: [
          { AttributeName: 'PK', KeyType: 'HASH' },
          { AttributeName: 'SK', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'GSI1',
            KeySchema: [
              { AttributeName: 'GSI1PK', KeyType: 'HASH' },
              { AttributeName: 'GSI1SK', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      });
      await untilActive(check);
      const all = items();
      await batchWrite(NAME, all.map((Item) => ({ PutRequest: { Item } })));
      tablesChanged();
      notify({
        type: 'success',
        content: `Table ${NAME} has ${all.length} items.`,
        link: { text: 'Explore it', href: href(`explore/${segment(NAME)}`) },
      });
    } catch (error) {
      notify({ type: 'error', header: 'The sample was not loaded', content: messageOf(error) });
    }
    setBusy(false);
  };
  return (
    <WriteButton loading={busy} onClick={() => void load()}>
      Load a sample
    </WriteButton>
  );
}

async function untilActive(check: () => void): Promise<void> {
  for (;;) {
    check();
    const { Table } = await call('DescribeTable', { TableName: NAME });
    check();
    if (Table?.TableStatus === 'ACTIVE') return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
