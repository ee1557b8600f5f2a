#include "ops/json_codec.h"
#include "ops/scaling/scaling_reply.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

struct DescribeScheduledActions {
  using Execution = ControlExecutionOf<DescribeScheduledActions>;
  using Request = api::ScalingFilter;
  using Reply = table::ScalingPage<table::ActionOfTarget>;

  static Result<Request> decode(const wire::Members& in) {
    return decode_scaling_filter(in, wire::Field::kResourceId, wire::Field::kScheduledActionNames);
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return table::list_scheduled_actions(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& page) {
    return encode_scaling_page("ScheduledActions", page, [&](wire::JsonWriter& json, const table::ActionOfTarget& one) {
      const table::ScheduledAction& action = one.action;
      json.member("ScheduledActionName", action.name);
      json.member("ScheduledActionARN", scaling_arn(context, "scheduledAction", action.id, one.units, action.name));
      write_scaled_units(json, one.units);
      json.member("Schedule", action.schedule);
      if (!action.zone.empty()) json.member("Timezone", action.zone);
      if (action.start_ms != 0) write_seconds(json, "StartTime", action.start_ms);
      if (action.end_ms != 0) write_seconds(json, "EndTime", action.end_ms);
      json.begin_object("ScalableTargetAction");
      if (action.bounds.min) json.member("MinCapacity", *action.bounds.min);
      if (action.bounds.max) json.member("MaxCapacity", *action.bounds.max);
      json.end_object();
      write_seconds(json, "CreationTime", action.created_ms);
    });
  }
};

}  // namespace

constinit const JsonCodec describe_scheduled_actions =
    json_codec<DescribeScheduledActions>(wire::shapes::kDescribeScheduledActions);

}  // namespace partita::ops
