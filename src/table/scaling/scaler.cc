#include "table/scaling/scaler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"
#include "model/fault.h"
#include "table/control/tables.h"
#include "table/scaling/schedule.h"

namespace partita::table {

namespace {

using model::Fault;
using storage::Changes;
using MaybeTarget = std::optional<ScalableTarget>;

constexpr int64_t kSweepMs = 60LL * 60 * 1000;

// A scheduled action, and the latest of its times that has come.
struct DueAction {
  int64_t ms;
  size_t action;
};

std::vector<DueAction> due_actions(const ScalableTarget& target, int64_t now_ms) {
  std::vector<DueAction> due;
  if (target.schedule_suspended) return due;
  for (size_t i = 0; i < target.actions.size(); ++i) {
    const ScheduledAction& action = target.actions[i];
    const auto schedule = Schedule::parse(action.schedule);
    if (!schedule.ok()) continue;
    const int64_t after_ms = std::max(action.done_ms, action.start_ms - 1);
    const int64_t until_ms = action.end_ms == 0 ? now_ms : std::min(now_ms, action.end_ms);
    const int64_t anchor_ms = action.start_ms == 0 ? action.created_ms : action.start_ms;
    if (const auto ms = schedule->latest(after_ms, until_ms, anchor_ms)) due.push_back({*ms, i});
  }
  std::ranges::stable_sort(due, {}, &DueAction::ms);
  return due;
}

// Whether the target remembers times that are still to come, because the clock was set back.
bool is_ahead(const ScalableTarget& target, int64_t now_ms) {
  const int64_t most_ms = now_ms + kMsOfMinute;
  const auto is_late = [&](const ScheduledAction& action) {
    return action.done_ms > most_ms || action.created_ms > most_ms;
  };
  return target.created_ms > most_ms || target.retry_ms > most_ms + Scaler::kRetryMs ||
         std::ranges::any_of(target.actions, is_late);
}

void rewind(ScalableTarget& target, int64_t now_ms) {
  target.created_ms = std::min(target.created_ms, now_ms);
  target.retry_ms = 0;
  for (ScheduledAction& action : target.actions) {
    action.created_ms = std::min(action.created_ms, now_ms);
    action.done_ms = std::min(action.done_ms, now_ms);
  }
}

// Sets the bounds, and says how that went.
ScalingActivity carry_out_action(ScalableTarget& target, ScheduledAction& action, std::string id, int64_t now_ms) {
  ScalingActivity activity{.units = target.units,
                           .id = std::move(id),
                           .cause = ActivityCause::kScheduled,
                           .bounds = {action.bounds.min.value_or(target.min), action.bounds.max.value_or(target.max)},
                           .name = action.name,
                           .status = ActivityStatus::kSuccessful,
                           .began_ms = now_ms};
  action.done_ms = now_ms;
  if (*activity.bounds.min > *activity.bounds.max) {
    activity.status = ActivityStatus::kFailed;
    activity.failure = ActivityFailure::kBounds;
    return activity;
  }
  target.min = *activity.bounds.min;
  target.max = *activity.bounds.max;
  target.clamp = true;
  return activity;
}

// What was consumed of these units in the minutes from `first` on. Minutes that were not counted from the target's
// registration on are unknown.
std::vector<std::optional<model::HalfUnits>> minutes_of(const ScalableTarget& target,
                                                        const std::vector<std::optional<MinuteUnits>>& all,
                                                        int64_t first) {
  std::vector<std::optional<model::HalfUnits>> minutes(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const bool counted = first + static_cast<int64_t>(i) > target.created_ms / kMsOfMinute;
    if (!all[i] || !counted) continue;
    const auto found = all[i]->find(target.units);
    minutes[i] = found == all[i]->end() ? 0 : found->second;
  }
  return minutes;
}

void log_change(const ScalingActivity& activity, int64_t before, bool done) {
  const std::string_view dimension = activity.units.write ? " write units of " : " read units of ";
  const std::string to = std::to_string(activity.capacity);
  if (done) {
    log(LogLevel::kInfo,
        {"Auto scaling changed the", dimension, activity.units.resource, " from ", std::to_string(before), " to ", to});
  } else {
    log(LogLevel::kWarn, {"Auto scaling could not change the", dimension, activity.units.resource, " to ", to});
  }
}

// Puts the outcome into the activity and, if this change is still the one in progress, into the target.
void end_change(ScalingActivity& activity, MaybeTarget& target, int64_t now_ms) {
  activity.ended_ms = now_ms;
  if (!target || !target->running || target->running->activity != activity.id) return;
  target->running.reset();
  const bool done = activity.status == ActivityStatus::kSuccessful;
  if (done && activity.cause == ActivityCause::kAlarm) {
    (activity.alarm == ScalingAlarm::kHigh ? target->out_ms : target->in_ms) = now_ms;
  }
  // The bounds may have changed meanwhile.
  const bool fits = target->min <= activity.capacity && activity.capacity <= target->max;
  if ((done && fits) || activity.failure == ActivityFailure::kAboveMaximum) target->clamp = false;
  if (activity.failure == ActivityFailure::kRefused || activity.failure == ActivityFailure::kAboveMaximum) {
    target->retry_ms = now_ms + Scaler::kRetryMs;
  }
}

// Somebody else may have set the same units.
bool is_unchanged(const Error& error) {
  const Fault fault = model::fault_of(error);
  return fault == Fault::kThroughputUnchanged || fault == Fault::kIndexThroughputUnchanged;
}

ActivityFailure failure_of(const Error& error) {
  return model::fault_of(error) == Fault::kUnitsAboveMaximum ? ActivityFailure::kAboveMaximum
                                                             : ActivityFailure::kRefused;
}

}  // namespace

Task<Result<void>> Scaler::look(TableContext& context) {
  const int64_t now_ms = context.clock().now_ms();
  if (now_ms - swept_ms_ >= kSweepMs || now_ms < swept_ms_) {
    PARTITA_CO_TRY_VOID(co_await sweep_activities(context.engine(), now_ms));
    swept_ms_ = now_ms;
  }
  PARTITA_CO_TRY(const std::vector<StoredTarget> stored, co_await read_targets(context.engine()));
  if (stored.empty()) {
    counted_.stop();
    co_return Result<void>();
  }
  std::vector<ScalableTarget> targets;
  for (const StoredTarget& one : stored) targets.push_back(one.target);
  PARTITA_CO_TRY_VOID(co_await counted_.record(context, targets));
  const int64_t last = (now_ms - kSettleMs) / kMsOfMinute - 1;
  const int64_t first = last + 1 - static_cast<int64_t>(kMinutesBelow);
  std::vector<std::optional<MinuteUnits>> minutes;
  if (last != asked_minute_ && std::ranges::any_of(targets, [](const auto& one) { return one.policy.has_value(); })) {
    PARTITA_CO_TRY(minutes, co_await CountedConsumption::read(context, first, kMinutesBelow));
  }
  for (const StoredTarget& one : stored) {
    PARTITA_CO_TRY_VOID(co_await attend(context, one, minutes_of(one.target, minutes, first)));
  }
  asked_minute_ = last;
  co_return Result<void>();
}

Task<Result<void>> Scaler::attend(TableContext& context, StoredTarget stored, Minutes minutes) {
  const ScalableTarget& target = stored.target;
  const int64_t now_ms = context.clock().now_ms();
  if (target.running) {
    const int64_t age_ms = now_ms - target.running->began_ms;
    if (age_ms >= 0 && age_ms < kTakeOverMs) co_return Result<void>();
    co_return co_await fail_interrupted(context, stored);
  }
  if (is_ahead(target, now_ms)) {
    const TargetChange back = [now_ms](MaybeTarget& one, Changes&) {
      rewind(*one, now_ms);
      return Result<void>();
    };
    auto set_back = co_await change_target(context.engine(), target.units, back, stored.version);
    if (!set_back.ok()) co_return std::move(set_back).error();
    co_return Result<void>();
  }
  PARTITA_CO_TRY(const bool ran, co_await run_schedule(context, stored));
  if (ran) co_return Result<void>();
  const auto named = scaled_resource(target.units.resource);
  const Table known = context.catalog().find(named->table);
  const auto capacity = scaled_capacity(known.get(), target.units, now_ms);
  if (!capacity || (!target.clamp && !wanted_change(target, *capacity, minutes, now_ms))) co_return Result<void>();
  // Another server may have changed the table, for the same reason.
  auto newest = co_await context.newest_table(named->table);
  if (!newest.ok()) co_return std::move(newest).error();
  const auto now = scaled_capacity(newest->get(), target.units, now_ms);
  if (!now) co_return Result<void>();
  if (const auto change = wanted_change(target, *now, minutes, now_ms)) {
    co_return co_await change_units(context, stored, *change);
  }
  if (!target.clamp || !is_within_bounds(target, *now)) co_return Result<void>();
  // From now on, units out of bounds were set by somebody else, who may.
  const TargetChange settle = [](MaybeTarget& one, Changes&) {
    if (one) one->clamp = false;
    return Result<void>();
  };
  auto settled = co_await change_target(context.engine(), target.units, settle, stored.version);
  if (!settled.ok()) co_return std::move(settled).error();
  co_return Result<void>();
}

Task<Result<bool>> Scaler::run_schedule(TableContext& context, const StoredTarget& stored) {
  const int64_t now_ms = context.clock().now_ms();
  const std::vector<DueAction> due = due_actions(stored.target, now_ms);
  if (due.empty()) co_return false;
  PARTITA_CO_TRY(const std::vector<storage::Key> surplus,
                 co_await surplus_activities(context.engine(), stored.target.units));
  std::vector<std::string> ids;
  for (size_t i = 0; i < due.size(); ++i) ids.push_back(context.random().uuid());
  const TargetChange run = [&](MaybeTarget& target, Changes& changes) {
    for (const storage::Key& key : surplus) changes.erase(key);
    for (size_t i = 0; target && i < due.size(); ++i) {
      const ScalingActivity activity = carry_out_action(*target, target->actions[due[i].action], ids[i],
                                                        now_ms + static_cast<int64_t>(i));  // in this order
      changes.put(activity_key(activity), activity_row(activity));
    }
    return Result<void>();
  };
  co_return co_await change_target(context.engine(), stored.target.units, run, stored.version);
}

Task<Result<void>> Scaler::change_units(TableContext& context, const StoredTarget& stored, WantedChange change) {
  storage::Engine& engine = context.engine();
  const ScalableTarget& target = stored.target;
  const auto named = scaled_resource(target.units.resource);
  const auto before =
      scaled_capacity(context.catalog().find(named->table).get(), target.units, context.clock().now_ms());
  ScalingActivity activity{.units = target.units,
                           .id = context.random().uuid(),
                           .cause = change.cause,
                           .capacity = change.capacity,
                           .alarm = change.alarm,
                           .began_ms = context.clock().now_ms()};
  if (change.cause == ActivityCause::kAlarm) {
    activity.name = target.policy->name;
    activity.alarm_id = target.policy->alarms[static_cast<size_t>(change.alarm)];
  }
  PARTITA_CO_TRY(const std::vector<storage::Key> surplus, co_await surplus_activities(engine, target.units));
  const TargetChange begin = [&](MaybeTarget& one, Changes& changes) {
    for (const storage::Key& key : surplus) changes.erase(key);
    one->running = {activity.id, activity.began_ms, change.capacity};
    changes.put(activity_key(activity), activity_row(activity));
    return Result<void>();
  };
  PARTITA_CO_TRY(const bool ours, co_await change_target(engine, target.units, begin, stored.version));
  if (!ours) co_return Result<void>();
  auto updated = co_await update_units(context, named->table, named->index, target.units.write, change.capacity);
  // Nobody knows what became of it: it counts as interrupted.
  if (!updated.ok() && updated.error().kind() != ErrorKind::kInvalid) co_return std::move(updated).error();
  const bool done = updated.ok() || is_unchanged(updated.error());
  activity.status = done ? ActivityStatus::kSuccessful : ActivityStatus::kFailed;
  if (!done) activity.failure = failure_of(updated.error());
  log_change(activity, before ? before->units : 0, done);
  const int64_t now_ms = context.clock().now_ms();
  const TargetChange end = [&](MaybeTarget& one, Changes& changes) {
    end_change(activity, one, now_ms);
    changes.put(activity_key(activity), activity_row(activity));
    return Result<void>();
  };
  auto ended = co_await change_target(engine, target.units, end);
  if (!ended.ok()) co_return std::move(ended).error();
  co_return Result<void>();
}

Task<Result<void>> Scaler::fail_interrupted(TableContext& context, const StoredTarget& stored) {
  const RunningChange running = *stored.target.running;
  const auto named = scaled_resource(stored.target.units.resource);
  auto newest = co_await context.newest_table(named->table);
  if (!newest.ok()) co_return std::move(newest).error();
  const int64_t now_ms = context.clock().now_ms();
  const auto now = scaled_capacity(newest->get(), stored.target.units, now_ms);
  ScalingActivity activity{.units = stored.target.units, .id = running.activity, .began_ms = running.began_ms};
  const std::vector<storage::Key> keys{activity_key(activity)};
  PARTITA_CO_TRY(const auto records, co_await context.engine().read(keys));
  const bool there = records[0].has_value();
  if (there) {
    PARTITA_CO_TRY(activity, activity_from(records[0]->value));
  }
  // The server may have ended just after the change.
  const bool done = now && now->units == running.capacity;
  activity.status = done ? ActivityStatus::kSuccessful : ActivityStatus::kFailed;
  if (!done) activity.failure = ActivityFailure::kInterrupted;
  const TargetChange end = [&](MaybeTarget& one, Changes& changes) {
    end_change(activity, one, now_ms);
    if (there) changes.put(activity_key(activity), activity_row(activity));
    return Result<void>();
  };
  auto ended = co_await change_target(context.engine(), stored.target.units, end, stored.version);
  if (!ended.ok()) co_return std::move(ended).error();
  co_return Result<void>();
}

}  // namespace partita::table
