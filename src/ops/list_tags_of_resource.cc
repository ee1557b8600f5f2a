#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "table/tags.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

// All tags are one page, as DynamoDB has it. There is no token that goes on, and one that is sent is passed over.
struct ListTagsOfResource {
  static constexpr ArnRules kArnRules = ArnRules::kTags;
  struct Request {
    table::Resource resource;
  };

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}};
  }

  static Task<Result<table::Tags>> run(const Context& context, const Request& request) {
    return table::tags_of(context.database, request.resource);
  }

  static std::string encode(const Context& /*context*/, const table::Tags& tags) {
    wire::JsonWriter json;
    json.begin_object();
    json.key("Tags");
    json.begin_array();
    for (const auto& [key, value] : tags) {
      json.begin_object();
      json.key("Key");
      json.string(key);
      json.key("Value");
      json.string(value);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

Task<Result<std::string>> list_tags_of_resource(const Context& context, wire::JsonDocument document) {
  return serve_control<ListTagsOfResource>(context, std::move(document));
}

}  // namespace partita::ops
