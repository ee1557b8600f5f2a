// The counters of requests since the start of the server, as plain numbers, to compare two moments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/capacity.h"
#include "base/meter.h"

namespace partita::ops {

struct OperationTotals {
  std::string_view name;  // static storage
  HistogramTotals took;   // in nanoseconds
  uint64_t errors = 0;
  uint64_t throttled = 0;  // of the errors
};

struct TableTotals {
  std::string space;     // the namespace, or empty
  std::string table;     // "(other)": the tables that share counters, see table_meters.h
  HistogramTotals took;  // in nanoseconds, of requests for items; without buckets if there were none
  api::Capacity consumed;
  uint64_t throttled = 0;
  uint64_t would_throttle = 0;  // reads and writes beyond the capacity of the table and its indexes, which were served
};

struct RequestTotals {
  std::vector<OperationTotals> operations;  // those with requests, in a fixed order
  std::vector<TableTotals> tables;          // sorted by namespace and name
};

}  // namespace partita::ops
