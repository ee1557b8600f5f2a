#include "clusters/cluster_calls.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

using wire::Field;

struct UntagCluster {
  using Execution = ControlExecutionOf<UntagCluster>;
  using Request = api::ClusterTagsRequest;
  using Reply = clusters::Tags;

  static Result<Request> decode(const wire::Members& in) {
    PARTITA_TRY(Request request, decode_cluster_arn(in));
    request.dropped = texts(in[Field::kTagKeys]);
    return request;
  }

  static Subject subject(Request& request) { return {.tag_names = &request.dropped, .cluster = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(check_cluster_arn(context, request));
    co_return co_await clusters::untag_cluster(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) { return encode_cluster_tags(reply); }
};

}  // namespace

constinit const JsonCodec dax_untag_resource = json_codec<UntagCluster>(wire::shapes::kUntagCluster);

}  // namespace partita::ops
