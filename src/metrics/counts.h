// What a server has counted since its start, as plain numbers: the input of the recorder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/meter.h"
#include "metrics/metric.h"
#include "model/fault_detail.h"

namespace partita::metrics {

// Sums since the start; extremes since the counts before.
struct AmountCounts {
  uint64_t samples = 0;
  int64_t sum = 0;
  std::optional<Extremes::Taken> extremes;
};

// Of a table, or of a global index.
struct CapacityCounts {
  AmountCounts read;  // in half units
  AmountCounts write;
  std::array<uint64_t, model::kThroughputLimits> read_throttles{};  // by ThroughputLimit
  std::array<uint64_t, model::kThroughputLimits> write_throttles{};
  // As they are now. Nullopt: it has none.
  std::optional<int64_t> provisioned_read;
  std::optional<int64_t> provisioned_write;
  std::optional<int64_t> max_on_demand_read;
  std::optional<int64_t> max_on_demand_write;
};

struct OperationCounts {
  std::string_view name;                       // static storage
  std::array<uint64_t, kBuckets> succeeded{};  // by duration
  uint64_t succeeded_ns = 0;
  std::optional<Extremes::Taken> extremes_ns;
  uint64_t throttled = 0;
  uint64_t server_errors = 0;
  AmountCounts returned;  // items
};

struct IndexCounts {
  std::string name;
  CapacityCounts capacity;
};

struct TableCounts {
  uint32_t id = 0;  // a table of another id begins with zero
  std::string name;
  CapacityCounts capacity;
  uint64_t conditions_failed = 0;
  uint64_t conflicts = 0;
  uint64_t expired = 0;
  std::vector<IndexCounts> indexes;
  std::vector<OperationCounts> operations;
};

struct ServerCounts {
  std::vector<TableCounts> tables;
  std::vector<OperationCounts> operations;
  uint64_t user_errors = 0;
};

}  // namespace partita::metrics
