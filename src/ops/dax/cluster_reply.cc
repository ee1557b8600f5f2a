#include "ops/dax/cluster_reply.h"

#include "ops/admission.h"
#include "ops/reply.h"
#include "ops/resource_arn.h"

namespace partita::ops {

namespace {

using clusters::Cluster;
using clusters::ClusterStatus;
using clusters::Node;
using clusters::NodeStatus;
using wire::JsonWriter;

constexpr uint16_t kUsualPort = 8111;
constexpr uint16_t kUsualTlsPort = 9111;

std::string_view word_of(api::NetworkType network) {
  switch (network) {
    case api::NetworkType::kIpv6:
      return "ipv6";
    case api::NetworkType::kDualStack:
      return "dual_stack";
    case api::NetworkType::kIpv4:
      break;
  }
  return "ipv4";
}

// As clients reach the server; without a name of its own, as the one did that asks.
std::string host_of(const Context& context, const clusters::DaxAddress::Place& place) {
  if (!place.host.empty()) return place.host;
  const std::string_view host = context.host;  // with the port, as in a URL
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

// Clients take the usual port where the URL has none.
std::string url_of(const std::string& host, uint16_t port, const Cluster& cluster) {
  std::string url = cluster.tls ? "daxs://" : "dax://";
  url += host.contains(':') ? "[" + host + "]" : host;  // an address of IPv6
  if (port != (cluster.tls ? kUsualTlsPort : kUsualPort)) url += ":" + std::to_string(port);
  return url;
}

// Of a cluster that this server cannot serve, the port alone, as of one that is being created. Nodes take turns at the
// addresses.
void write_endpoint(JsonWriter& json, std::string_view name, const Context& context, const Cluster& cluster,
                    bool is_ready, size_t node = 0) {
  const clusters::DaxAddress& address = context.admission.dax_address();
  const std::vector<clusters::DaxAddress::Place>& places = cluster.tls ? address.encrypted : address.plain;
  json.begin_object(name);
  if (is_ready && !places.empty()) {
    const clusters::DaxAddress::Place& place = places[node % places.size()];
    const std::string host = host_of(context, place);
    json.member("Address", host);
    json.member("Port", place.port);
    json.member("URL", url_of(host, place.port, cluster));
  } else {
    json.member("Port", cluster.tls ? kUsualTlsPort : kUsualPort);
  }
  json.end_object();
}

void write_node(JsonWriter& json, const Context& context, const Cluster& cluster, size_t index, int64_t now_ms) {
  const Node& node = cluster.nodes[index];
  const NodeStatus status = clusters::status_of(cluster, node, now_ms);
  json.begin_object();
  json.member("NodeId", node.id);
  if (status != NodeStatus::kCreating) {
    if (status != NodeStatus::kDeleting) write_endpoint(json, "Endpoint", context, cluster, true, index);
    write_time(json, "NodeCreateTime", node.created_ms);
  }
  json.member("AvailabilityZone", node.zone);
  json.member("NodeStatus", clusters::word_of(status));
  json.member("ParameterGroupStatus", clusters::needs_reboot(cluster, node) ? "pending-reboot" : "in-sync");
  json.end_object();
}

void write_nodes(JsonWriter& json, const Context& context, const Cluster& cluster, int64_t now_ms) {
  const ClusterStatus status = clusters::status_of(cluster, now_ms);
  int64_t active = 0;
  for (const Node& node : cluster.nodes) {
    active += clusters::status_of(cluster, node, now_ms) == NodeStatus::kAvailable ? 1 : 0;
  }
  json.member("TotalNodes", clusters::lasting_nodes(cluster));
  json.member("ActiveNodes", active);
  json.begin_array("NodeIdsToRemove");
  for (const Node& node : cluster.nodes) {
    if (node.removed_ms != 0) json.string(node.id);
  }
  json.end_array();
  json.begin_array("Nodes");
  // As in AWS, nodes are shown once all of them are there.
  if (status != ClusterStatus::kCreating && status != ClusterStatus::kDeleting) {
    for (size_t i = 0; i < cluster.nodes.size(); ++i) write_node(json, context, cluster, i, now_ms);
  }
  json.end_array();
}

void write_parameter_status(JsonWriter& json, const Cluster& cluster) {
  std::vector<std::string> pending;
  for (const Node& node : cluster.nodes) {
    if (node.removed_ms == 0 && clusters::needs_reboot(cluster, node)) pending.push_back(node.id);
  }
  json.begin_object("ParameterGroup");
  json.member("ParameterGroupName", cluster.parameter_group);
  json.member("ParameterApplyStatus", pending.empty() ? "in-sync" : "pending-reboot");
  json.begin_array("NodeIdsToReboot");
  for (const std::string& id : pending) json.string(id);
  json.end_array();
  json.end_object();
}

void write_security_groups(JsonWriter& json, const Cluster& cluster) {
  json.begin_array("SecurityGroups");
  for (const std::string& id : cluster.security_groups) {
    json.begin_object();
    json.member("SecurityGroupIdentifier", id);
    json.member("Status", "active");
    json.end_object();
  }
  json.end_array();
}

void write_network_types(JsonWriter& json) {
  json.begin_array("SupportedNetworkTypes");
  json.string("ipv4");
  json.string("ipv6");
  json.end_array();
}

template <class Write>
std::string encode_one(std::string_view member, Write write) {
  JsonWriter json;
  json.begin_object();
  json.begin_object(member);
  write(json);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

}  // namespace

void write_cluster(JsonWriter& json, const Context& context, const Cluster& cluster, int64_t now_ms) {
  const ClusterStatus status = clusters::status_of(cluster, now_ms);
  std::string arn;
  append_cluster_arn(arn, context, cluster.name);
  json.member("ClusterName", cluster.name);
  if (cluster.description) json.member("Description", *cluster.description);
  json.member("ClusterArn", arn);
  json.member("NodeType", cluster.node_type);
  json.member("Status", clusters::word_of(status));
  const bool is_ready = status != ClusterStatus::kCreating && status != ClusterStatus::kDeleting;
  write_endpoint(json, "ClusterDiscoveryEndpoint", context, cluster, is_ready);
  write_nodes(json, context, cluster, now_ms);
  json.member("PreferredMaintenanceWindow", cluster.window);
  if (cluster.topic) {
    json.begin_object("NotificationConfiguration");
    json.member("TopicArn", *cluster.topic);
    json.member("TopicStatus", "inactive");
    json.end_object();
  }
  json.member("SubnetGroup", cluster.subnet_group);
  write_security_groups(json, cluster);
  json.member("IamRoleArn", cluster.role);
  write_parameter_status(json, cluster);
  json.begin_object("SSEDescription");
  json.member("Status", cluster.encrypted ? "ENABLED" : "DISABLED");
  json.end_object();
  json.member("ClusterEndpointEncryptionType", cluster.tls ? "TLS" : "NONE");
  json.member("NetworkType", word_of(cluster.network));
}

std::string encode_cluster(const Context& context, const clusters::ClusterAt& cluster) {
  return encode_one("Cluster",
                    [&](JsonWriter& json) { write_cluster(json, context, cluster.cluster, cluster.now_ms); });
}

void write_parameter_group(JsonWriter& json, const clusters::ParameterGroup& group) {
  json.member("ParameterGroupName", group.name);
  json.member("Description", group.description);
}

std::string encode_parameter_group(const clusters::ParameterGroup& group) {
  return encode_one("ParameterGroup", [&](JsonWriter& json) { write_parameter_group(json, group); });
}

// There is no VPC: its id, and the zones of subnets, stand for those of AWS.
void write_subnet_group(JsonWriter& json, const Context& context, const clusters::SubnetGroup& group) {
  constexpr size_t kZones = 3;
  json.member("SubnetGroupName", group.name);
  json.member("Description", group.description);
  json.member("VpcId", "vpc-00000000");
  json.begin_array("Subnets");
  for (size_t i = 0; i < group.subnets.size(); ++i) {
    json.begin_object();
    json.member("SubnetIdentifier", group.subnets[i]);
    json.member("SubnetAvailabilityZone", context.caller.region + static_cast<char>('a' + i % kZones));
    write_network_types(json);
    json.end_object();
  }
  json.end_array();
  write_network_types(json);
}

std::string encode_subnet_group(const Context& context, const clusters::SubnetGroup& group) {
  return encode_one("SubnetGroup", [&](JsonWriter& json) { write_subnet_group(json, context, group); });
}

void write_cluster_tag(JsonWriter& json, const std::string& key, const std::string& value) {
  json.member("Key", key);
  json.member("Value", value);
}

std::string encode_cluster_tags(const clusters::Tags& tags) {
  JsonWriter json;
  json.begin_object();
  json.begin_array("Tags");
  for (const auto& [key, value] : tags) {
    json.begin_object();
    write_cluster_tag(json, key, value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

std::string encode_parameters(const clusters::PageOf<clusters::Parameter>& page) {
  return encode_page("Parameters", page, [](JsonWriter& json, const clusters::Parameter& one) {
    json.member("ParameterName", one.name);
    json.member("ParameterType", "DEFAULT");
    json.member("ParameterValue", std::to_string(one.value));
    json.begin_array("NodeTypeSpecificValues");
    json.end_array();
    json.member("Description", one.description);
    json.member("Source", "user");
    json.member("DataType", "integer");
    json.member("AllowedValues", "0-");
    json.member("IsModifiable", "TRUE");
    json.member("ChangeType", "IMMEDIATE");
  });
}

std::string encode_deletion(const std::string& message) {
  JsonWriter json;
  json.begin_object();
  json.member("DeletionMessage", message);
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::ops
