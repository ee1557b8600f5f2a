#include "clusters/cluster_calls.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

using wire::Field;

struct DescribeClusters {
  using Execution = ControlExecutionOf<DescribeClusters>;
  using Request = api::NamedPageRequest;
  using Reply = clusters::ClusterPage;

  static Result<Request> decode(const wire::Members& in) {
    Request request{texts(in[Field::kClusterNames]), decode_page(in)};
    for (std::string& name : request.names) name = lower_name(name);
    return request;
  }

  static Subject subject(Request& request) {
    return {.cluster = request.names.size() == 1 ? &request.names[0] : &kAllClusters};
  }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::list_clusters(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& reply) {
    return encode_page("Clusters", reply.page, [&](wire::JsonWriter& json, const clusters::Cluster& one) {
      write_cluster(json, context, one, reply.now_ms);
    });
  }
};

}  // namespace

constinit const JsonCodec describe_clusters = json_codec<DescribeClusters>(wire::shapes::kDescribeClusters);

}  // namespace partita::ops
