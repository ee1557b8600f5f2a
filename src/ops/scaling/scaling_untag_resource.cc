#include "api/options.h"
#include "ops/json_codec.h"
#include "ops/request.h"
#include "table/scaling/targets.h"

namespace partita::ops {

namespace {

struct UntagTarget {
  using Execution = ControlExecutionOf<UntagTarget>;
  using Request = api::TargetTagsRequest;
  using Reply = api::Empty;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kResourceARN)), {}, texts(in[wire::Field::kTagKeys])};
  }

  static Subject subject(Request& request) { return {.other = &request.arn}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::untag_target(context.database, request));
    co_return Reply{};
  }

  static std::string encode(const Context& /*context*/, const Reply& /*done*/) { return "{}"; }
};

}  // namespace

constinit const JsonCodec scaling_untag_resource = json_codec<UntagTarget>(wire::shapes::kUntagTarget);

}  // namespace partita::ops
