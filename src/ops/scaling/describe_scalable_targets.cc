#include "ops/json_codec.h"
#include "ops/scaling/scaling_reply.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

struct DescribeScalableTargets {
  using Execution = ControlExecutionOf<DescribeScalableTargets>;
  using Request = api::ScalingFilter;
  using Reply = table::ScalingPage<table::ScalableTarget>;

  static Result<Request> decode(const wire::Members& in) {
    return decode_scaling_filter(in, wire::Field::kResourceIds, wire::kNoField);
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return table::list_targets(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& page) {
    return encode_scaling_page("ScalableTargets", page, [&](wire::JsonWriter& json, const table::ScalableTarget& one) {
      json.member("ScalableTargetARN", target_arn(context, one));
      write_scaled_units(json, one.units);
      json.member("MinCapacity", one.min);
      json.member("MaxCapacity", one.max);
      // The role that AWS makes for tables. Nothing here needs one.
      json.member("RoleARN", "arn:aws:iam::" + context.caller.account_id +
                                 ":role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com/"
                                 "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable");
      write_seconds(json, "CreationTime", one.created_ms);
      json.begin_object("SuspendedState");
      json.member("DynamicScalingInSuspended", one.in_suspended);
      json.member("DynamicScalingOutSuspended", one.out_suspended);
      json.member("ScheduledScalingSuspended", one.schedule_suspended);
      json.end_object();
    });
  }
};

}  // namespace

constinit const JsonCodec describe_scalable_targets =
    json_codec<DescribeScalableTargets>(wire::shapes::kDescribeScalableTargets);

}  // namespace partita::ops
