#include "clusters/groups.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

using wire::Field;

struct DescribeParameterGroups {
  using Execution = ControlExecutionOf<DescribeParameterGroups>;
  using Request = api::NamedPageRequest;
  using Reply = clusters::PageOf<clusters::ParameterGroup>;

  static Result<Request> decode(const wire::Members& in) {
    return Request{texts(in[Field::kParameterGroupNames]), decode_page(in)};
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::list_parameter_groups(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    return encode_page("ParameterGroups", reply, write_parameter_group);
  }
};

}  // namespace

constinit const JsonCodec describe_parameter_groups =
    json_codec<DescribeParameterGroups>(wire::shapes::kDescribeParameterGroups);

}  // namespace partita::ops
