// Durations of successful requests, from those of all requests and of those that failed.
#pragma once

#include "base/meter.h"
#include "metrics/counts.h"

namespace partita::ops {

// The buckets of both are 2 or 4 to 1.
void set_succeeded(metrics::OperationCounts& counts, const HistogramTotals& took, const HistogramTotals& failed);

}  // namespace partita::ops
