#include "clusters/cluster.h"

#include <algorithm>

namespace partita::clusters {

namespace {

// Whether what began then still lasts. The clock may have been set back; then it does not.
bool lasts(int64_t since_ms, int64_t for_ms, int64_t now_ms) {
  return since_ms != 0 && now_ms >= since_ms && now_ms - since_ms < for_ms;
}

std::string free_id(const Cluster& cluster) {
  for (char letter = 'a';; ++letter) {
    std::string id = cluster.name + '-' + letter;
    if (std::ranges::find(cluster.nodes, id, &Node::id) == cluster.nodes.end()) return id;
  }
}

}  // namespace

ClusterStatus status_of(const Cluster& cluster, int64_t now_ms) {
  if (cluster.deleted_ms != 0) return ClusterStatus::kDeleting;
  if (lasts(cluster.created_ms, kCreatingMs, now_ms)) return ClusterStatus::kCreating;
  if (lasts(cluster.changed_ms, kModifyingMs, now_ms)) return ClusterStatus::kModifying;
  return ClusterStatus::kAvailable;
}

std::string_view word_of(ClusterStatus status) {
  switch (status) {
    case ClusterStatus::kCreating:
      return "creating";
    case ClusterStatus::kModifying:
      return "modifying";
    case ClusterStatus::kDeleting:
      return "deleting";
    case ClusterStatus::kAvailable:
      break;
  }
  return "available";
}

void settle(std::optional<Cluster>& cluster, int64_t now_ms) {
  if (!cluster) return;
  if (cluster->deleted_ms != 0 && !lasts(cluster->deleted_ms, kDeletingMs, now_ms)) {
    cluster.reset();
    return;
  }
  std::erase_if(cluster->nodes, [&](const Node& node) {
    return node.removed_ms != 0 && !lasts(node.removed_ms, kModifyingMs, now_ms);
  });
}

NodeStatus status_of(const Cluster& cluster, const Node& node, int64_t now_ms) {
  if (node.removed_ms != 0 || cluster.deleted_ms != 0) return NodeStatus::kDeleting;
  if (lasts(node.created_ms, kCreatingMs, now_ms)) return NodeStatus::kCreating;
  if (lasts(node.rebooted_ms, kRebootingMs, now_ms)) return NodeStatus::kRebooting;
  return NodeStatus::kAvailable;
}

std::string_view word_of(NodeStatus status) {
  switch (status) {
    case NodeStatus::kCreating:
      return "creating";
    case NodeStatus::kRebooting:
      return "rebooting";
    case NodeStatus::kDeleting:
      return "deleting";
    case NodeStatus::kAvailable:
      break;
  }
  return "available";
}

bool uses_parameters(const Cluster& cluster, std::string_view group) {
  return cluster.parameter_group == group ||
         std::ranges::find(cluster.nodes, group, &Node::parameter_group) != cluster.nodes.end();
}

void add_nodes(Cluster& cluster, size_t count, const std::vector<std::string>& zones, int64_t now_ms) {
  size_t zone = 0;
  while (lasting_nodes(cluster) < count) {
    Node node;
    node.id = free_id(cluster);
    node.zone = zones[zone++ % zones.size()];
    node.parameter_group = cluster.parameter_group;
    node.created_ms = now_ms;
    cluster.nodes.push_back(std::move(node));
  }
}

size_t lasting_nodes(const Cluster& cluster) {
  return static_cast<size_t>(std::ranges::count(cluster.nodes, 0, &Node::removed_ms));
}

ParameterGroup default_parameters() {
  return {.name = std::string(kDefaultParameterGroup), .description = "Default parameter group for DAX1.0"};
}

SubnetGroup default_subnets() {
  return {.name = std::string(kDefaultSubnetGroup),
          .description = "Default subnet group",
          .subnets = {"subnet-00000000", "subnet-00000001", "subnet-00000002"}};
}

}  // namespace partita::clusters
