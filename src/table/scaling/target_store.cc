#include "table/scaling/target_store.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "model/fault.h"
#include "storage/range_cursor.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

void complain_of_target(std::string_view key) {
  static LogThrottle throttle(60'000);
  uint64_t unsaid = 0;
  const std::string_view resource = key.substr(std::min(key.size(), all_targets().begin.size()));
  if (!throttle.pass(unsaid)) return;
  log(LogLevel::kError, {"The scalable target ", resource.substr(0, resource.find('\0')),
                         " cannot be read, so nothing scales it. Register it again."});
}

}  // namespace

Task<Result<std::vector<StoredTarget>>> read_targets(storage::Engine& engine) {
  std::vector<StoredTarget> targets;
  storage::RangeCursor cursor(engine, all_targets());
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    auto target = target_from(cursor.row().value);
    if (target.ok()) {
      targets.push_back({std::move(target).value(), cursor.row().version});
    } else {
      complain_of_target(cursor.row().key);
    }
  }
  co_return targets;
}

Task<Result<bool>> change_target(storage::Engine& engine, api::ScaledUnits units, TargetChange change,
                                 std::optional<storage::Version> seen) {
  const storage::Key key = target_key(units);
  Result<void> outcome;
  bool is_seen = true;
  const storage::Decide decide = [&](std::span<const storage::Record* const> found, storage::Changes& changes) {
    is_seen = !seen || (found[0] != nullptr && found[0]->version == *seen);
    if (!is_seen) return storage::Decision::kRefuse;
    std::optional<ScalableTarget> target;
    if (found[0] != nullptr) {
      // A damaged target is as good as none, so that it can be registered again.
      if (auto read = target_from(found[0]->value); read.ok()) target = std::move(read).value();
    }
    outcome = change(target, changes);
    if (!outcome.ok()) return storage::Decision::kRefuse;
    if (target) {
      put_twice(key, target_row(*target), changes);
    } else if (found[0] != nullptr) {
      erase_twice(key, changes);
    }
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> keys{key};
  std::vector<storage::Compare> nothing;
  const auto done = co_await engine.transact(std::move(keys), std::move(nothing), decide);
  if (!done.ok() && done.error().kind() == ErrorKind::kConflict) co_return model::refuse(model::Fault::kScalingBusy);
  if (!done.ok()) co_return done.error();
  if (!outcome.ok()) co_return std::move(outcome).error();
  co_return is_seen;
}

Task<Result<std::vector<storage::Key>>> surplus_activities(storage::Engine& engine, api::ScaledUnits units) {
  std::vector<storage::Key> surplus;
  storage::RangeCursor cursor(engine, activities_of(units));
  for (size_t i = 1;; ++i) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    if (i >= kMostActivities) surplus.push_back(key_of_row(cursor.row().key));
  }
  co_return surplus;
}

Task<Result<void>> sweep_activities(storage::Engine& engine, int64_t now_ms) {
  std::vector<storage::Key> old;
  storage::RangeCursor cursor(engine, all_activities());
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    const auto activity = activity_from(cursor.row().value);
    // The clock may have been set back.
    const bool ahead = activity.ok() && activity->began_ms - now_ms > kActivitiesKeptMs;
    if (!activity.ok() || now_ms - activity->began_ms > kActivitiesKeptMs || ahead) {
      old.push_back(key_of_row(cursor.row().key));
    }
  }
  if (old.empty()) co_return Result<void>();
  const storage::Decide erase = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    for (const storage::Key& key : old) changes.erase(key);
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> nothing;
  const auto done = co_await engine.transact(std::move(none), std::move(nothing), erase);
  if (!done.ok()) co_return done.error();
  co_return Result<void>();
}

}  // namespace partita::table
