#include "clusters/groups.h"
#include "ops/dax/cluster_reply.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;

struct CreateParameterGroup {
  using Execution = ControlExecutionOf<CreateParameterGroup>;
  using Request = api::ParameterGroupRequest;
  using Reply = clusters::ParameterGroup;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = in.text(Field::kParameterGroupName);
    request.description = in.text(Field::kDescription);
    return request;
  }

  static Subject subject(Request& request) { return {.other = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::create_parameter_group(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) { return encode_parameter_group(reply); }
};

}  // namespace

constinit const JsonCodec create_parameter_group =
    json_codec<CreateParameterGroup>(wire::shapes::kCreateParameterGroup);

}  // namespace partita::ops
