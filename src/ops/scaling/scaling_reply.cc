#include "ops/scaling/scaling_reply.h"

#include "table/scaling/scaling_names.h"

namespace partita::ops {

namespace {

// "REGION:ACCOUNT:".
std::string region_and_account(const Context& context) {
  return context.caller.region + ":" + context.caller.account_id + ":";
}

}  // namespace

std::string target_arn(const Context& context, const table::ScalableTarget& target) {
  return "arn:aws:application-autoscaling:" + region_and_account(context) + "scalable-target/" + target.id;
}

std::string scaling_arn(const Context& context, std::string_view kind, const std::string& id,
                        const api::ScaledUnits& units, const std::string& name) {
  return table::scaling_arn(context.caller.region, context.caller.account_id, kind, id, units.resource, name);
}

void write_alarms(wire::JsonWriter& json, const Context& context, const api::ScaledUnits& units,
                  const table::ScalingPolicy& policy) {
  json.begin_array("Alarms");
  for (size_t i = 0; i < policy.alarms.size(); ++i) {
    const std::string name = table::alarm_name(units, static_cast<table::ScalingAlarm>(i), policy.alarms[i]);
    json.begin_object();
    json.member("AlarmName", name);
    json.member("AlarmARN", "arn:aws:cloudwatch:" + region_and_account(context) + "alarm:" + name);
    json.end_object();
  }
  json.end_array();
}

void write_scaled_units(wire::JsonWriter& json, const api::ScaledUnits& units) {
  json.member("ServiceNamespace", "dynamodb");
  json.member("ResourceId", units.resource);
  json.member("ScalableDimension", api::dimension_of(units));
}

void write_seconds(wire::JsonWriter& json, std::string_view member, int64_t ms) {
  json.member(member, static_cast<double>(ms) / 1000);
}

}  // namespace partita::ops
