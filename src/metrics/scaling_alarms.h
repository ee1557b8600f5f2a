// The alarms that AWS makes for each policy of auto scaling, as rows beside those of PutMetricAlarm. They show what the
// policies of the store want; auto scaling itself reads its own counts (table/scaling).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/task.h"
#include "metrics/alarm.h"
#include "table/catalog/table_context.h"

namespace partita::metrics {

std::string policy_arn(std::string_view region, std::string_view account, const ScalingOwner& policy);

// Follows the policies and the units of their tables. For one thread.
class ScalingAlarms {
 public:
  // Makes, changes and deletes alarms until they are those of the policies now; call it every second. What somebody
  // else changed is mended after a minute. A policy whose table is missing, or on demand, keeps the alarms that it has.
  // Any number of servers may do this. Errors: those of the engine; kCorrupt.
  Task<Result<void>> follow(table::TableContext& context, Random& random);

 private:
  int64_t minute_ = 0;  // of the last call
  // By name, as they were stored in this minute; nullopt: not yet.
  std::optional<std::map<std::string, Alarm>> followed_;
  std::vector<std::string> kept_;  // the names of the alarms of all policies, sorted
};

}  // namespace partita::metrics
