#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/table_request.h"
#include "table/tags.h"

namespace partita::ops {

namespace {

struct TagResource {
  static constexpr ArnRules kArnRules = ArnRules::kTags;
  struct Request {
    table::Resource resource;
    std::vector<table::Tag> tags;
  };

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}, decode_tags(in)};
  }

  static Task<Result<Nothing>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::add_tags(context.database, request.resource, request.tags));
    co_return Nothing{};
  }

  static std::string encode(const Context& /*context*/, const Nothing& /*done*/) { return {}; }
};

}  // namespace

Task<Result<std::string>> tag_resource(const Context& context, wire::JsonDocument document) {
  return serve_control<TagResource>(context, std::move(document));
}

}  // namespace partita::ops
