#include "wire/alarm_notice.h"

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "wire/alarm_text.h"
#include "wire/json_writer.h"

namespace partita::wire {

namespace {

struct NamedRegion {
  std::string_view code;
  std::string_view name;
};

// As CloudWatch writes them in messages: in ASCII, and "EU" for the older regions of Europe.
constexpr std::array kRegionNames = {
    NamedRegion{"af-south-1", "Africa (Cape Town)"},
    NamedRegion{"ap-east-1", "Asia Pacific (Hong Kong)"},
    NamedRegion{"ap-northeast-1", "Asia Pacific (Tokyo)"},
    NamedRegion{"ap-northeast-2", "Asia Pacific (Seoul)"},
    NamedRegion{"ap-northeast-3", "Asia Pacific (Osaka)"},
    NamedRegion{"ap-south-1", "Asia Pacific (Mumbai)"},
    NamedRegion{"ap-south-2", "Asia Pacific (Hyderabad)"},
    NamedRegion{"ap-southeast-1", "Asia Pacific (Singapore)"},
    NamedRegion{"ap-southeast-2", "Asia Pacific (Sydney)"},
    NamedRegion{"ap-southeast-3", "Asia Pacific (Jakarta)"},
    NamedRegion{"ap-southeast-4", "Asia Pacific (Melbourne)"},
    NamedRegion{"ap-southeast-5", "Asia Pacific (Malaysia)"},
    NamedRegion{"ap-southeast-7", "Asia Pacific (Thailand)"},
    NamedRegion{"ca-central-1", "Canada (Central)"},
    NamedRegion{"ca-west-1", "Canada West (Calgary)"},
    NamedRegion{"cn-north-1", "China (Beijing)"},
    NamedRegion{"cn-northwest-1", "China (Ningxia)"},
    NamedRegion{"eu-central-1", "EU (Frankfurt)"},
    NamedRegion{"eu-central-2", "Europe (Zurich)"},
    NamedRegion{"eu-north-1", "EU (Stockholm)"},
    NamedRegion{"eu-south-1", "EU (Milan)"},
    NamedRegion{"eu-south-2", "Europe (Spain)"},
    NamedRegion{"eu-west-1", "EU (Ireland)"},
    NamedRegion{"eu-west-2", "EU (London)"},
    NamedRegion{"eu-west-3", "EU (Paris)"},
    NamedRegion{"il-central-1", "Israel (Tel Aviv)"},
    NamedRegion{"me-central-1", "Middle East (UAE)"},
    NamedRegion{"me-south-1", "Middle East (Bahrain)"},
    NamedRegion{"mx-central-1", "Mexico (Central)"},
    NamedRegion{"sa-east-1", "South America (Sao Paulo)"},
    NamedRegion{"us-east-1", "US East (N. Virginia)"},
    NamedRegion{"us-east-2", "US East (Ohio)"},
    NamedRegion{"us-gov-east-1", "AWS GovCloud (US-East)"},
    NamedRegion{"us-gov-west-1", "AWS GovCloud (US-West)"},
    NamedRegion{"us-west-1", "US West (N. California)"},
    NamedRegion{"us-west-2", "US West (Oregon)"},
};
static_assert(std::ranges::is_sorted(kRegionNames, {}, &NamedRegion::code));

// "API_AlarmHistoryItem": HistoryData has at most so many characters.
constexpr size_t kMostHistoryData = 4'095;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The first characters of UTF-8, at most so many.
std::string_view first_characters(std::string_view text, size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && count++ == most) return text.substr(0, i);
  }
  return text;
}

// "SAMPLE_COUNT" of "SampleCount".
std::string upper_snake(std::string_view camel) {
  std::string out;
  for (const char c : camel) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !out.empty()) out += '_';
    out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out;
}

void text_or_null(JsonWriter& json, std::string_view name, const std::optional<std::string_view>& text) {
  json.key(name);
  if (text) {
    json.string(*text);
  } else {
    json.null();
  }
}

void texts_in(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.begin_array(name);
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

void write_trigger(JsonWriter& json, const AlarmNoticeText& alarm) {
  const bool extended = alarm.statistic.starts_with('p');
  json.begin_object("Trigger");
  json.member("MetricName", alarm.metric);
  json.member("Namespace", alarm.space);
  json.member("StatisticType", extended ? "ExtendedStatistic" : "Statistic");
  if (extended) {
    json.member("ExtendedStatistic", alarm.statistic);
  } else {
    json.member("Statistic", upper_snake(alarm.statistic));
  }
  text_or_null(json, "Unit", alarm.unit);
  json.begin_array("Dimensions");
  for (const auto& [name, value] : alarm.dimensions) {
    json.begin_object();
    json.member("value", value);
    json.member("name", name);
    json.end_object();
  }
  json.end_array();
  json.member("Period", alarm.period_s);
  json.member("EvaluationPeriods", alarm.periods);
  if (alarm.to_alarm) json.member("DatapointsToAlarm", *alarm.to_alarm);
  json.member("ComparisonOperator", alarm.comparison);
  json.member("Threshold", alarm.threshold);
  json.member("TreatMissingData", alarm.missing);
  json.member("EvaluateLowSampleCountPercentile", "");
  json.end_object();
}

// A header has one line, whatever the name is that an action was given.
std::string header_value(std::string_view text) {
  std::string value(text);
  std::ranges::replace_if(value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return value;
}

std::string action_data(const AlarmActionText& action, bool with_message) {
  JsonWriter json;
  json.begin_object();
  json.member("actionState", action.error ? "Failed" : "Succeeded");
  json.member("stateUpdateTimestamp", action.changed_ms);
  json.member("notificationResource", action.action);
  if (with_message) {
    JsonWriter published;
    published.begin_object();
    published.member("default", action.message);
    published.end_object();
    json.member("publishedMessage", std::move(published).take());
  }
  text_or_null(json, "error", action.error);
  json.end_object();
  return std::move(json).take();
}

}  // namespace

std::string alarm_arn(std::string_view region, std::string_view account, std::string_view alarm) {
  std::string arn = "arn:aws:cloudwatch:";
  return arn.append(region).append(":").append(account).append(":alarm:").append(alarm);
}

std::string_view region_name(std::string_view region) {
  const auto* const found = std::ranges::lower_bound(kRegionNames, region, {}, &NamedRegion::code);
  return found != kRegionNames.end() && found->code == region ? found->name : region;
}

std::string alarm_notice_subject(const AlarmNoticeText& alarm) {
  constexpr std::string_view kCut = "...";
  const std::string before = std::string(alarm.state) + ": \"";
  const std::string after = "\" in " + std::string(region_name(alarm.region));
  const size_t used = before.size() + after.size();
  const size_t most = kMostSubject - std::min(used, kMostSubject);
  if (first_characters(alarm.name, most).size() == alarm.name.size()) return before + std::string(alarm.name) + after;
  const size_t shown = most - std::min(most, kCut.size());
  return before + std::string(first_characters(alarm.name, shown)) + std::string(kCut) + after;
}

std::string alarm_notice_message(const AlarmNoticeText& alarm) {
  JsonWriter json;
  json.begin_object();
  json.member("AlarmName", alarm.name);
  text_or_null(json, "AlarmDescription", alarm.description);
  json.member("AWSAccountId", alarm.account);
  json.member("AlarmConfigurationUpdatedTimestamp", java_time(alarm.configured_ms));
  json.member("NewStateValue", alarm.state);
  json.member("NewStateReason", alarm.reason);
  json.member("StateChangeTime", java_time(alarm.changed_ms));
  json.member("Region", region_name(alarm.region));
  json.member("AlarmArn", alarm_arn(alarm.region, alarm.account, alarm.name));
  json.member("OldStateValue", alarm.old_state);
  texts_in(json, "OKActions", alarm.ok_actions);
  texts_in(json, "AlarmActions", alarm.alarm_actions);
  texts_in(json, "InsufficientDataActions", alarm.insufficient_data_actions);
  write_trigger(json, alarm);
  json.end_object();
  return std::move(json).take();
}

std::string sns_body(const SnsNotification& notification) {
  JsonWriter json;
  json.begin_object();
  json.member("Type", "Notification");
  json.member("MessageId", notification.id);
  json.member("TopicArn", notification.topic);
  json.member("Subject", notification.subject);
  json.member("Message", notification.message);
  json.member("Timestamp", std::string(utc_text(notification.at_ms).data()) + "Z");
  json.end_object();
  return std::move(json).take();
}

std::vector<std::pair<std::string, std::string>> sns_headers(const SnsNotification& notification) {
  return {{"x-amz-sns-message-type", "Notification"},
          {"x-amz-sns-message-id", std::string(notification.id)},
          {"x-amz-sns-topic-arn", header_value(notification.topic)},
          {"Content-Type", "text/plain; charset=UTF-8"}};
}

std::string alarm_action_summary(const AlarmActionText& action) {
  if (!action.error) return "Successfully executed action " + std::string(action.action);
  return "Failed to execute action " + std::string(action.action) + ". Received error: \"" +
         std::string(*action.error) + "\"";
}

std::string alarm_action_data(const AlarmActionText& action) {
  std::string data = action_data(action, true);
  return data.size() <= kMostHistoryData ? data : action_data(action, false);
}

}  // namespace partita::wire
