// How many units the servers of a store saw consumed, by minute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"
#include "table/rows/scaling_rows.h"

namespace partita::table {

inline constexpr int64_t kMsOfMinute = 60'000;

// Counts on this server, and stores a row for each minute in which there are scalable targets. The rows of all servers
// together are the history. For one thread.
class CountedConsumption {
 public:
  // More than a policy looks at.
  static constexpr int64_t kKeptMinutes = 20;

  // `server` is unique to this object among all that ever open the store.
  explicit CountedConsumption(uint64_t server) : server_(server) {}

  // Counts for these targets from now on, and stores what has changed. Call it every second: what is consumed between
  // the end of a minute and this call counts for that minute, and what was not stored is lost when the server ends.
  // Minutes without a call count as minutes without consumption.
  Task<Result<void>> record(TableContext& context, const std::vector<ScalableTarget>& targets);
  // There are no targets.
  void stop() { minute_ = kNever; }

  // What all servers stored: half units, one element for each minute from `first` on. Absent: no server saw that
  // minute.
  static Task<Result<std::vector<std::optional<MinuteUnits>>>> read(TableContext& context, int64_t first, size_t count);

 private:
  static constexpr int64_t kNever = -1;

  MinuteUnits consumed_since(const MinuteUnits& totals) const;
  Task<Result<void>> end_minute(TableContext& context, int64_t next, const MinuteUnits& consumed) const;
  Task<Result<void>> store_minute(TableContext& context, const MinuteUnits& consumed) const;

  const uint64_t server_;
  int64_t minute_ = kNever;            // that is being counted
  MinuteUnits before_;                 // the counters at its beginning
  std::optional<MinuteUnits> stored_;  // what the row of the minute has
  int64_t swept_hour_ = kNever;
};

}  // namespace partita::table
