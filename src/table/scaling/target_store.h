// Reads and changes of the rows of scalable targets and activities, each in one transaction.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/rows/scaling_rows.h"

namespace partita::table {

// Of each target at most so many activities are kept, and none longer than AWS keeps them: "DescribeScalingActivities".
inline constexpr size_t kMostActivities = 100;
inline constexpr int64_t kActivitiesKeptMs = 42LL * 24 * 60 * 60 * 1000;

struct StoredTarget {
  ScalableTarget target;
  storage::Version version{};
};

// By resource. A damaged row is left out, and logged.
Task<Result<std::vector<StoredTarget>>> read_targets(storage::Engine& engine);

// Changes a target, which is absent if there is none, or writes nothing but `changes` if the target stays absent. An
// absent target afterwards is erased. A pure function; an error of it is returned, and nothing is changed.
using TargetChange = std::function<Result<void>(std::optional<ScalableTarget>& target, storage::Changes& changes)>;

// False: the row has not the version `seen`, and nothing was changed. Without `seen` any version will do.
Task<Result<bool>> change_target(storage::Engine& engine, api::ScaledUnits units, TargetChange change,
                                 std::optional<storage::Version> seen = std::nullopt);

// The keys of activities of the target that a new one displaces.
Task<Result<std::vector<storage::Key>>> surplus_activities(storage::Engine& engine, api::ScaledUnits units);
// Erases those that are too old, of all targets.
Task<Result<void>> sweep_activities(storage::Engine& engine, int64_t now_ms);

}  // namespace partita::table
