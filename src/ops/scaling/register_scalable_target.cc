#include "ops/json_codec.h"
#include "ops/scaling/scaling_reply.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

std::optional<bool> sent_flag(const wire::Members& in, wire::Field field) {
  return in.has(field) ? std::optional(in.flag(field)) : std::nullopt;
}

struct RegisterScalableTarget {
  using Execution = ControlExecutionOf<RegisterScalableTarget>;
  using Request = api::RegisterTargetRequest;
  using Reply = table::ScalableTarget;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    PARTITA_TRY(request.units, decode_scaled_units(in));
    request.bounds = decode_capacity_bounds(in);
    if (in.has(wire::Field::kSuspendedState)) {
      const wire::Members suspended = in.in(wire::Field::kSuspendedState);
      request.suspended = {sent_flag(suspended, wire::Field::kDynamicScalingInSuspended),
                           sent_flag(suspended, wire::Field::kDynamicScalingOutSuspended),
                           sent_flag(suspended, wire::Field::kScheduledScalingSuspended)};
    }
    request.tags = decode_target_tags(in);
    return request;
  }

  static Subject subject(Request& request) { return {.other = &request.units.resource}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return table::register_target(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& target) {
    wire::JsonWriter json;
    json.begin_object();
    json.member("ScalableTargetARN", target_arn(context, target));
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec register_scalable_target =
    json_codec<RegisterScalableTarget>(wire::shapes::kRegisterScalableTarget);

}  // namespace partita::ops
