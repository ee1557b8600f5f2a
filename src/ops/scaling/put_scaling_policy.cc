#include "model/fault.h"
#include "ops/json_codec.h"
#include "ops/scaling/scaling_reply.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;

// The reply names what the request has.
struct PutPolicyReply {
  api::ScaledUnits units;
  table::ScalingPolicy policy;
};

Result<void> check_policy_type(const wire::Members& in) {
  std::string_view type = in.text(Field::kPolicyType);
  if (in.has(Field::kPredictiveScalingPolicyConfiguration)) type = "PredictiveScaling";
  if (in.has(Field::kStepScalingPolicyConfiguration)) type = "StepScaling";
  if (type.empty() || type == kTargetTracking) return {};
  return refuse(Fault::kScalingPolicyType, {std::string(type)});
}

// The metric follows from the dimension.
Result<void> check_metric(const wire::Members& tracking, const api::ScaledUnits& units) {
  if (tracking.has(Field::kCustomizedMetricSpecification)) return refuse(Fault::kScalingOwnMetric);
  if (!tracking.has(Field::kPredefinedMetricSpecification)) return refuse(Fault::kScalingNoMetric);
  const std::string_view metric = tracking.in(Field::kPredefinedMetricSpecification).text(Field::kPredefinedMetricType);
  if (metric == utilization_metric(units)) return {};
  return refuse(Fault::kScalingMetric, {std::string(metric), api::dimension_of(units)});
}

Result<api::TargetTracking> decode_tracking(const wire::Members& in, const api::ScaledUnits& units) {
  // "Managing throughput capacity automatically" in the developer guide.
  constexpr double kLeastPercent = 20;
  constexpr double kMostPercent = 90;
  PARTITA_TRY_VOID(check_metric(in, units));
  api::TargetTracking tracking;
  tracking.percent = in[Field::kTargetValue].as_double();
  const bool sound = tracking.percent >= kLeastPercent && tracking.percent <= kMostPercent;
  if (!sound) return refuse(Fault::kScalingTargetValue);
  tracking.out_s = in.integer(Field::kScaleOutCooldown);
  tracking.in_s = in.integer(Field::kScaleInCooldown);
  for (const auto field : {Field::kScaleOutCooldown, Field::kScaleInCooldown}) {
    if (in.integer(field).value_or(0) < 0) return refuse(Fault::kScalingCooldown, {std::string(wire::name_of(field))});
  }
  if (in.has(Field::kDisableScaleIn)) tracking.out_only = in.flag(Field::kDisableScaleIn);
  const wire::Members metric = in.in(Field::kPredefinedMetricSpecification);
  if (metric.has(Field::kResourceLabel)) tracking.label = metric.text(Field::kResourceLabel);
  return tracking;
}

struct PutScalingPolicy {
  using Execution = ControlExecutionOf<PutScalingPolicy>;
  using Request = api::PutPolicyOfTargetRequest;
  using Reply = PutPolicyReply;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    PARTITA_TRY(request.units, decode_scaled_units(in));
    request.name = in.text(Field::kPolicyName);
    PARTITA_TRY_VOID(check_policy_type(in));
    if (in.has(Field::kTargetTrackingScalingPolicyConfiguration)) {
      PARTITA_TRY(request.tracking,
                  decode_tracking(in.in(Field::kTargetTrackingScalingPolicyConfiguration), request.units));
    }
    return request;
  }

  static Subject subject(Request& request) { return {.other = &request.units.resource}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY(table::ScalingPolicy policy, co_await table::put_scaling_policy(context.database, request));
    co_return Reply{request.units, std::move(policy)};
  }

  static std::string encode(const Context& context, const Reply& put) {
    wire::JsonWriter json;
    json.begin_object();
    json.member("PolicyARN", scaling_arn(context, "scalingPolicy", put.policy.id, put.units, put.policy.name));
    write_alarms(json, context, put.units, put.policy);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec put_scaling_policy = json_codec<PutScalingPolicy>(wire::shapes::kPutScalingPolicy);

}  // namespace partita::ops
