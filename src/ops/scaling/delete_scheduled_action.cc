#include "api/options.h"
#include "ops/json_codec.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

struct DeleteScheduledAction {
  using Execution = ControlExecutionOf<DeleteScheduledAction>;
  using Request = api::NamedOfTargetRequest;
  using Reply = api::Empty;

  static Result<Request> decode(const wire::Members& in) {
    PARTITA_TRY(api::ScaledUnits units, decode_scaled_units(in));
    return Request{std::move(units), std::string(in.text(wire::Field::kScheduledActionName))};
  }

  static Subject subject(Request& request) { return {.other = &request.units.resource}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::delete_scheduled_action(context.database, request));
    co_return Reply{};
  }

  static std::string encode(const Context& /*context*/, const Reply& /*done*/) { return "{}"; }
};

}  // namespace

constinit const JsonCodec delete_scheduled_action =
    json_codec<DeleteScheduledAction>(wire::shapes::kDeleteScheduledAction);

}  // namespace partita::ops
