// What auto scaling does with a table's or an index's units now. Pure functions.
//
// A policy follows the alarms that AWS makes for it. Consumed units a minute above `percent` of the provisioned ones in
// two consecutive minutes raise the units; below the lower threshold in 15 consecutive minutes lower them. Either way,
// the busiest of these minutes consumed `percent` of the new units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "api/scaling.h"
#include "model/size.h"
#include "table/rows/scaling_rows.h"
#include "table/rows/schema.h"

namespace partita::table {

inline constexpr size_t kMinutesAbove = 2;   // "Managing throughput capacity automatically" in the developer guide
inline constexpr size_t kMinutesBelow = 15;  // the same

// The share of the provisioned units, in percent, below which a policy lowers them. 20 less than `percent`, as AWS's
// alarms show it for 70; Partita's choice for other values.
double lower_percent(double percent);

struct ScaledCapacity {
  int64_t units = 0;           // what is provisioned, or about to be
  int64_t decrease_at_ms = 0;  // UpdateTable refuses a decrease before that
};
// Absent: the table or the index is missing or not ready, or on demand.
std::optional<ScaledCapacity> scaled_capacity(const TableInfo* table, const api::ScaledUnits& units, int64_t now_ms);

struct WantedChange {
  int64_t capacity = 0;
  ActivityCause cause = ActivityCause::kMinimum;
  ScalingAlarm alarm = ScalingAlarm::kHigh;  // of kAlarm
  bool operator==(const WantedChange&) const = default;
};

// Half units consumed in the last complete minutes, the newest last. Absent: unknown.
using ConsumedMinutes = std::span<const std::optional<model::HalfUnits>>;

// Absent: nothing is to be done. Precondition: no change of the target is running. `minutes` may be empty, so that the
// policy is not asked.
std::optional<WantedChange> wanted_change(const ScalableTarget& target, const ScaledCapacity& now,
                                          ConsumedMinutes minutes, int64_t now_ms);

bool is_within_bounds(const ScalableTarget& target, const ScaledCapacity& now);

}  // namespace partita::table
