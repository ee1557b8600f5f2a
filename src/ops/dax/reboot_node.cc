#include "clusters/cluster_calls.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;

struct RebootNode {
  using Execution = ControlExecutionOf<RebootNode>;
  using Request = api::NodeRequest;
  using Reply = clusters::ClusterAt;

  static Result<Request> decode(const wire::Members& in) {
    return Request{decode_lower_name(in, Field::kClusterName), std::string(in.text(Field::kNodeId))};
  }

  static Subject subject(Request& request) { return {.cluster = &request.cluster}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::reboot_node(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& reply) { return encode_cluster(context, reply); }
};

}  // namespace

constinit const JsonCodec reboot_node = json_codec<RebootNode>(wire::shapes::kRebootNode);

}  // namespace partita::ops
