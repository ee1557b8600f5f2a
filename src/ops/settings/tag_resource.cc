#include "ops/json_codec.h"
#include "ops/tables/table_request.h"
#include "table/control/tags.h"

namespace partita::ops {

namespace {

struct TagResource {
  using Execution = ControlExecutionOf<TagResource>;
  using Reply = api::Empty;
  using Request = api::TagRequest;

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}, decode_tags(in)};
  }

  static Subject subject(Request& request) {
    return {.resource = &request.resource, .arn_rules = ArnRules::kTags, .tags = &request.tags};
  }

  static Task<Result<api::Empty>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::add_tags(context.database, request.resource, request.tags));
    co_return api::Empty{};
  }

  static std::string encode(const Context& /*context*/, const api::Empty& /*done*/) { return {}; }
};

}  // namespace

constinit const JsonCodec tag_resource = json_codec<TagResource>(wire::shapes::kTagResource);

}  // namespace partita::ops
