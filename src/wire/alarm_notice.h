// What a CloudWatch alarm sends for an action, in the form in which SNS delivers it to an HTTP subscriber, and what the
// alarm's history says of it. Sources: "HTTP/HTTPS notification JSON format" of SNS's developer guide, and messages of
// alarms as their receivers published them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::wire {

// An alarm in its new state. Outlived by what it views.
struct AlarmNoticeText {
  std::string_view name;
  std::optional<std::string_view> description;
  std::string_view region;   // "eu-west-1"
  std::string_view account;  // twelve digits
  int64_t configured_ms = 0;
  int64_t changed_ms = 0;
  std::string_view state;  // "ALARM"
  std::string_view reason;
  std::string_view old_state;
  const std::vector<std::string>& ok_actions;
  const std::vector<std::string>& alarm_actions;
  const std::vector<std::string>& insufficient_data_actions;

  std::string_view metric;
  std::string_view space;
  std::string_view statistic;  // "Sum", "p99"
  std::optional<std::string_view> unit;
  std::vector<std::pair<std::string_view, std::string_view>> dimensions;
  int64_t period_s = 0;
  int64_t periods = 0;
  std::optional<int64_t> to_alarm;
  std::string_view comparison;  // "GreaterThanThreshold"
  double threshold = 0;
  std::string_view missing;  // "notBreaching"
};

std::string alarm_arn(std::string_view region, std::string_view account, std::string_view alarm);

// "EU (Ireland)"; of a region that is not known, its code.
std::string_view region_name(std::string_view region);

// SNS's limit of a subject, in characters; a longer name of an alarm is cut.
inline constexpr size_t kMostSubject = 100;
std::string alarm_notice_subject(const AlarmNoticeText& alarm);
std::string alarm_notice_message(const AlarmNoticeText& alarm);  // JSON

// The body of a request and its headers, without a signature.
struct SnsNotification {
  std::string_view id;     // a UUID; the same when it is sent again
  std::string_view topic;  // an ARN
  std::string_view subject;
  std::string_view message;
  int64_t at_ms = 0;
};
std::string sns_body(const SnsNotification& notification);
std::vector<std::pair<std::string, std::string>> sns_headers(const SnsNotification& notification);

// History of an action. `error`: absent if it was carried out.
struct AlarmActionText {
  std::string_view action;  // an ARN
  int64_t changed_ms = 0;   // the change of state
  std::string_view message;
  std::optional<std::string_view> error;
};
std::string alarm_action_summary(const AlarmActionText& action);
std::string alarm_action_data(const AlarmActionText& action);  // JSON

}  // namespace partita::wire
