#include "table/scaling/scaling_names.h"

#include <array>

namespace partita::table {

std::string alarm_name(const api::ScaledUnits& units, ScalingAlarm alarm, const std::string& id) {
  constexpr std::array<std::string_view, kScalingAlarms> kWords = {"AlarmHigh", "AlarmLow", "ProvisionedCapacityHigh",
                                                                   "ProvisionedCapacityLow"};
  std::string name = std::string(kScalingAlarmPrefix) + units.resource + "-";
  return name.append(kWords[static_cast<size_t>(alarm)]).append("-").append(id);
}

std::string scaling_arn(std::string_view region, std::string_view account, std::string_view kind, std::string_view id,
                        std::string_view resource, std::string_view name) {
  const std::string_view name_of_kind = kind == "scalingPolicy" ? "policyName" : "scheduledActionName";
  std::string arn = "arn:aws:autoscaling:";
  arn.append(region).append(":").append(account).append(":").append(kind).append(":").append(id);
  arn.append(":resource/dynamodb/").append(resource).append(":").append(name_of_kind);
  return arn.append("/").append(name);
}

}  // namespace partita::table
