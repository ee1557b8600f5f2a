#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/request.h"
#include "table/tags.h"

namespace partita::ops {

namespace {

struct UntagResource {
  static constexpr ArnRules kArnRules = ArnRules::kTags;
  struct Request {
    table::Resource resource;
    std::vector<std::string> tag_names;
  };

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}, texts(in[wire::Field::kTagKeys])};
  }

  static Task<Result<Nothing>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::drop_tags(context.database, request.resource, request.tag_names));
    co_return Nothing{};
  }

  static std::string encode(const Context& /*context*/, const Nothing& /*done*/) { return {}; }
};

}  // namespace

Task<Result<std::string>> untag_resource(const Context& context, wire::JsonDocument document) {
  return serve_control<UntagResource>(context, std::move(document));
}

}  // namespace partita::ops
