/** What was read and what it cost, and what an empty result means. */
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { formatBytes, formatCount, plural, WriteButton } from '../../components/index.ts';
import type { Results } from './use_results.ts';
import type { ReadRequest } from './view.ts';

export function Summary({ results, filtered }: { results: Results; filtered: boolean }) {
  const { pages, busy, request } = results;
  if (!pages.started) return <div className="summary">{busy ? 'Reading…' : request ? '' : 'Nothing was read yet. Run the query (Ctrl+Enter).'}</div>;
  const units = pages.scores ? `${formatBytes(pages.searchedBytes)} searched` : `${formatCount(pages.units)} read ${pages.units === 1 ? 'unit' : 'units'}`;
  return (
    <div className="summary" role="status" data-testid="summary">
      <strong>{filtered ? `${formatCount(pages.count)} of ${formatCount(pages.scanned)} match` : plural('item', pages.count)}</strong>
      {filtered && <span>{formatCount(pages.scanned)} scanned</span>}
      <span>{units}</span>
      {pages.pageCount > 1 && <span>{plural('page', pages.pageCount)}</span>}
      <span>{Math.max(1, Math.round(results.milliseconds))} ms</span>
      <span className={pages.more ? 'more' : 'end'}>{pages.more ? 'there is more' : 'complete'}</span>
    </div>
  );
}

export function ReadOn({ results }: { results: Results }) {
  return (
    <div className="read-on">
      {results.busy ? (
        <Button onClick={results.stop}>Stop</Button>
      ) : (
        <SpaceBetween direction="horizontal" size="xs">
          <Button onClick={() => void results.readOn()} data-testid="read-on">
            Read on
          </Button>
          <Button onClick={() => void results.readOn(true)}>Read to the end</Button>
        </SpaceBetween>
      )}
    </div>
  );
}

interface EmptyProps {
  results: Results;
  filtered: boolean;
  counted: boolean;
  mode: ReadRequest['operation'] | undefined;
  onCreate: () => void;
}

/** An empty page is not the end: it says what was read, and offers the rest. */
export function Empty({ results, filtered, counted, mode, onCreate }: EmptyProps) {
  const { pages, busy } = results;
  if (!pages.started) return <>{busy ? 'Reading…' : 'Run the query to see items here.'}</>;
  if (counted) {
    return (
      <div className="empty">
        <strong className="count">{formatCount(pages.count)}</strong>
        <span>{filtered ? `items match, of ${formatCount(pages.scanned)} scanned` : 'items'}{pages.more ? ', so far' : ''}</span>
        {pages.more && <ReadOn results={results} />}
      </div>
    );
  }
  if (pages.more) {
    return (
      <div className="empty" data-testid="empty">
        <strong>{formatCount(pages.scanned)} scanned, {formatCount(pages.count)} match: read on</strong>
        <span>{filtered ? 'The filter dropped all that was read so far. There is more.' : 'This page is empty, but there is more.'}</span>
        <ReadOn results={results} />
      </div>
    );
  }
  if (filtered && pages.scanned) {
    return (
      <div className="empty" data-testid="empty">
        <strong>Nothing matches</strong>
        <span>{formatCount(pages.scanned)} scanned to the end; the filter dropped all.</span>
      </div>
    );
  }
  return (
    <div className="empty" data-testid="empty">
      <strong>{mode === 'Query' ? 'No items for this key condition' : mode === 'SearchVectors' ? 'No items with a vector fit' : 'No items'}</strong>
      {mode === 'Scan' && <WriteButton onClick={onCreate}>Create item</WriteButton>}
    </div>
  );
}
