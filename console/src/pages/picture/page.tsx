/** The whole of a table as a picture. Explore shows one of a query. */
import Button from '@cloudscape-design/components/button';
import { useMemo } from 'react';
import type { PageProps } from '../../app/routes.ts';
import { href, navigate, segment } from '../../app/router.ts';
import { ErrorBox, Page, useTable } from '../../components/index.ts';
import LivePicture from './live_picture.tsx';

export default function PicturePage({ params }: PageProps) {
  const name = params.table!;
  const table = useTable(name);
  const request = useMemo(() => ({ operation: 'Scan' as const, input: { TableName: name } }), [name]);
  return (
    <Page title={name} actions={<Button onClick={() => navigate(href(`explore/${segment(name)}`))}>Explore items</Button>}>
      {table.error && !table.data ? <ErrorBox error={table.error} header="The table could not be read" onRetry={table.reload} /> : null}
      {table.data && <LivePicture table={table.data} request={request} height="calc(100vh - 250px)" />}
    </Page>
  );
}
