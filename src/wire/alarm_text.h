// CloudWatch's texts about the state of alarms, as DescribeAlarms and DescribeAlarmHistory show them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::wire {

inline constexpr std::string_view kAlarmUnchecked = "Unchecked: Initial alarm creation";

struct AlarmCrossing {
  bool alarm = false;                              // the new state is ALARM, otherwise OK
  int64_t breaching = 0;                           // datapoints beyond the threshold
  std::vector<std::pair<int64_t, double>> points;  // time in ms since 1970, value; the newest first
  int64_t filled = 0;                              // datapoints that were missing
  bool filled_breaching = false;                   // what they count as
  std::string_view comparison;                     // "GreaterThanThreshold"
  double threshold = 0;
  int64_t minimum = 1;  // datapoints that the change needs
};
std::string alarm_reason(const AlarmCrossing& crossing);
std::string insufficient_data_reason(int64_t missing);

// Of an alarm that belongs to a policy of auto scaling.
std::string scaling_alarm_description(std::string_view policy_arn);

// "99.0": as AWS's Java writes a double of ordinary size.
std::string java_double(double value);
// "2026-11-26T15:04:00.000+0000": a time in ms since 1970, the same way.
std::string java_time(int64_t ms);

// Summaries and data of history. `data` is JSON.
std::string alarm_updated_summary(std::string_view from, std::string_view to);
std::string alarm_configured_summary(std::string_view alarm, std::string_view what);  // "created", "updated", "deleted"

struct AlarmStateText {
  std::string_view value;  // "OK"
  std::string_view reason;
  std::string_view reason_data;  // JSON, or empty
};
std::string alarm_updated_data(const AlarmStateText& from, const AlarmStateText& to);
std::string alarm_configured_data(std::string_view type);  // "Create"

struct AlarmReasonData {
  int64_t now_ms = 0;
  std::string_view statistic;
  int64_t period_s = 0;
  double threshold = 0;
  std::vector<std::pair<int64_t, double>> points;  // the newest first
};
std::string alarm_reason_data(const AlarmReasonData& data);

}  // namespace partita::wire
