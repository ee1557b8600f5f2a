#include "clusters/cluster_calls.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;

struct DeleteCluster {
  using Execution = ControlExecutionOf<DeleteCluster>;
  using Request = std::string;
  using Reply = clusters::ClusterAt;

  static Result<Request> decode(const wire::Members& in) { return decode_lower_name(in, Field::kClusterName); }

  static Subject subject(Request& request) { return {.cluster = &request}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::delete_cluster(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& reply) { return encode_cluster(context, reply); }
};

}  // namespace

constinit const JsonCodec delete_cluster = json_codec<DeleteCluster>(wire::shapes::kDeleteCluster);

}  // namespace partita::ops
