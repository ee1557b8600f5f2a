#include "metrics/scaling_alarms.h"

#include <algorithm>
#include <string>
#include <utility>

#include "metrics/watch.h"
#include "table/scaling/decision.h"
#include "table/scaling/scaling_names.h"
#include "table/scaling/target_store.h"
#include "wire/alarm_text.h"

namespace partita::metrics {

namespace {

using table::ScalingAlarm;

constexpr double kSecondsOfMinute = 60;
constexpr int64_t kPeriodsProvisioned = 3;  // as AWS's alarms have it
constexpr int64_t kMinutesProvisioned = 5;

Alarm alarm_of(const table::ScalableTarget& target, ScalingAlarm kind, int64_t units) {
  const table::ScalingPolicy& policy = *target.policy;
  const auto named = *table::scaled_resource(target.units.resource);
  const bool consumed = kind == ScalingAlarm::kHigh || kind == ScalingAlarm::kLow;
  const bool high = kind == ScalingAlarm::kHigh || kind == ScalingAlarm::kProvisionedHigh;
  Alarm alarm;
  alarm.name = table::alarm_name(target.units, kind, policy.alarms[static_cast<size_t>(kind)]);
  alarm.policy = ScalingOwner{target.units.resource, policy.id, policy.name};
  alarm.space = kDynamoDbSpace;
  alarm.dimensions = {{"TableName", named.table}};
  if (!named.index.empty()) alarm.dimensions.push_back({"GlobalSecondaryIndexName", named.index});
  alarm.rule.comparison = high ? Comparison::kAbove : Comparison::kBelow;
  const auto provisioned = static_cast<double>(units);
  if (consumed) {
    const double percent = high ? policy.tracking.percent : table::lower_percent(policy.tracking.percent);
    alarm.metric = target.units.write ? "ConsumedWriteCapacityUnits" : "ConsumedReadCapacityUnits";
    alarm.statistic = "Sum";
    alarm.rule.periods = static_cast<int64_t>(high ? table::kMinutesAbove : table::kMinutesBelow);
    alarm.rule.threshold = percent * provisioned * kSecondsOfMinute / 100;
  } else {
    alarm.metric = target.units.write ? "ProvisionedWriteCapacityUnits" : "ProvisionedReadCapacityUnits";
    alarm.statistic = "Average";
    alarm.period_minutes = kMinutesProvisioned;
    alarm.rule.periods = kPeriodsProvisioned;
    alarm.rule.threshold = provisioned;
  }
  alarm.rule.to_alarm = alarm.rule.periods;
  return alarm;
}

// But for state and time.
bool is_same(const Alarm& one, const Alarm& other) {
  // The rest follows from the name.
  return one.name == other.name && one.policy == other.policy && one.metric == other.metric &&
         one.rule.threshold == other.rule.threshold;
}

Task<Result<void>> put(storage::Engine& engine, Random& random, Alarm wanted, int64_t now_ms) {
  Alarm stored;
  const AlarmStore::Change change = [&](const Alarm* found,
                                        std::vector<HistoryEntry>& entries) -> std::optional<Alarm> {
    if (found != nullptr && is_same(*found, wanted)) return std::nullopt;
    stored = configured(wanted, found, now_ms, entries);
    return stored;
  };
  const AlarmStore store(engine, random);
  auto changed = co_await store.change(wanted.name, change);
  PARTITA_CO_TRY(const bool ours, std::move(changed));
  if (!ours) co_return Result<void>();
  co_return co_await evaluate_alarm(engine, random, stored, now_ms / kMsPerMinute, now_ms);
}

// Erases the alarms of policies that are gone. `kept`: the names of the others, sorted.
Task<Result<void>> erase_others(storage::Engine& engine, Random& random, std::vector<std::string> kept,
                                int64_t now_ms) {
  const AlarmStore store(engine, random);
  std::string after;
  while (true) {
    auto listed = co_await store.list(std::string(table::kScalingAlarmPrefix), after, kAlarmsAtOnce);
    PARTITA_CO_TRY(const std::vector<Alarm> alarms, std::move(listed));
    for (const Alarm& alarm : alarms) {
      if (!alarm.policy || std::ranges::binary_search(kept, alarm.name)) continue;
      auto erased = co_await store.erase(alarm.name, deletion_of(alarm.name, now_ms));
      if (!erased.ok()) co_return std::move(erased).error();
    }
    if (alarms.size() < kAlarmsAtOnce) co_return Result<void>();
    after = alarms.back().name;
  }
}

}  // namespace

std::string policy_arn(std::string_view region, std::string_view account, const ScalingOwner& policy) {
  return table::scaling_arn(region, account, "scalingPolicy", policy.id, policy.resource, policy.name);
}

Task<Result<void>> ScalingAlarms::follow(table::TableContext& context, Random& random) {
  const int64_t now_ms = context.clock().now_ms();
  if (std::exchange(minute_, now_ms / kMsPerMinute) != now_ms / kMsPerMinute) followed_.reset();
  PARTITA_CO_TRY(const std::vector<table::StoredTarget> stored, co_await table::read_targets(context.engine()));
  std::map<std::string, Alarm> wanted;
  std::vector<std::string> kept;
  for (const table::StoredTarget& one : stored) {
    const auto named = table::scaled_resource(one.target.units.resource);
    if (!one.target.policy || !named) continue;
    const auto capacity = table::scaled_capacity(context.catalog().find(named->table).get(), one.target.units, now_ms);
    for (size_t i = 0; i < table::kScalingAlarms; ++i) {
      const auto kind = static_cast<ScalingAlarm>(i);
      kept.push_back(table::alarm_name(one.target.units, kind, one.target.policy->alarms[i]));
      if (capacity) wanted.emplace(kept.back(), alarm_of(one.target, kind, capacity->units));
    }
  }
  std::ranges::sort(kept);
  const auto is_followed = [&](const auto& named) {
    if (!followed_) return false;
    const auto found = followed_->find(named.first);
    return found != followed_->end() && is_same(found->second, named.second);
  };
  const bool same = followed_ && followed_->size() == wanted.size() && std::ranges::all_of(wanted, is_followed);
  if (same && kept == kept_) co_return Result<void>();
  for (const auto& named : wanted) {
    if (!is_followed(named)) PARTITA_CO_TRY_VOID(co_await put(context.engine(), random, named.second, now_ms));
  }
  PARTITA_CO_TRY_VOID(co_await erase_others(context.engine(), random, kept, now_ms));
  followed_ = std::move(wanted);
  kept_ = std::move(kept);
  co_return Result<void>();
}

}  // namespace partita::metrics
