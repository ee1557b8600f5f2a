#include "metrics/watch.h"

#include <algorithm>
#include <utility>

#include "metrics/alarm_names.h"
#include "metrics/history.h"
#include "metrics/statistic.h"
#include "wire/alarm_text.h"

namespace partita::metrics {

namespace {

constexpr int64_t kSecondsPerMinute = 60;

using Points = std::vector<std::optional<Datapoint>>;

// One for each period, the newest first.
Task<Result<Points>> points_of(storage::Engine& engine, const Alarm& alarm, int64_t minute) {
  Points points(static_cast<size_t>(alarm.rule.periods + kFurtherPeriods));
  const auto metric = metric_named(alarm.metric);
  const auto series = series_of(alarm.dimensions);
  const auto statistic = statistic_named(alarm.statistic);
  if (alarm.space != kDynamoDbSpace || !metric || !series || !statistic) co_return points;
  if (alarm.unit && *alarm.unit != row_of(*metric).unit) co_return points;
  const int64_t from = minute - static_cast<int64_t>(points.size()) * alarm.period_minutes;
  const History history(engine);
  auto read = co_await history.read(*series, *metric, from, minute);
  PARTITA_CO_TRY(const std::vector<MinuteStatistics> minutes, std::move(read));
  for (const PeriodStatistics& period : by_period(minutes, from, alarm.period_minutes)) {
    const auto index = static_cast<size_t>((period.at_ms / kMsPerMinute - from) / alarm.period_minutes);
    points[points.size() - 1 - index] = Datapoint{period.at_ms, value_of(period.statistics, *statistic)};
  }
  co_return points;
}

std::vector<std::pair<int64_t, double>> pairs_of(const std::vector<Datapoint>& points) {
  std::vector<std::pair<int64_t, double>> pairs;
  for (const auto& [at_ms, value] : points) pairs.emplace_back(at_ms, value);
  return pairs;
}

std::string_view view_of(const std::optional<std::string>& text) {
  return text ? std::string_view(*text) : std::string_view();
}

std::string reason_of(const Alarm& alarm, const Evaluation& evaluation) {
  if (evaluation.state == AlarmState::kInsufficientData) {
    return wire::insufficient_data_reason(evaluation.filled);
  }
  const bool alarms = evaluation.state == AlarmState::kAlarm;
  wire::AlarmCrossing crossing;
  crossing.alarm = alarms;
  crossing.points = pairs_of(evaluation.used);
  crossing.breaching =
      std::ranges::count_if(evaluation.used, [&](const Datapoint& point) { return breaches(alarm.rule, point.value); });
  crossing.filled = evaluation.filled;
  crossing.filled_breaching = alarm.rule.missing == MissingData::kBreaching;
  crossing.comparison = name_of(alarm.rule.comparison);
  crossing.threshold = alarm.rule.threshold;
  crossing.minimum = alarms ? alarm.rule.to_alarm : alarm.rule.periods - alarm.rule.to_alarm + 1;
  return wire::alarm_reason(crossing);
}

}  // namespace

Alarm configured(Alarm given, const Alarm* found, int64_t now_ms, std::vector<HistoryEntry>& entries) {
  given.configured_ms = now_ms;
  given.state = found == nullptr ? AlarmState::kInsufficientData : found->state;
  given.reason = found == nullptr ? std::string(wire::kAlarmUnchecked) : found->reason;
  if (found != nullptr) {
    given.reason_data = found->reason_data;
    given.tags = found->tags;
  }
  given.updated_ms = found == nullptr ? now_ms : found->updated_ms;
  given.changed_ms = found == nullptr ? now_ms : found->changed_ms;
  entries.push_back({given.name, now_ms, HistoryKind::kConfiguration,
                     wire::alarm_configured_summary(given.name, found == nullptr ? "created" : "updated"),
                     wire::alarm_configured_data(found == nullptr ? "Create" : "Update")});
  return given;
}

HistoryEntry deletion_of(const std::string& alarm, int64_t now_ms) {
  return {alarm, now_ms, HistoryKind::kConfiguration, wire::alarm_configured_summary(alarm, "deleted"),
          wire::alarm_configured_data("Delete")};
}

Alarm in_state(const Alarm& alarm, AlarmState state, std::string reason, std::optional<std::string> reason_data,
               int64_t now_ms, std::vector<HistoryEntry>& entries) {
  Alarm after = alarm;
  after.state = state;
  after.reason = std::move(reason);
  after.reason_data = std::move(reason_data);
  after.updated_ms = now_ms;
  if (state == alarm.state) return after;
  after.changed_ms = now_ms;
  const wire::AlarmStateText from{name_of(alarm.state), alarm.reason, view_of(alarm.reason_data)};
  const wire::AlarmStateText to{name_of(state), after.reason, view_of(after.reason_data)};
  entries.push_back({alarm.name, now_ms, HistoryKind::kState, wire::alarm_updated_summary(from.value, to.value),
                     wire::alarm_updated_data(from, to)});
  return after;
}

Task<Result<void>> evaluate_alarm(storage::Engine& engine, Random& random, Alarm alarm, int64_t minute, int64_t now_ms,
                                  AlarmActions actions) {
  PARTITA_CO_TRY(const Points points, co_await points_of(engine, alarm, minute));
  const Evaluation evaluation = evaluate(alarm.rule, points);
  if (!evaluation.state || *evaluation.state == alarm.state) co_return Result<void>();
  const std::string reason = reason_of(alarm, evaluation);
  const std::string data = wire::alarm_reason_data({now_ms, alarm.statistic, alarm.period_minutes * kSecondsPerMinute,
                                                    alarm.rule.threshold, pairs_of(evaluation.used)});
  const AlarmStore::Change change = [&](const Alarm* found,
                                        std::vector<HistoryEntry>& entries) -> std::optional<Alarm> {
    // Another server was first, or the alarm was configured or set meanwhile.
    if (found == nullptr || found->configured_ms != alarm.configured_ms || found->updated_ms != alarm.updated_ms) {
      return std::nullopt;
    }
    return in_state(*found, *evaluation.state, reason, data, now_ms, entries);
  };
  const AlarmStore store(engine, random, actions);
  auto changed = co_await store.change(alarm.name, change);
  if (!changed.ok()) co_return std::move(changed).error();
  co_return Result<void>();
}

Task<Result<EvaluatedPage>> evaluate_alarms(storage::Engine& engine, Random& random, std::string after, int64_t minute,
                                            int64_t now_ms, AlarmActions actions) {
  const AlarmStore store(engine, random);
  const std::string any;
  auto listed = co_await store.list(any, after, kAlarmsAtOnce);
  PARTITA_CO_TRY(const std::vector<Alarm> alarms, std::move(listed));
  EvaluatedPage page;
  for (const Alarm& alarm : alarms) {
    auto done = co_await evaluate_alarm(engine, random, alarm, minute, now_ms, actions);
    if (!done.ok() && page.outcome.ok()) page.outcome = std::move(done);
  }
  if (alarms.size() == kAlarmsAtOnce) page.last = alarms.back().name;
  co_return page;
}

}  // namespace partita::metrics
