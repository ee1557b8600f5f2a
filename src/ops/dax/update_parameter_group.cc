#include "clusters/groups.h"
#include "ops/dax/cluster_reply.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;

struct UpdateParameterGroup {
  using Execution = ControlExecutionOf<UpdateParameterGroup>;
  using Request = api::ParameterGroupRequest;
  using Reply = clusters::ParameterGroup;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = in.text(Field::kParameterGroupName);
    const wire::Shape& shape = in.element_shape(Field::kParameterNameValues);
    for (const wire::JsonValue element : in[Field::kParameterNameValues].elements()) {
      const wire::Members value(element, shape);
      request.values.emplace_back(value.text(Field::kParameterName), value.text(Field::kParameterValue));
    }
    return request;
  }

  static Subject subject(Request& request) { return {.other = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::update_parameter_group(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) { return encode_parameter_group(reply); }
};

}  // namespace

constinit const JsonCodec update_parameter_group =
    json_codec<UpdateParameterGroup>(wire::shapes::kUpdateParameterGroup);

}  // namespace partita::ops
