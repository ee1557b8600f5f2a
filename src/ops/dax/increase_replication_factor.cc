#include "clusters/cluster_calls.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

struct IncreaseReplicationFactor {
  using Execution = ControlExecutionOf<IncreaseReplicationFactor>;
  using Request = api::ResizeClusterRequest;
  using Reply = clusters::ClusterAt;

  static Result<Request> decode(const wire::Members& in) { return decode_resize(in); }

  static Subject subject(Request& request) { return {.region = &request.region, .cluster = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::add_replicas(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& reply) { return encode_cluster(context, reply); }
};

}  // namespace

constinit const JsonCodec increase_replication_factor =
    json_codec<IncreaseReplicationFactor>(wire::shapes::kIncreaseReplicationFactor);

}  // namespace partita::ops
