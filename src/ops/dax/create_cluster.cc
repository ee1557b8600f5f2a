#include "clusters/cluster_calls.h"
#include "ops/admission.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

using wire::Field;

api::NetworkType network_named(std::string_view word) {
  if (word == "ipv6") return api::NetworkType::kIpv6;
  return word == "dual_stack" ? api::NetworkType::kDualStack : api::NetworkType::kIpv4;
}

struct CreateCluster {
  using Execution = ControlExecutionOf<CreateCluster>;
  using Request = api::CreateClusterRequest;
  using Reply = clusters::ClusterAt;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = decode_lower_name(in, Field::kClusterName);
    request.node_type = in.text(Field::kNodeType);
    request.description = decode_sent_text(in, Field::kDescription);
    request.nodes = in.integer(Field::kReplicationFactor).value_or(0);
    request.zones = texts(in[Field::kAvailabilityZones]);
    // Terraform sends an empty one for none.
    if (!in.text(Field::kSubnetGroupName).empty())
      request.subnet_group = decode_lower_name(in, Field::kSubnetGroupName);
    request.security_groups = texts(in[Field::kSecurityGroupIds]);
    request.window = decode_sent_text(in, Field::kPreferredMaintenanceWindow);
    request.topic = decode_sent_text(in, Field::kNotificationTopicArn);
    request.role = in.text(Field::kIamRoleArn);
    if (in.has(Field::kParameterGroupName)) request.parameter_group = in.text(Field::kParameterGroupName);
    request.tags = decode_cluster_tags(in);
    request.encrypted = in.in(Field::kSSESpecification).flag(Field::kEnabled);
    request.tls = in.text(Field::kClusterEndpointEncryptionType) == "TLS";
    request.network = network_named(in.text(Field::kNetworkType));
    return request;
  }

  static Subject subject(Request& request) {
    Subject subject{.region = &request.region, .tags = &request.tags, .cluster = &request.name};
    if (!request.tags.empty()) subject.other_actions.emplace_back("dax:TagResource");
    return subject;
  }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::create_cluster(context.database, context.admission.dax_address(), request);
  }

  static std::string encode(const Context& context, const Reply& reply) { return encode_cluster(context, reply); }
};

}  // namespace

constinit const JsonCodec create_cluster = json_codec<CreateCluster>(wire::shapes::kCreateCluster);

}  // namespace partita::ops
