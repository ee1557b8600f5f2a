#include "table/scaling/targets.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/check.h"
#include "model/fault.h"
#include "storage/range_cursor.h"
#include "table/scaling/schedule.h"
#include "table/scaling/target_store.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;
using storage::Changes;
using MaybeTarget = std::optional<ScalableTarget>;

// "Quotas for Application Auto Scaling" in its user guide, and "Limits" of ResourceTags in its API reference.
constexpr size_t kMostActions = 200;
constexpr size_t kMostTags = 50;

Error no_target(const api::ScaledUnits& units) {
  return refuse(Fault::kScalingNoTarget, {units.resource, api::dimension_of(units)});
}

Error not_found(Fault fault, const api::NamedOfTargetRequest& request) {
  return refuse(fault, {request.units.resource, api::dimension_of(request.units), request.name});
}

Result<void> check_bounds_of(int64_t min, int64_t max) {
  if (min < 1) return refuse(Fault::kScalingMinimum);
  if (max < min) return refuse(Fault::kScalingBoundsCrossed);
  return {};
}

Result<void> merge_target_tags(const std::map<std::string, std::string>& tags, ScalableTarget& target) {
  for (const auto& [key, value] : tags) target.tags[key] = value;
  if (target.tags.size() > kMostTags) return refuse(Fault::kScalingTooManyTags);
  return {};
}

// Changes a target that must exist.
template <class Change>
Task<Result<void>> change_existing(TableContext& context, api::ScaledUnits units, Change change) {
  const TargetChange existing = [&](MaybeTarget& target, Changes&) -> Result<void> {
    if (!target) return no_target(units);
    return change(*target);
  };
  auto changed = co_await change_target(context.engine(), units, existing);
  if (!changed.ok()) co_return std::move(changed).error();
  context.wake_jobs();
  co_return Result<void>();
}

Task<Result<void>> check_exists(TableContext& context, const std::string& resource) {
  const auto named = scaled_resource(resource);
  PARTITA_CHECK(named);
  PARTITA_CO_TRY(const Table table, co_await context.catalog().look_up(named->table));
  const bool there = table != nullptr && table->status != Status::kDeleting;
  if (!there) co_return refuse(Fault::kScalingNoResource, {"table", resource});
  if (named->index.empty()) co_return Result<void>();
  const IndexInfo* const index = table->find_index(named->index);
  if (index == nullptr || !index->is_global_secondary()) {
    co_return refuse(Fault::kScalingNoResource, {"index", resource});
  }
  co_return Result<void>();
}

void suspend(const api::SuspendRequest& wanted, ScalableTarget& target, int64_t now_ms) {
  target.in_suspended = wanted.in.value_or(target.in_suspended);
  target.out_suspended = wanted.out.value_or(target.out_suspended);
  const bool suspended = wanted.scheduled.value_or(target.schedule_suspended);
  if (target.schedule_suspended && !suspended) {
    // What came due meanwhile is not made up for.
    for (ScheduledAction& action : target.actions) action.done_ms = now_ms;
  }
  target.schedule_suspended = suspended;
}

// 34 hexadecimal digits. Those of AWS begin with 0.
std::string target_id(Random& random) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "0%016llx%016llx0", static_cast<unsigned long long>(random.next()),
                static_cast<unsigned long long>(random.next()));
  return text.data();
}

bool is_wanted(const api::ScaledUnits& units, const api::ScalingFilter& filter) {
  const auto named = scaled_resource(units.resource);
  if (filter.write && units.write != *filter.write) return false;
  if (filter.index && (!named || named->index.empty() == *filter.index)) return false;
  return filter.resources.empty() || std::ranges::find(filter.resources, units.resource) != filter.resources.end();
}

bool is_named(const std::string& name, const api::ScalingFilter& filter) {
  return filter.names.empty() || std::ranges::find(filter.names, name) != filter.names.end();
}

// "table/T#R", which sorts as the rows do.
std::string place_of(const api::ScaledUnits& units) { return units.resource + "#" + (units.write ? "W" : "R"); }

// Elements by the place that a token names.
template <class Element>
ScalingPage<Element> page_of(std::map<std::string, Element> all, const api::ScalingFilter& filter) {
  ScalingPage<Element> page;
  auto next = filter.after.empty() ? all.begin() : all.upper_bound(filter.after);
  for (; next != all.end() && page.found.size() < filter.limit; ++next) {
    page.found.push_back(std::move(next->second));
    page.last = next->first;
  }
  if (next == all.end()) page.last.clear();
  return page;
}

// Puts what `put` makes of each selected target into a page.
template <class Element, class Put>
Task<Result<ScalingPage<Element>>> list_of(TableContext& context, const api::ScalingFilter& filter, Put put) {
  if (!filter.after.empty() && !filter.after.starts_with("table/")) co_return refuse(Fault::kScalingNextToken);
  std::map<std::string, Element> all;
  if (filter.nothing) co_return ScalingPage<Element>();
  PARTITA_CO_TRY(std::vector<StoredTarget> targets, co_await read_targets(context.engine()));
  for (StoredTarget& one : targets) {
    if (is_wanted(one.target.units, filter)) put(one.target, all);
  }
  co_return page_of(std::move(all), filter);
}

// The target of an ARN. Nothing: there is none.
Task<Result<std::optional<api::ScaledUnits>>> units_of_arn(TableContext& context, const std::string& arn) {
  const std::string id = arn.substr(arn.rfind('/') + 1);
  PARTITA_CO_TRY(const std::vector<StoredTarget> targets, co_await read_targets(context.engine()));
  const auto found = std::ranges::find_if(targets, [&](const StoredTarget& one) { return one.target.id == id; });
  if (found == targets.end()) co_return std::optional<api::ScaledUnits>();
  co_return std::optional<api::ScaledUnits>(found->target.units);
}

template <class Change>
Task<Result<void>> change_tags(TableContext& context, const std::string& arn, Change change) {
  PARTITA_CO_TRY(const std::optional<api::ScaledUnits> units, co_await units_of_arn(context, arn));
  if (!units) co_return refuse(Fault::kScalingTagsNotFound);
  const TargetChange existing = [&](MaybeTarget& target, Changes&) -> Result<void> {
    if (!target) return refuse(Fault::kScalingTagsNotFound);
    return change(*target);
  };
  auto changed = co_await change_target(context.engine(), *units, existing);
  if (!changed.ok()) co_return std::move(changed).error();
  co_return Result<void>();
}

Result<void> change_action(const api::PutScheduledActionRequest& request, ScheduledAction& action, int64_t now_ms) {
  if (request.schedule) action.schedule = *request.schedule;
  if (request.zone) action.zone = *request.zone;
  if (request.bounds) action.bounds = *request.bounds;
  if (action.schedule.empty() || (!action.bounds.min && !action.bounds.max)) return refuse(Fault::kScalingNoSchedule);
  const auto schedule = Schedule::parse(action.schedule);
  if (!schedule.ok()) return schedule.error();
  // AWS drops times that are not sent again.
  action.start_ms = request.start_ms.value_or(0);
  action.end_ms = request.end_ms.value_or(0);
  if (action.end_ms != 0 && action.end_ms <= action.start_ms) return refuse(Fault::kScalingTimes);
  action.done_ms = now_ms;
  const int64_t min = action.bounds.min.value_or(1);
  return check_bounds_of(min, action.bounds.max.value_or(min));
}

}  // namespace

Task<Result<ScalableTarget>> register_target(TableContext& context, const api::RegisterTargetRequest& request) {
  PARTITA_CO_TRY_VOID(co_await check_exists(context, request.units.resource));
  const int64_t now_ms = context.clock().now_ms();
  const std::string id = target_id(context.random());
  ScalableTarget registered;
  const TargetChange change = [&](MaybeTarget& target, Changes&) -> Result<void> {
    const bool complete = request.bounds.min && request.bounds.max;
    if (!target && !complete) return refuse(Fault::kScalingBoundsMissing);
    if (!target) target = ScalableTarget{.units = request.units, .id = id, .created_ms = now_ms};
    target->min = request.bounds.min.value_or(target->min);
    target->max = request.bounds.max.value_or(target->max);
    PARTITA_TRY_VOID(check_bounds_of(target->min, target->max));
    if (request.bounds.min || request.bounds.max) {
      target->clamp = true;
      target->retry_ms = 0;
    }
    if (request.suspended) suspend(*request.suspended, *target, now_ms);
    PARTITA_TRY_VOID(merge_target_tags(request.tags, *target));
    registered = *target;
    return {};
  };
  auto changed = co_await change_target(context.engine(), request.units, change);
  if (!changed.ok()) co_return std::move(changed).error();
  context.wake_jobs();
  co_return registered;
}

Task<Result<void>> deregister_target(TableContext& context, const api::ScaledUnits& units) {
  const TargetChange drop = [&](MaybeTarget& target, Changes&) -> Result<void> {
    if (!target) return no_target(units);
    target.reset();
    return {};
  };
  auto dropped = co_await change_target(context.engine(), units, drop);
  if (!dropped.ok()) co_return std::move(dropped).error();
  co_return Result<void>();
}

Task<Result<ScalingPage<ScalableTarget>>> list_targets(TableContext& context, const api::ScalingFilter& filter) {
  return list_of<ScalableTarget>(context, filter, [](ScalableTarget& target, auto& all) {
    const std::string place = place_of(target.units);
    all.emplace(place, std::move(target));
  });
}

Task<Result<ScalingPolicy>> put_scaling_policy(TableContext& context, const api::PutPolicyOfTargetRequest& request) {
  ScalingPolicy fresh{.name = request.name, .id = context.random().uuid(), .created_ms = context.clock().now_ms()};
  for (std::string& alarm : fresh.alarms) alarm = context.random().uuid();
  ScalingPolicy put;
  PARTITA_CO_TRY_VOID(co_await change_existing(context, request.units, [&](ScalableTarget& target) -> Result<void> {
    const bool same = target.policy && target.policy->name == request.name;
    if (target.policy && !same) return refuse(Fault::kScalingSecondPolicy);
    if (!same && !request.tracking) return refuse(Fault::kScalingNoTracking);
    if (!same) target.policy = fresh;
    if (request.tracking) target.policy->tracking = *request.tracking;
    put = *target.policy;
    return {};
  }));
  co_return put;
}

Task<Result<void>> delete_scaling_policy(TableContext& context, const api::NamedOfTargetRequest& request) {
  const TargetChange drop = [&](MaybeTarget& target, Changes&) -> Result<void> {
    const bool there = target && target->policy && target->policy->name == request.name;
    if (!there) return not_found(Fault::kScalingNoPolicy, request);
    target->policy.reset();
    return {};
  };
  auto dropped = co_await change_target(context.engine(), request.units, drop);
  if (!dropped.ok()) co_return std::move(dropped).error();
  co_return Result<void>();
}

Task<Result<ScalingPage<PolicyOfTarget>>> list_policies(TableContext& context, const api::ScalingFilter& filter) {
  return list_of<PolicyOfTarget>(context, filter, [&filter](ScalableTarget& target, auto& all) {
    if (!target.policy || !is_named(target.policy->name, filter)) return;
    all.emplace(place_of(target.units), PolicyOfTarget{target.units, std::move(*target.policy)});
  });
}

Task<Result<void>> put_scheduled_action(TableContext& context, const api::PutScheduledActionRequest& request) {
  const int64_t now_ms = context.clock().now_ms();
  const ScheduledAction fresh{.name = request.name, .id = context.random().uuid(), .created_ms = now_ms};
  return change_existing(context, request.units, [&request, fresh, now_ms](ScalableTarget& target) -> Result<void> {
    auto& actions = target.actions;
    auto place = std::ranges::lower_bound(actions, request.name, {}, &ScheduledAction::name);
    if (place == actions.end() || place->name != request.name) {
      if (actions.size() >= kMostActions) return refuse(Fault::kScalingTooManyActions);
      place = actions.insert(place, fresh);
    }
    return change_action(request, *place, now_ms);
  });
}

Task<Result<void>> delete_scheduled_action(TableContext& context, const api::NamedOfTargetRequest& request) {
  const TargetChange drop = [&](MaybeTarget& target, Changes&) -> Result<void> {
    const auto is_it = [&](const ScheduledAction& action) { return action.name == request.name; };
    if (!target || std::erase_if(target->actions, is_it) == 0) return not_found(Fault::kScalingNoAction, request);
    return {};
  };
  auto dropped = co_await change_target(context.engine(), request.units, drop);
  if (!dropped.ok()) co_return std::move(dropped).error();
  co_return Result<void>();
}

Task<Result<ScalingPage<ActionOfTarget>>> list_scheduled_actions(TableContext& context,
                                                                 const api::ScalingFilter& filter) {
  return list_of<ActionOfTarget>(context, filter, [&filter](ScalableTarget& target, auto& all) {
    for (ScheduledAction& action : target.actions) {
      if (!is_named(action.name, filter)) continue;
      const std::string place = place_of(target.units) + "#" + action.name;
      all.emplace(place, ActionOfTarget{target.units, std::move(action)});
    }
  });
}

Task<Result<ScalingPage<ScalingActivity>>> list_activities(TableContext& context, const api::ScalingFilter& filter) {
  constexpr size_t kPlaceDigits = 16;
  const std::string_view after = filter.after;
  const bool sound = after.empty() || (after.size() > kPlaceDigits && after[kPlaceDigits] == '-');
  if (!sound) co_return refuse(Fault::kScalingNextToken);
  std::map<std::string, ScalingActivity> all;
  if (filter.nothing) co_return ScalingPage<ScalingActivity>();
  const int64_t now_ms = context.clock().now_ms();
  storage::RangeCursor cursor(context.engine(), all_activities());
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    auto activity = activity_from(cursor.row().value);
    if (!activity.ok() || !is_wanted(activity->units, filter)) continue;
    if (now_ms - activity->began_ms > kActivitiesKeptMs) continue;
    std::array<char, kPlaceDigits + 2> place{};
    std::snprintf(place.data(), place.size(), "%016llx-", ~static_cast<unsigned long long>(activity->began_ms));
    all.emplace(place.data() + activity->id, std::move(activity).value());
  }
  co_return page_of(std::move(all), filter);
}

Task<Result<std::map<std::string, std::string>>> tags_of_target(TableContext& context, const std::string& arn) {
  const std::string id = arn.substr(arn.rfind('/') + 1);
  PARTITA_CO_TRY(const std::vector<StoredTarget> targets, co_await read_targets(context.engine()));
  const auto found = std::ranges::find_if(targets, [&](const StoredTarget& one) { return one.target.id == id; });
  if (found == targets.end()) co_return refuse(Fault::kScalingTagsNotFound);
  co_return found->target.tags;
}

Task<Result<void>> tag_target(TableContext& context, const api::TargetTagsRequest& request) {
  return change_tags(context, request.arn,
                     [&request](ScalableTarget& target) { return merge_target_tags(request.tags, target); });
}

Task<Result<void>> untag_target(TableContext& context, const api::TargetTagsRequest& request) {
  return change_tags(context, request.arn, [&request](ScalableTarget& target) {
    for (const std::string& key : request.dropped) target.tags.erase(key);
    return Result<void>();
  });
}

}  // namespace partita::table
