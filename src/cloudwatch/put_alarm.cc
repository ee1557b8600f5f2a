// PutMetricAlarm, and alarms as they are written in requests and replies.
#include <array>
#include <cstddef>
#include <utility>

#include "cloudwatch/alarm_document.h"
#include "cloudwatch/calls.h"
#include "cloudwatch/metric_name.h"
#include "cloudwatch/tags.h"
#include "metrics/alarm_names.h"
#include "metrics/scaling_alarms.h"
#include "metrics/watch.h"
#include "model/fault.h"
#include "wire/alarm_text.h"

namespace partita::cloudwatch {

namespace {

using metrics::Alarm;
using metrics::kMsPerMinute;
using model::Fault;
using wire::Document;

constexpr size_t kMostActions = 5;
constexpr size_t kMostActionName = 1'024;
constexpr size_t kMostDescription = 1'024;
constexpr int64_t kMostPeriods = 1'440;
constexpr int64_t kMinutesOfDay = 1'440;
constexpr size_t kMostAlarms = 5'000;  // "CloudWatch service quotas": in a region

Result<std::vector<std::string>> actions_in(const Parameters& in, std::string_view name) {
  PARTITA_TRY(auto actions, in.texts(name, kMostActions));
  for (const std::string& action : actions) {
    if (action.empty() || action.size() > kMostActionName)
      return invalid(name, "must have ARNs of up to 1024 characters");
  }
  return actions;
}

Result<std::string> statistic_of_alarm(const Parameters& in) {
  constexpr std::array<std::string_view, 5> kStatistics = {"SampleCount", "Average", "Sum", "Minimum", "Maximum"};
  PARTITA_TRY(const auto plain, in.word("Statistic", kStatistics));
  PARTITA_TRY(const auto extended, in.text("ExtendedStatistic", 1, kMostName));
  if (plain && extended) {
    return model::refuse(Fault::kMonitorCombination, {"Statistic and ExtendedStatistic exclude each other."});
  }
  if (plain) return *plain;
  if (!extended) return model::refuse(Fault::kMonitorMissing, {"Statistic"});
  PARTITA_TRY(const auto statistic, statistic_in("ExtendedStatistic", *extended));
  if (statistic.kind != metrics::Statistic::Kind::kQuantile)
    return invalid("ExtendedStatistic", "must be a percentile");
  return *extended;
}

Result<void> decode_rule(const Parameters& in, Alarm& alarm) {
  metrics::AlarmRule& rule = alarm.rule;
  PARTITA_TRY(rule.periods, in.needed_whole("EvaluationPeriods", 1, kMostPeriods));
  PARTITA_TRY(const auto to_alarm, in.whole("DatapointsToAlarm", 1, rule.periods));
  rule.to_alarm = to_alarm.value_or(rule.periods);
  alarm.says_to_alarm = to_alarm.has_value();
  PARTITA_TRY(const auto threshold, in.number("Threshold"));
  if (!threshold) return model::refuse(Fault::kMonitorMissing, {"Threshold"});
  rule.threshold = *threshold;
  PARTITA_TRY(const auto comparison, in.word("ComparisonOperator", metrics::kComparisonNames));
  if (!comparison) return model::refuse(Fault::kMonitorMissing, {"ComparisonOperator"});
  rule.comparison = *metrics::named<metrics::Comparison>(metrics::kComparisonNames, *comparison);
  PARTITA_TRY(const auto missing, in.word("TreatMissingData", metrics::kMissingNames));
  alarm.says_missing = missing.has_value();
  if (missing) rule.missing = *metrics::named<metrics::MissingData>(metrics::kMissingNames, *missing);
  if (rule.periods * alarm.period_minutes > kMinutesOfDay) {
    return model::refuse(Fault::kMonitorCombination, {"EvaluationPeriods times Period must be at most 86400 seconds."});
  }
  return {};
}

bool is_alarm_name(std::string_view name) {
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return true;
}

Document texts_of(const std::vector<std::string>& all) {
  Document::List list;
  for (const std::string& one : all) list.emplace_back(one);
  return list;
}

Document text_or_null(const std::optional<std::string>& text) { return text ? Document(*text) : Document(); }

std::string policy_arn(const CallContext& context, const metrics::ScalingOwner& policy) {
  return metrics::policy_arn(context.region, context.account, policy);
}

std::optional<std::string> description_of(const CallContext& context, const Alarm& alarm) {
  if (!alarm.policy) return alarm.description;
  return wire::scaling_alarm_description(policy_arn(context, *alarm.policy));
}

}  // namespace

std::vector<std::string> actions_on_alarm(const CallContext& context, const Alarm& alarm) {
  if (alarm.policy) return {policy_arn(context, *alarm.policy)};
  return alarm.alarm_actions;
}

std::string_view statistic_member(std::string_view statistic) {
  return statistic.starts_with('p') ? "ExtendedStatistic" : "Statistic";
}

Result<Alarm> decode_alarm(const Parameters& in) {
  PARTITA_TRY_VOID(in.refuse({"Metrics", "ThresholdMetricId", "EvaluateLowSampleCountPercentile", "EvaluationCriteria",
                              "EvaluationInterval"}));
  Alarm alarm;
  PARTITA_TRY(alarm.name, in.needed_text("AlarmName", 1, kMostAlarmName));
  if (!is_alarm_name(alarm.name)) return invalid("AlarmName", "must not have control characters");
  PARTITA_TRY(alarm.description, in.text("AlarmDescription", 0, kMostDescription));
  PARTITA_TRY(const auto enabled, in.flag("ActionsEnabled"));
  alarm.actions_enabled = enabled.value_or(true);
  PARTITA_TRY(alarm.ok_actions, actions_in(in, "OKActions"));
  PARTITA_TRY(alarm.alarm_actions, actions_in(in, "AlarmActions"));
  PARTITA_TRY(alarm.insufficient_data_actions, actions_in(in, "InsufficientDataActions"));
  PARTITA_TRY(MetricName name, metric_name_in(in));
  alarm.space = std::move(name.space);
  alarm.metric = std::move(name.metric);
  alarm.dimensions = std::move(name.dimensions);
  PARTITA_TRY(alarm.statistic, statistic_of_alarm(in));
  PARTITA_TRY(alarm.period_minutes, period_in(in));
  PARTITA_TRY(alarm.unit, in.text("Unit", 1, kMostName));
  PARTITA_TRY_VOID(decode_rule(in, alarm));
  PARTITA_TRY(alarm.tags, tags_in(in));
  return alarm;
}

Document document_of(const CallContext& context, const Alarm& alarm) {
  Document out = Document::Map{
      {"AlarmName", alarm.name},
      {"AlarmArn", alarm_arn(context.region, context.account, alarm.name)},
      {"AlarmDescription", text_or_null(description_of(context, alarm))},
      {"AlarmConfigurationUpdatedTimestamp", Document::Time{alarm.configured_ms}},
      {"ActionsEnabled", alarm.actions_enabled},
      {"OKActions", texts_of(alarm.ok_actions)},
      {"AlarmActions", texts_of(actions_on_alarm(context, alarm))},
      {"InsufficientDataActions", texts_of(alarm.insufficient_data_actions)},
      {"StateValue", metrics::name_of(alarm.state)},
      {"StateReason", alarm.reason},
      {"StateReasonData", text_or_null(alarm.reason_data)},
      {"StateUpdatedTimestamp", Document::Time{alarm.updated_ms}},
      {"MetricName", alarm.metric},
      {"Namespace", alarm.space},
      {std::string(statistic_member(alarm.statistic)), alarm.statistic},
      {"Dimensions", document_of(alarm.dimensions)},
      {"Period", alarm.period_minutes * kSecondsPerMinute},
      {"Unit", text_or_null(alarm.unit)},
      {"EvaluationPeriods", alarm.rule.periods},
      {"Threshold", alarm.rule.threshold},
      {"ComparisonOperator", metrics::name_of(alarm.rule.comparison)},
      {"StateTransitionedTimestamp", Document::Time{alarm.changed_ms}},
  };
  if (alarm.says_to_alarm) out.set("DatapointsToAlarm", alarm.rule.to_alarm);
  if (alarm.says_missing) out.set("TreatMissingData", metrics::name_of(alarm.rule.missing));
  return out;
}

Task<Result<Document>> put_metric_alarm(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const Alarm given, decode_alarm(in));
  const metrics::AlarmStore store(context.engine, context.random);
  PARTITA_CO_TRY(const auto before, co_await store.find(given.name));
  if (!before) {
    const std::string any;
    auto listed = co_await store.list(any, any, kMostAlarms);
    PARTITA_CO_TRY(const auto all, std::move(listed));
    if (all.size() == kMostAlarms) {
      co_return model::refuse(Fault::kMonitorTooMany, {"alarms", std::to_string(kMostAlarms)});
    }
  }
  const int64_t now_ms = context.clock.now_ms();
  Alarm stored;
  const metrics::AlarmStore::Change change = [&](const Alarm* found, std::vector<metrics::HistoryEntry>& entries) {
    stored = metrics::configured(given, found, now_ms, entries);
    stored.region = context.region;
    stored.account = context.account;
    return std::optional<Alarm>(stored);
  };
  auto changed = co_await store.change(given.name, change);
  if (!changed.ok()) co_return std::move(changed).error();
  // As soon as it exists, instead of at the next minute.
  PARTITA_CO_TRY_VOID(co_await metrics::evaluate_alarm(context.engine, context.random, stored, now_ms / kMsPerMinute,
                                                       now_ms, context.actions));
  co_return Document(Document::Map{});
}

}  // namespace partita::cloudwatch
