#include "clusters/cluster_calls.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

using wire::Field;

struct UpdateCluster {
  using Execution = ControlExecutionOf<UpdateCluster>;
  using Request = api::UpdateClusterRequest;
  using Reply = clusters::ClusterAt;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = decode_lower_name(in, Field::kClusterName);
    request.description = decode_sent_text(in, Field::kDescription);
    request.window = decode_sent_text(in, Field::kPreferredMaintenanceWindow);
    request.topic = decode_sent_text(in, Field::kNotificationTopicArn);
    request.topic_status = decode_sent_text(in, Field::kNotificationTopicStatus);
    request.parameter_group = decode_sent_text(in, Field::kParameterGroupName);
    if (in.has(Field::kSecurityGroupIds)) request.security_groups = texts(in[Field::kSecurityGroupIds]);
    return request;
  }

  static Subject subject(Request& request) { return {.cluster = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::update_cluster(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& reply) { return encode_cluster(context, reply); }
};

}  // namespace

constinit const JsonCodec update_cluster = json_codec<UpdateCluster>(wire::shapes::kUpdateCluster);

}  // namespace partita::ops
