#include "ops/json_codec.h"
#include "table/control/tags.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

// All tags are one page, as DynamoDB has it. There is no token that goes on, and one that is sent is passed over.
struct ListTagsOfResource {
  using Execution = ControlExecutionOf<ListTagsOfResource>;
  using Reply = table::Tags;
  struct Request {
    api::Resource resource;
  };

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}};
  }

  static Subject subject(Request& request) { return {.resource = &request.resource, .arn_rules = ArnRules::kTags}; }

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

constinit const JsonCodec list_tags_of_resource = json_codec<ListTagsOfResource>(wire::shapes::kListTagsOfResource);

}  // namespace partita::ops
