// Names and ARNs that AWS gives to what belongs to a scaling policy.
#pragma once

#include <string>
#include <string_view>

#include "api/scaling.h"
#include "table/rows/scaling_rows.h"

namespace partita::table {

// How the names of the alarms of all policies begin.
inline constexpr std::string_view kScalingAlarmPrefix = "TargetTracking-";

// "TargetTracking-table/T-AlarmHigh-UUID".
std::string alarm_name(const api::ScaledUnits& units, ScalingAlarm alarm, const std::string& id);

// "arn:aws:autoscaling:REGION:ACCOUNT:KIND:ID:resource/dynamodb/table/T:KINDName/NAME"; `kind` is "scalingPolicy" or
// "scheduledAction".
std::string scaling_arn(std::string_view region, std::string_view account, std::string_view kind, std::string_view id,
                        std::string_view resource, std::string_view name);

}  // namespace partita::table
