// The calls on alarms, without PutMetricAlarm.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "cloudwatch/alarm_document.h"
#include "cloudwatch/calls.h"
#include "cloudwatch/metric_name.h"
#include "metrics/alarm_names.h"
#include "metrics/watch.h"
#include "model/fault.h"
#include "wire/alarm_text.h"
#include "wire/json_reader.h"

namespace partita::cloudwatch {

namespace {

using metrics::Alarm;
using metrics::AlarmStore;
using metrics::HistoryEntry;
using metrics::HistoryKind;
using model::Fault;
using wire::Document;

constexpr int64_t kMostRecords = 100;
constexpr int64_t kUsualRecords = 50;
constexpr size_t kMostReason = 1'023;
constexpr size_t kMostReasonData = 4'000;
constexpr std::string_view kMetricAlarms = "MetricAlarm";
constexpr std::array<std::string_view, 2> kAlarmTypes = {"CompositeAlarm", kMetricAlarms};

// Whether the list of types leaves metric alarms out. There are no composite ones.
Result<bool> excludes_metric_alarms(const Parameters& in) {
  PARTITA_TRY(const auto types, in.texts("AlarmTypes", kAlarmTypes.size()));
  for (const std::string& type : types) {
    if (std::ranges::find(kAlarmTypes, type) == kAlarmTypes.end()) {
      return invalid("AlarmTypes", "must have MetricAlarm or CompositeAlarm");
    }
  }
  return !types.empty() && std::ranges::find(types, kMetricAlarms) == types.end();
}

Result<std::vector<std::string>> needed_names(const Parameters& in) {
  PARTITA_TRY(auto names, in.texts("AlarmNames", kMostAlarmNames));
  if (names.empty()) return model::refuse(Fault::kMonitorMissing, {"AlarmNames"});
  return names;
}

// --- DescribeAlarms

struct DescribeRequest {
  std::vector<std::string> names;
  std::string prefix;
  std::optional<metrics::AlarmState> state;
  std::string action_prefix;
  bool none = false;
  size_t most = 0;
  std::string after;
};

Result<DescribeRequest> decode_describe(const Parameters& in) {
  PARTITA_TRY_VOID(in.refuse({"ChildrenOfAlarmName", "ParentsOfAlarmName"}));
  DescribeRequest request;
  PARTITA_TRY(request.names, in.texts("AlarmNames", kMostAlarmNames));
  PARTITA_TRY(const auto prefix, in.text("AlarmNamePrefix", 1, kMostAlarmName));
  if (prefix && !request.names.empty()) {
    return model::refuse(Fault::kMonitorCombination, {"AlarmNames and AlarmNamePrefix exclude each other."});
  }
  request.prefix = prefix.value_or("");
  PARTITA_TRY(const auto state, in.word("StateValue", metrics::kStateNames));
  if (state) request.state = metrics::named<metrics::AlarmState>(metrics::kStateNames, *state);
  PARTITA_TRY(const auto action, in.text("ActionPrefix", 1, kMostDimensionValue));
  request.action_prefix = action.value_or("");
  PARTITA_TRY(request.none, excludes_metric_alarms(in));
  PARTITA_TRY(const auto most, in.whole("MaxRecords", 1, kMostRecords));
  request.most = static_cast<size_t>(most.value_or(request.names.empty() ? kUsualRecords : kMostRecords));
  PARTITA_TRY(const auto position, position_in(in));
  request.after = position.value_or("");
  return request;
}

bool is_wanted(const CallContext& context, const DescribeRequest& request, const Alarm& alarm) {
  if (request.state && alarm.state != *request.state) return false;
  if (!request.names.empty() && std::ranges::find(request.names, alarm.name) == request.names.end()) return false;
  if (request.action_prefix.empty()) return true;
  const auto begins = [&](const std::string& action) { return action.starts_with(request.action_prefix); };
  return std::ranges::any_of(alarm.ok_actions, begins) ||
         std::ranges::any_of(actions_on_alarm(context, alarm), begins) ||
         std::ranges::any_of(alarm.insufficient_data_actions, begins);
}

// --- DescribeAlarmHistory

struct HistoryRequest {
  metrics::HistoryPart part;
  bool none = false;
};

Result<HistoryRequest> decode_history(const Parameters& in) {
  constexpr std::array<std::string_view, 5> kKinds = {"ConfigurationUpdate", "StateUpdate", "Action",
                                                      "AlarmContributorStateUpdate", "AlarmContributorAction"};
  constexpr std::array<std::string_view, 2> kOrders = {"TimestampDescending", "TimestampAscending"};
  PARTITA_TRY_VOID(in.refuse({"AlarmContributorId"}));
  HistoryRequest request;
  PARTITA_TRY(const auto alarm, in.text("AlarmName", 1, kMostAlarmName));
  metrics::HistoryPart& part = request.part;
  part.alarm = alarm.value_or("");
  PARTITA_TRY(const auto kind, in.word("HistoryItemType", kKinds));
  if (kind == kKinds[0]) part.kind = HistoryKind::kConfiguration;
  if (kind == kKinds[1]) part.kind = HistoryKind::kState;
  if (kind == kKinds[2]) part.kind = HistoryKind::kAction;
  PARTITA_TRY(const bool excluded, excludes_metric_alarms(in));
  request.none = excluded || (kind && !part.kind);  // there are no entries of the other kinds
  PARTITA_TRY(const auto from, in.time("StartDate"));
  PARTITA_TRY(const auto to, in.time("EndDate"));
  part.from_ms = from.value_or(0);
  part.to_ms = to.value_or(INT64_MAX);
  PARTITA_TRY(const auto order, in.word("ScanBy", kOrders));
  part.newest_first = order != kOrders[1];
  PARTITA_TRY(const auto most, in.whole("MaxRecords", 1, kMostRecords));
  part.most = static_cast<size_t>(most.value_or(kMostRecords));
  PARTITA_TRY(const auto position, position_in(in));
  if (!position) return request;
  const auto [end, error] = std::from_chars(position->data(), position->data() + position->size(), part.skipped);
  if (error != std::errc() || end != position->data() + position->size()) {
    return model::refuse(Fault::kMonitorNextToken);
  }
  return request;
}

std::string_view type_of(HistoryKind kind) {
  if (kind == HistoryKind::kAction) return "Action";
  return kind == HistoryKind::kState ? "StateUpdate" : "ConfigurationUpdate";
}

Document document_of_entry(const HistoryEntry& entry) {
  return Document::Map{{"AlarmName", entry.alarm},
                       {"AlarmType", kMetricAlarms},
                       {"Timestamp", Document::Time{entry.at_ms}},
                       {"HistoryItemType", type_of(entry.kind)},
                       {"HistorySummary", entry.summary},
                       {"HistoryData", entry.data}};
}

Task<Result<Document>> set_actions(const CallContext& context, Parameters in, bool enabled) {
  PARTITA_CO_TRY(const std::vector<std::string> names, needed_names(in));
  const int64_t now_ms = context.clock.now_ms();
  const AlarmStore store(context.engine, context.random);
  for (const std::string& name : names) {
    const AlarmStore::Change change = [&](const Alarm* found,
                                          std::vector<HistoryEntry>& entries) -> std::optional<Alarm> {
      if (found == nullptr || found->actions_enabled == enabled) return std::nullopt;
      Alarm after = *found;
      after.actions_enabled = enabled;
      after.configured_ms = now_ms;
      entries.push_back({name, now_ms, HistoryKind::kConfiguration, wire::alarm_configured_summary(name, "updated"),
                         wire::alarm_configured_data("Update")});
      return after;
    };
    auto changed = co_await store.change(name, change);
    if (!changed.ok()) co_return std::move(changed).error();
  }
  co_return Document(Document::Map{});
}

}  // namespace

Task<Result<Document>> describe_alarms(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const DescribeRequest request, decode_describe(in));
  const AlarmStore store(context.engine, context.random);
  Document::List listed;
  std::string after = request.after;
  std::string next;
  for (bool more = !request.none; more && next.empty();) {
    auto read = co_await store.list(request.prefix, after, metrics::kAlarmsAtOnce);
    PARTITA_CO_TRY(const std::vector<Alarm> alarms, std::move(read));
    more = alarms.size() == metrics::kAlarmsAtOnce;
    for (const Alarm& alarm : alarms) {
      if (!is_wanted(context, request, alarm)) continue;
      if (listed.size() == request.most) {
        next = after;
        break;
      }
      listed.push_back(document_of(context, alarm));
      after = alarm.name;
    }
    if (next.empty() && more) after = alarms.back().name;
  }
  Document reply = Document::Map{{"MetricAlarms", std::move(listed)}, {"CompositeAlarms", Document::List{}}};
  if (!next.empty()) reply.set("NextToken", token_of(next));
  co_return reply;
}

Task<Result<Document>> describe_alarms_for_metric(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const MetricName name, metric_name_in(in));
  PARTITA_CO_TRY(const auto statistic, in.text("Statistic", 1, kMostName));
  PARTITA_CO_TRY(const auto extended, in.text("ExtendedStatistic", 1, kMostName));
  PARTITA_CO_TRY(const auto period_s, in.whole("Period", 1, kMostPeriod));
  PARTITA_CO_TRY(const auto unit, in.text("Unit", 1, kMostName));
  const auto has_statistic = [&](const Alarm& alarm) {
    const auto& wanted = statistic ? statistic : extended;
    return !wanted || *wanted == alarm.statistic;
  };
  const AlarmStore store(context.engine, context.random);
  Document::List listed;
  const std::string any;
  std::string after;
  for (bool more = true; more;) {
    auto read = co_await store.list(any, after, metrics::kAlarmsAtOnce);
    PARTITA_CO_TRY(const std::vector<Alarm> alarms, std::move(read));
    for (const Alarm& alarm : alarms) {
      const bool same = alarm.space == name.space && alarm.metric == name.metric &&
                        std::ranges::is_permutation(alarm.dimensions, name.dimensions) && has_statistic(alarm) &&
                        (!period_s || *period_s == alarm.period_minutes * kSecondsPerMinute) &&
                        (!unit || unit == alarm.unit);
      if (same) listed.push_back(document_of(context, alarm));
      after = alarm.name;
    }
    more = alarms.size() == metrics::kAlarmsAtOnce;
  }
  co_return Document(Document::Map{{"MetricAlarms", std::move(listed)}});
}

// If one does not exist, none is deleted.
Task<Result<Document>> delete_alarms(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const std::vector<std::string> names, needed_names(in));
  const AlarmStore store(context.engine, context.random);
  for (const std::string& name : names) {
    PARTITA_CO_TRY(const auto found, co_await store.find(name));
    if (!found) co_return model::refuse(Fault::kMonitorNoAlarm, {name});
  }
  for (const std::string& name : names) {
    auto erased = co_await store.erase(name, metrics::deletion_of(name, context.clock.now_ms()));
    if (!erased.ok()) co_return std::move(erased).error();
  }
  co_return Document(Document::Map{});
}

Task<Result<Document>> enable_alarm_actions(const CallContext& context, Parameters in) {
  return set_actions(context, in, true);
}

Task<Result<Document>> disable_alarm_actions(const CallContext& context, Parameters in) {
  return set_actions(context, in, false);
}

Task<Result<Document>> set_alarm_state(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const std::string name, in.needed_text("AlarmName", 1, kMostAlarmName));
  PARTITA_CO_TRY(const auto word, in.word("StateValue", metrics::kStateNames));
  if (!word) co_return model::refuse(Fault::kMonitorMissing, {"StateValue"});
  PARTITA_CO_TRY(const std::string reason, in.needed_text("StateReason", 0, kMostReason));
  PARTITA_CO_TRY(const auto data, in.text("StateReasonData", 0, kMostReasonData));
  if (data && !wire::JsonDocument::parse(*data).ok()) {
    co_return model::refuse(Fault::kMonitorNoJson, {"StateReasonData"});
  }
  const auto state = *metrics::named<metrics::AlarmState>(metrics::kStateNames, *word);
  const int64_t now_ms = context.clock.now_ms();
  const AlarmStore::Change change = [&](const Alarm* found,
                                        std::vector<HistoryEntry>& entries) -> std::optional<Alarm> {
    if (found == nullptr) return std::nullopt;
    return metrics::in_state(*found, state, reason, data, now_ms, entries);
  };
  const AlarmStore store(context.engine, context.random, context.actions);
  PARTITA_CO_TRY(const bool changed, co_await store.change(name, change));
  if (!changed) co_return model::refuse(Fault::kMonitorNoAlarm, {name});
  co_return Document(Document::Map{});
}

Task<Result<Document>> describe_alarm_history(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const HistoryRequest request, decode_history(in));
  metrics::HistoryPage page;
  if (!request.none) {
    const AlarmStore store(context.engine, context.random);
    auto read = co_await store.history(request.part);
    PARTITA_CO_TRY(page, std::move(read));
  }
  Document::List listed;
  for (const HistoryEntry& entry : page.entries) listed.push_back(document_of_entry(entry));
  Document reply = Document::Map{{"AlarmHistoryItems", std::move(listed)}};
  if (page.more) reply.set("NextToken", token_of(std::to_string(request.part.skipped + request.part.most)));
  co_return reply;
}

}  // namespace partita::cloudwatch
