#include <algorithm>
#include <array>
#include <cmath>

#include "api/options.h"
#include "model/fault.h"
#include "ops/json_codec.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

using wire::Field;

std::optional<std::string> sent_text(const wire::Members& in, Field field) {
  return in.has(field) ? std::optional<std::string>(in.text(field)) : std::nullopt;
}

// Seconds since 1970.
std::optional<int64_t> sent_time(const wire::Members& in, Field field) {
  constexpr double kMostSeconds = 7'289'654'400;  // the end of the year 2200
  if (!in.has(field)) return std::nullopt;
  return std::llround(std::min(std::max(in[field].as_double(), 0.0), kMostSeconds) * 1000);
}

// The server knows no rules of time zones.
Result<void> check_zone(const std::string& zone) {
  constexpr std::array<std::string_view, 9> kUtc = {"UTC",       "Etc/UTC",       "Etc/UCT",  "UCT", "Etc/GMT",
                                                    "Etc/GMT+0", "Etc/Universal", "Etc/Zulu", "GMT"};
  if (std::ranges::find(kUtc, zone) != kUtc.end()) return {};
  return model::refuse(model::Fault::kScalingZone, {zone});
}

struct PutScheduledAction {
  using Execution = ControlExecutionOf<PutScheduledAction>;
  using Request = api::PutScheduledActionRequest;
  using Reply = api::Empty;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    PARTITA_TRY(request.units, decode_scaled_units(in));
    request.name = in.text(Field::kScheduledActionName);
    request.schedule = sent_text(in, Field::kSchedule);
    request.zone = sent_text(in, Field::kTimezone);
    if (request.zone) PARTITA_TRY_VOID(check_zone(*request.zone));
    request.start_ms = sent_time(in, Field::kStartTime);
    request.end_ms = sent_time(in, Field::kEndTime);
    if (in.has(Field::kScalableTargetAction)) {
      request.bounds = decode_capacity_bounds(in.in(Field::kScalableTargetAction));
    }
    return request;
  }

  static Subject subject(Request& request) { return {.other = &request.units.resource}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::put_scheduled_action(context.database, request));
    co_return Reply{};
  }

  static std::string encode(const Context& /*context*/, const Reply& /*done*/) { return "{}"; }
};

}  // namespace

constinit const JsonCodec put_scheduled_action = json_codec<PutScheduledAction>(wire::shapes::kPutScheduledAction);

}  // namespace partita::ops
