// The rows of auto scaling: scalable targets with their policies and scheduled actions, the activities, and what each
// server saw consumed in each minute. docs/formats/scaling.md. Times are milliseconds since 1970, 0 for never;
// capacities are units per second.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/scaling.h"
#include "base/result.h"
#include "model/size.h"
#include "storage/engine.h"

namespace partita::table {

// The table and the global index of a ResourceId. An empty index: the table's own units.
struct ScaledResource {
  std::string table = {};
  std::string index = {};
};
// Absent: neither "table/T" nor "table/T/index/I".
std::optional<ScaledResource> scaled_resource(std::string_view resource);

// The alarms of a policy, in the order in which AWS lists them.
enum class ScalingAlarm : uint8_t { kHigh, kLow, kProvisionedHigh, kProvisionedLow };
inline constexpr size_t kScalingAlarms = 4;

struct ScalingPolicy {
  std::string name = {};
  std::string id = {};  // a UUID, for the ARN
  api::TargetTracking tracking = {};
  std::array<std::string, kScalingAlarms> alarms = {};  // the UUIDs in their names
  int64_t created_ms = 0;
};

struct ScheduledAction {
  std::string name = {};
  std::string id = {};  // a UUID, for the ARN
  std::string schedule = {};
  std::string zone = {};  // empty: never named
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  api::CapacityBounds bounds = {};
  int64_t created_ms = 0;
  int64_t done_ms = 0;  // times of the schedule up to this one are done
};

// A change of a table that a server has begun. Its activity is in progress.
struct RunningChange {
  std::string activity = {};  // its id
  int64_t began_ms = 0;
  int64_t capacity = 0;
};

// What is kept of one ResourceId and ScalableDimension. All of it is one row, so changes are atomic.
struct ScalableTarget {
  api::ScaledUnits units = {};
  std::string id = {};  // 34 hexadecimal digits, for the ARN
  int64_t min = 0;
  int64_t max = 0;
  bool in_suspended = false;
  bool out_suspended = false;
  bool schedule_suspended = false;
  int64_t created_ms = 0;
  std::map<std::string, std::string> tags = {};
  std::optional<ScalingPolicy> policy = {};
  std::vector<ScheduledAction> actions = {};  // by name

  bool clamp = false;    // `min` or `max` was set since the units were last compared with them
  int64_t out_ms = 0;    // when the policy last raised the units
  int64_t in_ms = 0;     // when it last lowered them
  int64_t retry_ms = 0;  // no change before this, because the last one failed
  std::optional<RunningChange> running = {};
};

enum class ActivityStatus : uint8_t { kInProgress, kSuccessful, kFailed };
// kScheduled sets the bounds of the target, the others set the units of the table.
enum class ActivityCause : uint8_t { kMinimum, kMaximum, kAlarm, kScheduled };
enum class ActivityFailure : uint8_t {
  kNone,
  kInterrupted,   // the server that made the change ended
  kRefused,       // UpdateTable refused it
  kAboveMaximum,  // so many units are refused always
  kBounds,        // of kScheduled: the minimum would exceed the maximum
};

struct ScalingActivity {
  api::ScaledUnits units = {};
  std::string id = {};
  ActivityCause cause = ActivityCause::kMinimum;
  int64_t capacity = 0;             // not of kScheduled
  api::CapacityBounds bounds = {};  // of kScheduled
  std::string name = {};            // of the policy, or of the scheduled action
  ScalingAlarm alarm = ScalingAlarm::kHigh;
  std::string alarm_id = {};  // the UUID in its name
  ActivityStatus status = ActivityStatus::kInProgress;
  ActivityFailure failure = ActivityFailure::kNone;
  int64_t began_ms = 0;
  int64_t ended_ms = 0;
};

// What one server saw consumed in one minute, in half units. Resources without consumption are absent. A minute
// without a row is one that the server did not see.
using MinuteUnits = std::map<api::ScaledUnits, model::HalfUnits>;

storage::Key target_key(const api::ScaledUnits& units);
storage::Range all_targets();
std::string target_row(const ScalableTarget& target);
// Error: kCorrupt.
Result<ScalableTarget> target_from(std::string_view row);

// Of one target the newest sorts first.
storage::Key activity_key(const ScalingActivity& activity);
storage::Range activities_of(const api::ScaledUnits& units);
storage::Range all_activities();
std::string activity_row(const ScalingActivity& activity);
// Error: kCorrupt.
Result<ScalingActivity> activity_from(std::string_view row);

// Minutes are numbered from 1970.
storage::Key minute_key(int64_t minute, uint64_t server);
// All servers' rows of [first, last].
storage::Range minutes_between(int64_t first, int64_t last);
std::string minute_row(const MinuteUnits& units);
// Error: kCorrupt.
Result<MinuteUnits> minute_from(std::string_view row);
// Absent: the key is not one of minute_key().
std::optional<int64_t> minute_of(std::string_view key);

// Whether an activity or a minute can be read. Error: kCorrupt.
Result<void> check_scaling_log(std::string_view key, std::string_view row);

}  // namespace partita::table
