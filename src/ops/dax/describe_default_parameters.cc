#include "clusters/groups.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

struct DescribeDefaultParameters {
  using Execution = ControlExecutionOf<DescribeDefaultParameters>;
  using Request = api::ParametersRequest;
  using Reply = clusters::PageOf<clusters::Parameter>;

  static Result<Request> decode(const wire::Members& in) {
    return Request{.group = {}, .source = {}, .page = decode_page(in)};
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::list_parameters(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) { return encode_parameters(reply); }
};

}  // namespace

constinit const JsonCodec describe_default_parameters =
    json_codec<DescribeDefaultParameters>(wire::shapes::kDescribeDefaultParameters);

}  // namespace partita::ops
