// Reads the metrics that all servers of a store have recorded. It knows no protocol: CloudWatch's calls, alarms and
// auto scaling read here.
//
//   History history(engine);
//   const Series table{Scope::kTable, "Votes", ""};
//   PARTITA_CO_TRY(auto minutes, co_await history.read(table, Metric::kConsumedWrite, now - 15, now));
//   for (const auto& [minute, units] : minutes) use(units.sum / 60);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "metrics/metric.h"
#include "storage/engine.h"

namespace partita::metrics {

struct MinuteStatistics {
  int64_t minute = 0;  // since 1970
  Statistics statistics;
};

struct KnownMetric {
  Series series;
  Metric metric{};
  int64_t hour = 0;  // of its last value, since 1970, exact to a day
};

// Callable from any thread. Arguments are copied into the tasks.
class History {
 public:
  // The engine outlives it.
  explicit History(storage::Engine& engine) : engine_(engine) {}

  // The values of the minutes in [from, to), oldest first, in the metric's unit. A minute is recorded shortly after its
  // end. Absent are minutes in which no server ran, or the table did not exist; minutes in which nothing happened,
  // unless the metric is zero then (MetricRow::zero_when_idle); and for levels, all that five do not divide. Errors:
  // those of the engine; kCorrupt.
  Task<Result<std::vector<MinuteStatistics>>> read(Series series, Metric metric, int64_t from, int64_t to) const;

  // Tables with metrics, by name, after `after`; at most `most`.
  Task<Result<std::vector<std::string>>> tables(std::string after, size_t most) const;
  // Metrics with values in the last 15 days, of a table, or of the account for an empty name.
  Task<Result<std::vector<KnownMetric>>> known(std::string table) const;

 private:
  storage::Engine& engine_;
};

}  // namespace partita::metrics
