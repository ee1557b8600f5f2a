#include "wire/alarm_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "base/clock.h"
#include "wire/json_writer.h"

namespace partita::wire {

namespace {

constexpr std::string_view kVersion = "1.0";
// The newest datapoints that texts show, of up to 1,440: so a reason stays under 1,023 characters, and its data under
// 4,000, which are AWS's limits.
constexpr size_t kMostShown = 10;
constexpr size_t kMostListed = 25;

std::span<const std::pair<int64_t, double>> newest(const std::vector<std::pair<int64_t, double>>& points, size_t most) {
  return std::span(points).first(std::min(points.size(), most));
}

std::string plural(int64_t count, std::string_view word) {
  return std::to_string(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

// "greater than or equal to" of "GreaterThanOrEqualToThreshold".
std::string_view words_of(std::string_view comparison) {
  if (comparison == "GreaterThanOrEqualToThreshold") return "greater than or equal to";
  if (comparison == "GreaterThanThreshold") return "greater than";
  if (comparison == "LessThanThreshold") return "less than";
  return "less than or equal to";
}

// "26/11/26 15:04:00"
std::string day_first(int64_t ms) {
  const auto text = utc_text(ms);
  const std::string_view iso(text.data());
  std::string out(iso.substr(8, 2));
  out.append("/").append(iso.substr(5, 2)).append("/").append(iso.substr(2, 2));
  return out.append(" ").append(iso.substr(11, 8));
}

std::string transition(const AlarmCrossing& crossing) {
  return " (minimum " + plural(crossing.minimum, "datapoint") + " for " +
         (crossing.alarm ? "OK -> ALARM" : "ALARM -> OK") + " transition).";
}

}  // namespace

std::string scaling_alarm_description(std::string_view policy_arn) {
  return std::string("DO NOT EDIT OR DELETE. For TargetTrackingScaling policy ").append(policy_arn).append(".");
}

std::string java_time(int64_t ms) { return std::string(utc_text(ms).data()) + "+0000"; }

std::string java_double(double value) {
  constexpr double kLeast = 1e-3;
  constexpr double kMost = 1e7;
  char text[64];
  const bool plain = value == 0 || (std::abs(value) >= kLeast && std::abs(value) < kMost);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  std::string out(text, std::to_chars(text, text + sizeof text, value, format).ptr);
  if (plain && out.find('.') == std::string::npos) out += ".0";
  if (plain) return out;
  // "1.5e+07" is "1.5E7" there.
  const size_t e = out.find('e');
  if (e == std::string::npos) return out;
  std::string digits = out.substr(0, e);
  if (digits.find('.') == std::string::npos) digits += ".0";
  int exponent = 0;
  const char* const from = out.data() + e + (out[e + 1] == '+' ? 2 : 1);
  std::from_chars(from, out.data() + out.size(), exponent);
  return digits + "E" + std::to_string(exponent);
}

std::string alarm_reason(const AlarmCrossing& crossing) {
  const auto count = static_cast<int64_t>(crossing.points.size());
  std::string text = "Threshold Crossed: ";
  if (count == 0) {
    return text + "no datapoints were received for " + plural(crossing.filled, "period") + " and " +
           plural(crossing.filled, "missing datapoint") + (crossing.filled == 1 ? " was" : " were") + " treated as [" +
           (crossing.filled_breaching ? "Breaching" : "NonBreaching") + "].";
  }
  const int64_t shown = crossing.alarm ? crossing.breaching : count - crossing.breaching;
  text += std::to_string(shown) + " out of the last " + std::to_string(count) + " datapoints [";
  const auto points = newest(crossing.points, kMostShown);
  for (size_t i = 0; i < points.size(); ++i) {
    text += (i == 0 ? "" : ", ") + java_double(points[i].second) + " (" + day_first(points[i].first) + ")";
  }
  if (points.size() < crossing.points.size()) text += ", ...";
  text += shown == 1 ? "] was " : "] were ";
  text += crossing.alarm ? "" : "not ";
  return text.append(words_of(crossing.comparison))
             .append(" the threshold (")
             .append(java_double(crossing.threshold))
             .append(")") +
         transition(crossing);
}

std::string insufficient_data_reason(int64_t missing) {
  return "Insufficient Data: " + plural(missing, "datapoint") + (missing == 1 ? " was" : " were") + " unknown.";
}

std::string alarm_updated_summary(std::string_view from, std::string_view to) {
  return "Alarm updated from " + std::string(from) + " to " + std::string(to);
}

std::string alarm_configured_summary(std::string_view alarm, std::string_view what) {
  return "Alarm \"" + std::string(alarm) + "\" " + std::string(what);
}

std::string alarm_updated_data(const AlarmStateText& from, const AlarmStateText& to) {
  JsonWriter json;
  const auto state = [&](std::string_view name, const AlarmStateText& of) {
    json.begin_object(name);
    json.member("stateValue", of.value);
    json.member("stateReason", of.reason);
    if (!of.reason_data.empty()) {
      json.key("stateReasonData");
      json.raw(of.reason_data);
    }
    json.end_object();
  };
  json.begin_object();
  json.member("version", kVersion);
  state("oldState", from);
  state("newState", to);
  json.end_object();
  return std::move(json).take();
}

std::string alarm_configured_data(std::string_view type) {
  JsonWriter json;
  json.begin_object();
  json.member("version", kVersion);
  json.member("type", type);
  json.end_object();
  return std::move(json).take();
}

std::string alarm_reason_data(const AlarmReasonData& data) {
  JsonWriter json;
  json.begin_object();
  json.member("version", kVersion);
  json.member("queryDate", java_time(data.now_ms));
  if (!data.points.empty()) json.member("startDate", java_time(data.points.back().first));
  json.member("statistic", data.statistic);
  json.member("period", data.period_s);
  json.begin_array("recentDatapoints");
  const auto points = newest(data.points, kMostListed);
  for (auto at = points.rbegin(); at != points.rend(); ++at) json.number(at->second);
  json.end_array();
  json.member("threshold", data.threshold);
  json.begin_array("evaluatedDatapoints");
  for (const auto& [at_ms, value] : points) {
    json.begin_object();
    json.member("timestamp", java_time(at_ms));
    json.member("value", value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::wire
