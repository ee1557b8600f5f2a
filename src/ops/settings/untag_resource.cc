#include "ops/json_codec.h"
#include "ops/request.h"
#include "table/control/tags.h"

namespace partita::ops {

namespace {

struct UntagResource {
  using Execution = ControlExecutionOf<UntagResource>;
  using Reply = api::Empty;
  using Request = api::UntagRequest;

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}, texts(in[wire::Field::kTagKeys])};
  }

  static Subject subject(Request& request) {
    return {.resource = &request.resource, .arn_rules = ArnRules::kTags, .tag_names = &request.tag_names};
  }

  static Task<Result<api::Empty>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::drop_tags(context.database, request.resource, request.tag_names));
    co_return api::Empty{};
  }

  static std::string encode(const Context& /*context*/, const api::Empty& /*done*/) { return {}; }
};

}  // namespace

constinit const JsonCodec untag_resource = json_codec<UntagResource>(wire::shapes::kUntagResource);

}  // namespace partita::ops
