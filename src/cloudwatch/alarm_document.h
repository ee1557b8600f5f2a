// Alarms in requests and replies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cloudwatch/call.h"
#include "metrics/alarm.h"
#include "wire/document.h"

namespace partita::cloudwatch {

inline constexpr size_t kMostAlarmName = 255;
inline constexpr size_t kMostAlarmNames = 100;

// The parameters of PutMetricAlarm, without the state. Faults: kMonitor...
Result<metrics::Alarm> decode_alarm(const Parameters& in);
// A MetricAlarm.
wire::Document document_of(const CallContext& context, const metrics::Alarm& alarm);

// ARNs of what a change to ALARM tells: of an alarm of auto scaling, its policy.
std::vector<std::string> actions_on_alarm(const CallContext& context, const metrics::Alarm& alarm);

// "Sum", as "Statistic", or "p99", as "ExtendedStatistic".
std::string_view statistic_member(std::string_view statistic);

}  // namespace partita::cloudwatch
