#include "ops/json_codec.h"
#include "table/control/tags.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

// All tags are one page, as DynamoDB has it. There is no token that goes on, and one that is sent is passed over.
struct ListTagsOfResource {
  using Execution = ControlExecutionOf<ListTagsOfResource>;
  using Reply = api::ListTagsReply;
  using Request = api::NamedResource;

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}};
  }

  static Subject subject(Request& request) { return {.resource = &request.resource, .arn_rules = ArnRules::kTags}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY(table::Tags tags, co_await table::tags_of(context.database, request.resource));
    co_return Reply{std::move(tags)};
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("Tags");
    for (const auto& [key, value] : reply.tags) {
      json.begin_object();
      json.member("Key", key);
      json.member("Value", value);
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
