// The number of nodes, and their reboots.
#include <algorithm>
#include <set>

#include "clusters/checks.h"
#include "clusters/cluster_calls.h"
#include "clusters/store.h"
#include "model/fault.h"

namespace partita::clusters {

namespace {

using api::EventSource;
using model::Fault;
using model::refuse;

Result<void> add_in(State& state, const api::ResizeClusterRequest& request) {
  PARTITA_TRY(Cluster* const cluster, available_cluster(state.cluster, request.name, state.now_ms));
  const size_t before = lasting_nodes(*cluster);
  if (request.nodes <= static_cast<int64_t>(before)) {
    return refuse(Fault::kClusterValue, {"NewReplicationFactor", "must be more than " + std::to_string(before)});
  }
  std::vector<std::string> zones = request.zones;
  if (zones.empty()) {
    // In turn with those that there are.
    const std::vector<std::string> all{request.region + 'a', request.region + 'b', request.region + 'c'};
    for (size_t i = 0; i < all.size(); ++i) zones.push_back(all[(before + i) % all.size()]);
  }
  add_nodes(*cluster, static_cast<size_t>(request.nodes), zones, state.now_ms);
  cluster->changed_ms = state.now_ms;
  for (const Node& node : cluster->nodes) {
    if (node.created_ms != state.now_ms || node.removed_ms != 0) continue;
    state.add_event(EventSource::kCluster, cluster->name, "Added node " + node.id + ".", kModifyingMs);
  }
  return {};
}

// The nodes that a request removes: those that it names, or the newest in the zones that it names, or the newest.
Result<std::set<std::string>> removed_by(const Cluster& cluster, const api::ResizeClusterRequest& request) {
  const size_t count = lasting_nodes(cluster) - static_cast<size_t>(request.nodes);
  std::set<std::string> removed(request.removed.begin(), request.removed.end());
  for (const std::string& id : removed) {
    const auto node = std::ranges::find(cluster.nodes, id, &Node::id);
    if (node == cluster.nodes.end() || node->removed_ms != 0) return refuse(Fault::kClusterNoNode, {id});
  }
  if (!request.removed.empty()) {
    if (removed.size() == count) return removed;
    return refuse(Fault::kClusterCombination,
                  {"NodeIdsToRemove must have as many nodes as NewReplicationFactor removes, "
                   "which is " +
                   std::to_string(count) + "."});
  }
  for (auto node = cluster.nodes.rbegin(); node != cluster.nodes.rend() && removed.size() < count; ++node) {
    const bool wanted = request.zones.empty() || std::ranges::find(request.zones, node->zone) != request.zones.end();
    if (wanted && node->removed_ms == 0) removed.insert(node->id);
  }
  if (removed.size() == count) return removed;
  return refuse(Fault::kClusterValue, {"AvailabilityZones", "must be zones with enough nodes to remove"});
}

Result<void> remove_in(State& state, const api::ResizeClusterRequest& request) {
  PARTITA_TRY(Cluster* const cluster, available_cluster(state.cluster, request.name, state.now_ms));
  const size_t before = lasting_nodes(*cluster);
  if (request.nodes >= static_cast<int64_t>(before)) {
    return refuse(Fault::kClusterValue, {"NewReplicationFactor", "must be less than " + std::to_string(before)});
  }
  PARTITA_TRY(const std::set<std::string> removed, removed_by(*cluster, request));
  for (Node& node : cluster->nodes) {
    if (!removed.contains(node.id)) continue;
    node.removed_ms = state.now_ms;
    state.add_event(EventSource::kCluster, cluster->name, "Removed node " + node.id + ".", kModifyingMs);
  }
  cluster->changed_ms = state.now_ms;
  return {};
}

ClusterAt resized(State state) { return {*std::move(state.cluster), state.now_ms}; }

}  // namespace

Task<Result<ClusterAt>> add_replicas(table::TableContext& context, const api::ResizeClusterRequest& request) {
  if (request.nodes > static_cast<int64_t>(kMostNodes)) {
    co_return refuse(Fault::kClusterNodeQuota, {std::to_string(kMostNodes)});
  }
  PARTITA_CO_TRY_VOID(check_zones(request.zones, request.region));
  StateChange change = [&request](State& state) { return add_in(state, request); };
  StateNames names;
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return resized(std::move(state));
}

Task<Result<ClusterAt>> remove_replicas(table::TableContext& context, const api::ResizeClusterRequest& request) {
  if (request.nodes < 1) {
    co_return refuse(Fault::kClusterValue, {"NewReplicationFactor", "must be at least 1: use DeleteCluster"});
  }
  if (!request.zones.empty() && !request.removed.empty()) {
    co_return refuse(Fault::kClusterCombination, {"Use AvailabilityZones or NodeIdsToRemove, not both."});
  }
  PARTITA_CO_TRY_VOID(check_zones(request.zones, request.region));
  StateChange change = [&request](State& state) { return remove_in(state, request); };
  StateNames names;
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return resized(std::move(state));
}

Task<Result<ClusterAt>> reboot_node(table::TableContext& context, const api::NodeRequest& request) {
  StateChange change = [&request](State& state) -> Result<void> {
    PARTITA_TRY(Cluster* const cluster, available_cluster(state.cluster, request.cluster, state.now_ms));
    const auto node = std::ranges::find(cluster->nodes, request.node, &Node::id);
    if (node == cluster->nodes.end()) return refuse(Fault::kClusterNoNode, {request.node});
    node->rebooted_ms = state.now_ms;
    node->parameter_group = cluster->parameter_group;
    state.add_event(EventSource::kCluster, cluster->name, "Rebooted node " + node->id + ".", kRebootingMs);
    return {};
  };
  StateNames names;
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return resized(std::move(state));
}

}  // namespace partita::clusters
