#include "ops/json_codec.h"
#include "ops/scaling/scaling_reply.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

void write_tracking(wire::JsonWriter& json, const table::PolicyOfTarget& one) {
  const api::TargetTracking& tracking = one.policy.tracking;
  json.begin_object("TargetTrackingScalingPolicyConfiguration");
  json.member("TargetValue", tracking.percent);
  json.begin_object("PredefinedMetricSpecification");
  json.member("PredefinedMetricType", utilization_metric(one.units));
  if (tracking.label) json.member("ResourceLabel", *tracking.label);
  json.end_object();
  if (tracking.out_s) json.member("ScaleOutCooldown", *tracking.out_s);
  if (tracking.in_s) json.member("ScaleInCooldown", *tracking.in_s);
  if (tracking.out_only) json.member("DisableScaleIn", *tracking.out_only);
  json.end_object();
}

struct DescribeScalingPolicies {
  using Execution = ControlExecutionOf<DescribeScalingPolicies>;
  using Request = api::ScalingFilter;
  using Reply = table::ScalingPage<table::PolicyOfTarget>;

  static Result<Request> decode(const wire::Members& in) {
    return decode_scaling_filter(in, wire::Field::kResourceId, wire::Field::kPolicyNames);
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return table::list_policies(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& page) {
    return encode_scaling_page("ScalingPolicies", page, [&](wire::JsonWriter& json, const table::PolicyOfTarget& one) {
      json.member("PolicyARN", scaling_arn(context, "scalingPolicy", one.policy.id, one.units, one.policy.name));
      json.member("PolicyName", one.policy.name);
      write_scaled_units(json, one.units);
      json.member("PolicyType", kTargetTracking);
      write_tracking(json, one);
      write_alarms(json, context, one.units, one.policy);
      write_seconds(json, "CreationTime", one.policy.created_ms);
    });
  }
};

}  // namespace

constinit const JsonCodec describe_scaling_policies =
    json_codec<DescribeScalingPolicies>(wire::shapes::kDescribeScalingPolicies);

}  // namespace partita::ops
