// What several replies of Application Auto Scaling have: names and ARNs as AWS makes them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/scaling.h"
#include "ops/operation.h"
#include "table/rows/scaling_rows.h"
#include "wire/json_writer.h"

namespace partita::ops {

inline constexpr std::string_view kTargetTracking = "TargetTrackingScaling";
// The only metric that a policy of these units may follow.
inline std::string_view utilization_metric(const api::ScaledUnits& units) {
  return units.write ? "DynamoDBWriteCapacityUtilization" : "DynamoDBReadCapacityUtilization";
}

// "arn:aws:application-autoscaling:REGION:ACCOUNT:scalable-target/ID".
std::string target_arn(const Context& context, const table::ScalableTarget& target);
// table::scaling_arn() for the caller.
std::string scaling_arn(const Context& context, std::string_view kind, const std::string& id,
                        const api::ScaledUnits& units, const std::string& name);

// The member Alarms.
void write_alarms(wire::JsonWriter& json, const Context& context, const api::ScaledUnits& units,
                  const table::ScalingPolicy& policy);
// ServiceNamespace, ResourceId and ScalableDimension.
void write_scaled_units(wire::JsonWriter& json, const api::ScaledUnits& units);
// A time in seconds since 1970.
void write_seconds(wire::JsonWriter& json, std::string_view member, int64_t ms);

// `member` is a list of what `write` makes of each element, and NextToken follows.
template <class Page, class Write>
std::string encode_scaling_page(std::string_view member, const Page& page, Write write) {
  wire::JsonWriter json;
  json.begin_object();
  json.begin_array(member);
  for (const auto& element : page.found) {
    json.begin_object();
    write(json, element);
    json.end_object();
  }
  json.end_array();
  if (!page.last.empty()) json.member("NextToken", page.last);
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::ops
