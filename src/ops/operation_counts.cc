#include "ops/operation_counts.h"

#include <algorithm>
#include <array>

namespace partita::ops {

namespace {

// Counts by powers of 4. From counts by powers of 2, the first bucket takes one, and each other bucket two.
std::array<uint64_t, metrics::kBuckets> coarse(const HistogramTotals& totals) {
  std::array<uint64_t, metrics::kBuckets> buckets{};
  const bool fine = totals.step == 1;
  for (size_t i = 0; i < totals.counts.size(); ++i) {
    buckets[std::min(fine ? (i + 1) / 2 : i, metrics::kBuckets - 1)] += totals.counts[i];
  }
  return buckets;
}

}  // namespace

// A count may be newer than the one before it, so that it seems to be smaller.
void set_succeeded(metrics::OperationCounts& counts, const HistogramTotals& took, const HistogramTotals& failed) {
  counts.succeeded = coarse(took);
  const auto failures = coarse(failed);
  for (size_t i = 0; i < metrics::kBuckets; ++i) counts.succeeded[i] -= std::min(counts.succeeded[i], failures[i]);
  counts.succeeded_ns = took.sum - std::min(took.sum, failed.sum);
}

}  // namespace partita::ops
