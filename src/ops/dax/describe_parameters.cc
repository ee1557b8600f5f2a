#include "clusters/groups.h"
#include "model/fault.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;

struct DescribeParameters {
  using Execution = ControlExecutionOf<DescribeParameters>;
  using Request = api::ParametersRequest;
  using Reply = clusters::PageOf<clusters::Parameter>;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(Field::kParameterGroupName)), decode_sent_text(in, Field::kSource),
                   decode_page(in)};
  }

  static Subject subject(Request& request) { return {.other = &request.group}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    if (request.group.empty()) {
      co_return model::refuse(model::Fault::kParameterGroupNotFound, {request.group});
    }
    co_return co_await clusters::list_parameters(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) { return encode_parameters(reply); }
};

}  // namespace

constinit const JsonCodec describe_parameters = json_codec<DescribeParameters>(wire::shapes::kDescribeParameters);

}  // namespace partita::ops
