#include "cloudwatch/calls.h"

#include <algorithm>
#include <array>

#include "wire/alarm_notice.h"

namespace partita::cloudwatch {

namespace {

// clang-format off
constexpr std::array kCalls = {
    CallRow{"DeleteAlarms", "cloudwatch:DeleteAlarms", About::kAlarms, true, delete_alarms},
    CallRow{"DescribeAlarmHistory", "cloudwatch:DescribeAlarmHistory", About::kAlarms, false, describe_alarm_history},
    CallRow{"DescribeAlarms", "cloudwatch:DescribeAlarms", About::kAlarms, false, describe_alarms},
    CallRow{"DescribeAlarmsForMetric", "cloudwatch:DescribeAlarmsForMetric", About::kEverything, false, describe_alarms_for_metric},
    CallRow{"DescribeInsightRules", "cloudwatch:DescribeInsightRules", About::kRules, false, describe_insight_rules},
    CallRow{"DisableAlarmActions", "cloudwatch:DisableAlarmActions", About::kAlarms, true, disable_alarm_actions},
    CallRow{"EnableAlarmActions", "cloudwatch:EnableAlarmActions", About::kAlarms, true, enable_alarm_actions},
    CallRow{"GetInsightRuleReport", "cloudwatch:GetInsightRuleReport", About::kRule, false, get_insight_rule_report},
    CallRow{"GetMetricData", "cloudwatch:GetMetricData", About::kEverything, false, get_metric_data},
    CallRow{"GetMetricStatistics", "cloudwatch:GetMetricStatistics", About::kEverything, false, get_metric_statistics},
    CallRow{"ListMetrics", "cloudwatch:ListMetrics", About::kEverything, false, list_metrics},
    CallRow{"ListTagsForResource", "cloudwatch:ListTagsForResource", About::kTagged, false, list_tags_for_resource},
    CallRow{"PutMetricAlarm", "cloudwatch:PutMetricAlarm", About::kAlarms, true, put_metric_alarm},
    CallRow{"SetAlarmState", "cloudwatch:SetAlarmState", About::kAlarms, true, set_alarm_state},
    CallRow{"TagResource", "cloudwatch:TagResource", About::kTagged, true, tag_resource},
    CallRow{"UntagResource", "cloudwatch:UntagResource", About::kTagged, true, untag_resource},
};
// clang-format on
static_assert(std::ranges::is_sorted(kCalls, {}, &CallRow::name));

constexpr size_t kMostNames = 100;

}  // namespace

std::span<const CallRow> calls() { return kCalls; }

const CallRow* find_call(std::string_view name) {
  const auto* const found = std::ranges::find(kCalls, name, &CallRow::name);
  return found == kCalls.end() ? nullptr : found;
}

std::string alarm_arn(std::string_view region, std::string_view account, std::string_view alarm) {
  return wire::alarm_arn(region, account, alarm);
}

std::string rule_arn(std::string_view region, std::string_view account, std::string_view rule) {
  std::string arn = "arn:aws:cloudwatch:";
  return arn.append(region).append(":").append(account).append(":insight-rule/").append(rule);
}

Result<std::vector<std::string>> resources_of(const CallRow& call, const CallContext& context,
                                              const wire::Document& parameters) {
  std::vector<std::string> names;
  if (call.about == About::kRule) {
    PARTITA_TRY(const auto name, Parameters(parameters, call.name).text("RuleName", 0, SIZE_MAX));
    return std::vector<std::string>{rule_arn(context.region, context.account, name.value_or("*"))};
  }
  if (call.about == About::kTagged) {
    PARTITA_TRY(const auto arn, Parameters(parameters, call.name).text("ResourceARN", 0, SIZE_MAX));
    return std::vector<std::string>{arn.value_or("*")};
  }
  if (call.about == About::kAlarms) {
    const Parameters in(parameters, call.name);
    PARTITA_TRY(names, in.texts("AlarmNames", kMostNames));
    PARTITA_TRY(const auto name, in.text("AlarmName", 0, SIZE_MAX));
    if (name) names.push_back(*name);
  }
  if (names.empty()) return std::vector<std::string>{"*"};
  for (std::string& name : names) name = alarm_arn(context.region, context.account, name);
  return names;
}

}  // namespace partita::cloudwatch
