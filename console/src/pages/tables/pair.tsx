/** What several columns of tables show. */
import type { ReactNode } from 'react';

/** Two facts in a cell, one below the other. */
export function Pair({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <>
      {first}
      {second && <div className="cell-note">{second}</div>}
    </>
  );
}
