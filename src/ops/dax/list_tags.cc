#include "clusters/cluster_calls.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;

struct ListClusterTags {
  using Execution = ControlExecutionOf<ListClusterTags>;
  using Request = api::ClusterTagsRequest;
  using Reply = clusters::TagPage;

  static Result<Request> decode(const wire::Members& in) {
    PARTITA_TRY(Request request, decode_cluster_arn(in));
    request.after = in.text(Field::kNextToken);
    return request;
  }

  static Subject subject(Request& request) { return {.cluster = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(check_cluster_arn(context, request));
    co_return co_await clusters::tags_of_cluster(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    using Tag = std::pair<std::string, std::string>;
    return encode_page("Tags", reply.page,
                       [](wire::JsonWriter& json, const Tag& one) { write_cluster_tag(json, one.first, one.second); });
  }
};

}  // namespace

constinit const JsonCodec list_tags = json_codec<ListClusterTags>(wire::shapes::kListClusterTags);

}  // namespace partita::ops
