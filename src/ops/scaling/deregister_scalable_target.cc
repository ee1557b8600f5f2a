#include "api/options.h"
#include "ops/json_codec.h"
#include "ops/scaling/scaling_request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

struct DeregisterScalableTarget {
  using Execution = ControlExecutionOf<DeregisterScalableTarget>;
  using Request = api::ScaledUnits;
  using Reply = api::Empty;

  static Result<Request> decode(const wire::Members& in) { return decode_scaled_units(in); }

  static Subject subject(Request& request) { return {.other = &request.resource}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::deregister_target(context.database, request));
    co_return Reply{};
  }

  static std::string encode(const Context& /*context*/, const Reply& /*done*/) { return "{}"; }
};

}  // namespace

constinit const JsonCodec deregister_scalable_target =
    json_codec<DeregisterScalableTarget>(wire::shapes::kDeregisterScalableTarget);

}  // namespace partita::ops
