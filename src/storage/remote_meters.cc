#include "storage/remote_meters.h"

#include "base/exposition.h"

namespace partita::storage {

void RemoteMeters::report(Exposition& out) const {
  const HistogramTotals asked = reads.totals();
  out.counter("partita_store_reads_total", "Reads of the store, by what had to be asked for them.",
              static_cast<double>(asked.count()), {{"from", "store"}});
  out.histogram("partita_store_read_seconds", "How long reads waited for the store, where memory had no answer.", asked,
                1e-9);
  out.histogram("partita_store_commit_seconds", "How long commits took in the store, flushed as it promises.",
                commits.totals(), 1e-9);
  out.histogram("partita_store_group_transactions", "Transactions that shared one commit.", groups.totals(), 1);
  out.counter("partita_store_retries_total", "Transactions tried again because others changed the same records.",
              static_cast<double>(retries.total()));
}

}  // namespace partita::storage
