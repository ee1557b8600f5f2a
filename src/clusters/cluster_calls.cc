#include "clusters/cluster_calls.h"

#include "clusters/checks.h"
#include "clusters/store.h"
#include "model/fault.h"

namespace partita::clusters {

namespace {

using api::EventSource;
using model::Fault;
using model::refuse;

constexpr std::string_view kDefaultWindow = "sun:05:00-sun:06:00";
constexpr std::string_view kDefaultSecurityGroup = "sg-00000000";

Result<void> check_create(const api::CreateClusterRequest& request) {
  PARTITA_TRY_VOID(check_cluster_name(request.name));
  PARTITA_TRY_VOID(check_node_type(request.node_type));
  PARTITA_TRY_VOID(check_description(request.description));
  if (request.nodes < 1) return refuse(Fault::kClusterValue, {"ReplicationFactor", "must be at least 1"});
  if (request.nodes > static_cast<int64_t>(kMostNodes)) {
    return refuse(Fault::kClusterNodeQuota, {std::to_string(kMostNodes)});
  }
  PARTITA_TRY_VOID(check_zones(request.zones, request.region));
  if (!request.zones.empty() && request.zones.size() != static_cast<size_t>(request.nodes)) {
    return refuse(Fault::kClusterCombination, {"AvailabilityZones must have as many zones as ReplicationFactor says."});
  }
  PARTITA_TRY_VOID(check_security_groups(request.security_groups));
  if (request.window) PARTITA_TRY_VOID(check_window(*request.window));
  if (request.topic) PARTITA_TRY_VOID(check_topic(*request.topic));
  PARTITA_TRY_VOID(check_role(request.role));
  PARTITA_TRY_VOID(check_group_name("ParameterGroupName", request.parameter_group));
  PARTITA_TRY_VOID(check_group_name("SubnetGroupName", request.subnet_group));
  PARTITA_TRY_VOID(check_tags(request.tags));
  if (request.tags.size() > kMostTags) return refuse(Fault::kClusterTagQuota, {std::to_string(kMostTags)});
  return {};
}

Result<void> check_address(const DaxAddress& address, bool tls) {
  if (tls && address.encrypted.empty()) {
    return refuse(Fault::kClusterCapacity,
                  {"--dax-tls HOST:PORT, or ask for ClusterEndpointEncryptionType NONE of a server with --dax"});
  }
  if (!tls && address.plain.empty()) {
    return refuse(Fault::kClusterCapacity,
                  {"--dax HOST:PORT, or ask for ClusterEndpointEncryptionType TLS of a server with --dax-tls"});
  }
  return {};
}

Cluster cluster_of(const api::CreateClusterRequest& request, int64_t now_ms) {
  Cluster cluster;
  cluster.name = request.name;
  cluster.description = request.description;
  cluster.node_type = request.node_type;
  cluster.window = request.window.value_or(std::string(kDefaultWindow));
  cluster.topic = request.topic;
  cluster.subnet_group = request.subnet_group;
  cluster.security_groups = request.security_groups;
  if (cluster.security_groups.empty()) cluster.security_groups.emplace_back(kDefaultSecurityGroup);
  cluster.role = request.role;
  cluster.parameter_group = request.parameter_group;
  cluster.encrypted = request.encrypted;
  cluster.tls = request.tls;
  cluster.network = request.network;
  for (const api::Tag& tag : request.tags) cluster.tags.emplace(*tag.key, tag.value.value_or(""));
  cluster.created_ms = now_ms;
  std::vector<std::string> zones = request.zones;
  if (zones.empty()) zones = {request.region + 'a', request.region + 'b', request.region + 'c'};
  add_nodes(cluster, static_cast<size_t>(request.nodes), zones, now_ms);
  return cluster;
}

Result<void> create_in(State& state, const api::CreateClusterRequest& request) {
  if (state.cluster) {
    if (state.cluster->name == request.name) return refuse(Fault::kClusterExists, {request.name});
    return refuse(Fault::kClusterQuota, {state.cluster->name});
  }
  if (!state.parameters) return refuse(Fault::kParameterGroupNotFound, {request.parameter_group});
  if (!state.subnets) return refuse(Fault::kSubnetGroupNotFound, {request.subnet_group});
  state.cluster = cluster_of(request, state.now_ms);
  for (const Node& node : state.cluster->nodes) {
    state.add_event(EventSource::kCluster, request.name, "Added node " + node.id + ".", kCreatingMs);
  }
  state.add_event(EventSource::kCluster, request.name, "Cluster created.", kCreatingMs);
  return {};
}

Result<void> check_update(const api::UpdateClusterRequest& request) {
  PARTITA_TRY_VOID(check_description(request.description));
  if (request.window) PARTITA_TRY_VOID(check_window(*request.window));
  if (request.topic) PARTITA_TRY_VOID(check_topic(*request.topic));
  if (request.topic_status && *request.topic_status != "inactive") {
    return refuse(Fault::kClusterValue, {"NotificationTopicStatus",
                                         "can only be inactive: Partita publishes no events to topics, read them by "
                                         "DescribeEvents"});
  }
  if (request.security_groups) PARTITA_TRY_VOID(check_security_groups(*request.security_groups));
  if (request.parameter_group) PARTITA_TRY_VOID(check_group_name("ParameterGroupName", *request.parameter_group));
  return {};
}

Result<void> update_in(State& state, const api::UpdateClusterRequest& request) {
  PARTITA_TRY(Cluster* const cluster, available_cluster(state.cluster, request.name, state.now_ms));
  if (request.parameter_group) {
    if (!state.parameters) return refuse(Fault::kParameterGroupNotFound, {*request.parameter_group});
    cluster->parameter_group = *request.parameter_group;
  }
  if (request.description) cluster->description = request.description;
  if (request.window) cluster->window = *request.window;
  if (request.topic) cluster->topic = request.topic;
  if (request.security_groups) {
    cluster->security_groups = *request.security_groups;
    if (cluster->security_groups.empty()) cluster->security_groups.emplace_back(kDefaultSecurityGroup);
  }
  cluster->changed_ms = state.now_ms;
  state.add_event(EventSource::kCluster, cluster->name, "Cluster updated.", kModifyingMs);
  return {};
}

ClusterAt cluster_at(State state) { return {*std::move(state.cluster), state.now_ms}; }

}  // namespace

Result<Cluster*> named_cluster(std::optional<Cluster>& cluster, const std::string& name) {
  if (cluster && cluster->name == name) return &*cluster;
  return refuse(Fault::kClusterNotFound, {name});
}

Result<Cluster*> available_cluster(std::optional<Cluster>& cluster, const std::string& name, int64_t now_ms) {
  PARTITA_TRY(Cluster* const found, named_cluster(cluster, name));
  const ClusterStatus status = status_of(*found, now_ms);
  if (status == ClusterStatus::kAvailable) return found;
  return refuse(Fault::kClusterState, {name, std::string(word_of(status))});
}

Task<Result<ClusterAt>> create_cluster(table::TableContext& context, DaxAddress address,
                                       const api::CreateClusterRequest& request) {
  PARTITA_CO_TRY_VOID(check_create(request));
  PARTITA_CO_TRY_VOID(check_address(address, request.tls));
  StateNames names{request.parameter_group, request.subnet_group};
  StateChange change = [&request](State& state) { return create_in(state, request); };
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return cluster_at(std::move(state));
}

Task<Result<ClusterAt>> update_cluster(table::TableContext& context, const api::UpdateClusterRequest& request) {
  PARTITA_CO_TRY_VOID(check_update(request));
  StateNames names{request.parameter_group.value_or(""), {}};
  StateChange change = [&request](State& state) { return update_in(state, request); };
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return cluster_at(std::move(state));
}

Task<Result<ClusterAt>> delete_cluster(table::TableContext& context, const std::string& name) {
  StateChange change = [&name](State& state) -> Result<void> {
    PARTITA_TRY(Cluster* const cluster, available_cluster(state.cluster, name, state.now_ms));
    cluster->deleted_ms = state.now_ms;
    for (const Node& node : cluster->nodes) {
      state.add_event(EventSource::kCluster, name, "Removed node " + node.id + ".", kDeletingMs);
    }
    state.add_event(EventSource::kCluster, name, "Cluster deleted.", kDeletingMs);
    return {};
  };
  StateNames names;
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return cluster_at(std::move(state));
}

Task<Result<ClusterPage>> list_clusters(table::TableContext& context, const api::NamedPageRequest& request) {
  const int64_t now_ms = context.clock().now_ms();
  PARTITA_CO_TRY(std::optional<Cluster> cluster, co_await read_cluster(context));
  for (const std::string& name : request.names) {
    auto named = named_cluster(cluster, name);
    if (!named.ok()) co_return std::move(named).error();
  }
  std::vector<Cluster> all;
  if (cluster) all.push_back(*std::move(cluster));
  PARTITA_CO_TRY(PageOf<Cluster> page, page_by_name(std::move(all), request.page, "clusters:"));
  co_return ClusterPage{std::move(page), now_ms};
}

}  // namespace partita::clusters
