#include <map>

#include "ops/json_codec.h"
#include "table/scaling/targets.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct ListTagsOfTarget {
  using Execution = ControlExecutionOf<ListTagsOfTarget>;
  using Request = api::TargetTagsRequest;
  using Reply = std::map<std::string, std::string>;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kResourceARN)), {}, {}};
  }

  static Subject subject(Request& request) { return {.other = &request.arn}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return table::tags_of_target(context.database, request.arn);
  }

  static std::string encode(const Context& /*context*/, const Reply& tags) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_object("Tags");
    for (const auto& [key, value] : tags) json.member(key, value);
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec scaling_list_tags_for_resource =
    json_codec<ListTagsOfTarget>(wire::shapes::kListTagsOfTarget);

}  // namespace partita::ops
