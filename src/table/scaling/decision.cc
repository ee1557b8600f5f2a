#include "table/scaling/decision.h"

#include <algorithm>
#include <cmath>

#include "model/limits.h"

namespace partita::table {

namespace {

constexpr double kHalfUnitsOfMinute = 2 * 60;  // of one unit a second
constexpr int64_t kHourOfMs = 60LL * 60 * 1000;
constexpr int64_t kDayOfHours = 24 * kHourOfMs;

// Hundreds of half units a minute: whole numbers, and so exact, if `percent` is whole.
double hundreds_at(double percent, int64_t units) { return percent * static_cast<double>(units) * kHalfUnitsOfMinute; }

// With so many units, that consumption is `percent` of them.
int64_t units_for(model::HalfUnits half_units, double percent) {
  const double units = static_cast<double>(half_units) * 100 / (kHalfUnitsOfMinute * percent);
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(units)));
}

// The busiest of the last `count` minutes, if all are known and fits(hundreds of half units) holds for each.
template <class Fits>
std::optional<model::HalfUnits> busiest_if_all(ConsumedMinutes minutes, size_t count, Fits fits) {
  if (minutes.size() < count) return std::nullopt;
  model::HalfUnits most = 0;
  for (const auto& minute : minutes.last(count)) {
    if (!minute || !fits(100 * static_cast<double>(*minute))) return std::nullopt;
    most = std::max(most, *minute);
  }
  return most;
}

bool is_cooling(int64_t since_ms, const std::optional<int64_t>& cooldown_s, int64_t now_ms) {
  return since_ms != 0 && now_ms >= since_ms && (now_ms - since_ms) / 1000 < cooldown_s.value_or(0);
}

std::optional<WantedChange> by_bounds(const ScalableTarget& target, const ScaledCapacity& now, int64_t now_ms) {
  if (!target.clamp) return std::nullopt;
  if (now.units < target.min) return WantedChange{target.min, ActivityCause::kMinimum};
  if (now.units > target.max && now_ms >= now.decrease_at_ms) {
    return WantedChange{target.max, ActivityCause::kMaximum};
  }
  return std::nullopt;
}

std::optional<WantedChange> by_high_alarm(const ScalableTarget& target, const ScaledCapacity& now,
                                          ConsumedMinutes minutes, int64_t now_ms) {
  const api::TargetTracking& tracking = target.policy->tracking;
  if (target.out_suspended || is_cooling(target.out_ms, tracking.out_s, now_ms)) return std::nullopt;
  const double threshold = hundreds_at(tracking.percent, now.units);
  const auto most = busiest_if_all(minutes, kMinutesAbove, [&](double minute) { return minute > threshold; });
  if (!most) return std::nullopt;
  const int64_t capacity = std::min(units_for(*most, tracking.percent), target.max);
  if (capacity <= now.units) return std::nullopt;
  return WantedChange{capacity, ActivityCause::kAlarm, ScalingAlarm::kHigh};
}

std::optional<WantedChange> by_low_alarm(const ScalableTarget& target, const ScaledCapacity& now,
                                         ConsumedMinutes minutes, int64_t now_ms) {
  const api::TargetTracking& tracking = target.policy->tracking;
  if (target.in_suspended || tracking.out_only.value_or(false)) return std::nullopt;
  if (is_cooling(target.in_ms, tracking.in_s, now_ms) || now_ms < now.decrease_at_ms) return std::nullopt;
  const double threshold = hundreds_at(lower_percent(tracking.percent), now.units);
  const auto most = busiest_if_all(minutes, kMinutesBelow, [&](double minute) { return minute < threshold; });
  if (!most) return std::nullopt;
  const int64_t capacity = std::clamp(units_for(*most, tracking.percent), target.min, target.max);
  if (capacity >= now.units) return std::nullopt;
  return WantedChange{capacity, ActivityCause::kAlarm, ScalingAlarm::kLow};
}

// Four decreases a day, in UTC, and then one an hour: "Quotas" in DynamoDB's developer guide.
int64_t next_decrease_ms(const Throughput& throughput, int64_t now_ms) {
  const int64_t decreases = throughput.next ? std::max(throughput.next_decreases, throughput.decreases_on(now_ms))
                                            : throughput.decreases_on(now_ms);
  if (decreases < model::kMaxDecreasesAtOnce) return 0;
  const int64_t midnight_ms = (now_ms / kDayOfHours + 1) * kDayOfHours;
  return std::min(midnight_ms, throughput.last_decrease_ms + kHourOfMs);
}

}  // namespace

double lower_percent(double percent) { return std::max(percent - 20, percent / 2); }

std::optional<ScaledCapacity> scaled_capacity(const TableInfo* table, const api::ScaledUnits& units, int64_t now_ms) {
  const auto named = scaled_resource(units.resource);
  if (table == nullptr || !named || table->billing_mode != api::BillingMode::kProvisioned) return std::nullopt;
  const Status status = table->status_at(now_ms);
  if (status == Status::kCreating || status == Status::kDeleting) return std::nullopt;
  const Throughput* throughput = &table->throughput;
  if (!named->index.empty()) {
    const IndexInfo* const index = table->find_index(named->index);
    if (index == nullptr || !index->is_global_secondary() || index->status != Status::kActive) return std::nullopt;
    throughput = &index->throughput;
  }
  const api::Units provisioned =
      throughput->next ? throughput->next->value : api::Units{throughput->read_units, throughput->write_units};
  return ScaledCapacity{units.write ? provisioned.write : provisioned.read, next_decrease_ms(*throughput, now_ms)};
}

std::optional<WantedChange> wanted_change(const ScalableTarget& target, const ScaledCapacity& now,
                                          ConsumedMinutes minutes, int64_t now_ms) {
  if (now_ms < target.retry_ms) return std::nullopt;
  if (const auto change = by_bounds(target, now, now_ms)) return change;
  if (!target.policy || minutes.empty()) return std::nullopt;
  if (const auto change = by_high_alarm(target, now, minutes, now_ms)) return change;
  return by_low_alarm(target, now, minutes, now_ms);
}

bool is_within_bounds(const ScalableTarget& target, const ScaledCapacity& now) {
  return now.units >= target.min && now.units <= target.max;
}

}  // namespace partita::table
