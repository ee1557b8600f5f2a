#include "base/check.h"
#include "ops/json_codec.h"
#include "ops/scaling/scaling_reply.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/scaling_names.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

using table::ActivityCause;
using table::ActivityFailure;
using table::ActivityStatus;
using table::ScalingActivity;

std::string_view status_word(ActivityStatus status) {
  switch (status) {
    case ActivityStatus::kInProgress:
      return "InProgress";
    case ActivityStatus::kSuccessful:
      return "Successful";
    case ActivityStatus::kFailed:
      return "Failed";
  }
  PARTITA_CHECK(false);
}

// "write capacity units to 15", or "min capacity to 5 and max capacity to 10".
std::string what_is_set(const ScalingActivity& activity) {
  if (activity.cause != ActivityCause::kScheduled) {
    return std::string(activity.units.write ? "write" : "read") + " capacity units to " +
           std::to_string(activity.capacity);
  }
  return "min capacity to " + std::to_string(activity.bounds.min.value_or(0)) + " and max capacity to " +
         std::to_string(activity.bounds.max.value_or(0));
}

std::string description_of(const ScalingActivity& activity) {
  const bool units = activity.cause != ActivityCause::kScheduled;
  return "Setting " + what_is_set(activity) + (units ? "." : "");
}

std::string cause_of(const ScalingActivity& activity) {
  switch (activity.cause) {
    case ActivityCause::kMinimum:
      return "minimum capacity was set to " + std::to_string(activity.capacity);
    case ActivityCause::kMaximum:
      return "maximum capacity was set to " + std::to_string(activity.capacity);
    case ActivityCause::kScheduled:
      return "scheduled action name " + activity.name + " was triggered";
    case ActivityCause::kAlarm:
      return "monitor alarm " + table::alarm_name(activity.units, activity.alarm, activity.alarm_id) +
             " in state ALARM triggered policy " + activity.name;
  }
  PARTITA_CHECK(false);
}

std::string_view failure_text(ActivityFailure failure) {
  switch (failure) {
    case ActivityFailure::kInterrupted:
      return "the server that made the change ended.";
    case ActivityFailure::kRefused:
      return "UpdateTable refused the change.";
    case ActivityFailure::kAboveMaximum:
      return "a table or an index cannot have so many units.";
    case ActivityFailure::kBounds:
      return "the minimum would exceed the maximum.";
    case ActivityFailure::kNone:
      break;
  }
  return {};
}

std::string status_message(const ScalingActivity& activity) {
  switch (activity.status) {
    case ActivityStatus::kInProgress:
      return "Successfully requested to set " + what_is_set(activity) + ".";
    case ActivityStatus::kFailed:
      return "Failed to set " + what_is_set(activity) + ". Reason: " + std::string(failure_text(activity.failure));
    case ActivityStatus::kSuccessful:
      break;
  }
  const bool units = activity.cause != ActivityCause::kScheduled;
  return "Successfully set " + what_is_set(activity) + (units ? ". Change successfully fulfilled by dynamodb." : "");
}

struct DescribeScalingActivities {
  using Execution = ControlExecutionOf<DescribeScalingActivities>;
  using Request = api::ScalingFilter;
  using Reply = table::ScalingPage<ScalingActivity>;

  static Result<Request> decode(const wire::Members& in) {
    return decode_scaling_filter(in, wire::Field::kResourceId, wire::kNoField);
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return table::list_activities(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& page) {
    return encode_scaling_page("ScalingActivities", page, [](wire::JsonWriter& json, const ScalingActivity& one) {
      json.member("ActivityId", one.id);
      write_scaled_units(json, one.units);
      json.member("Description", description_of(one));
      json.member("Cause", cause_of(one));
      write_seconds(json, "StartTime", one.began_ms);
      if (one.ended_ms != 0) write_seconds(json, "EndTime", one.ended_ms);
      json.member("StatusCode", status_word(one.status));
      json.member("StatusMessage", status_message(one));
    });
  }
};

}  // namespace

constinit const JsonCodec describe_scaling_activities =
    json_codec<DescribeScalingActivities>(wire::shapes::kDescribeScalingActivities);

}  // namespace partita::ops
