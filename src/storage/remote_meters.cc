#include "storage/remote_meters.h"

#include "base/exposition.h"

namespace partita::storage {

void RemoteMeters::report(Exposition& out) const {
  const HistogramTotals asked = reads.totals();
  out.counter("partita_store_reads_total", "Reads of the store, by what answered them.",
              static_cast<double>(asked.count()), {{"from", "store"}});
  out.histogram("partita_store_read_seconds", "Latency of reads that memory could not answer.", asked, 1e-9);
  out.histogram("partita_store_commit_seconds", "Latency of durable commits in the store.", commits.totals(), 1e-9);
  out.histogram("partita_store_group_transactions", "Transactions per group commit.", groups.totals(), 1);
  out.counter("partita_store_retries_total", "Transactions retried after a conflict.",
              static_cast<double>(retries.total()));
}

}  // namespace partita::storage
