// DAX's cluster of this server, its groups and its events, as the store has them: docs/formats/clusters.md. A cluster
// is made of stored times alone: its status at a moment follows from them, and nothing works in the background. Its
// nodes are names for this server, which answers at one address whatever their number.
//
// Times are milliseconds since 1970, 0 for never. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/cache_times.h"
#include "api/clusters.h"

namespace partita::clusters {

// How long a cluster is seen creating, modifying and deleting, and a node rebooting. AWS takes minutes; these are long
// enough to be seen by a client that looks at once, and short enough for waiters.
inline constexpr int64_t kCreatingMs = 200;
inline constexpr int64_t kModifyingMs = 200;
inline constexpr int64_t kDeletingMs = 200;
inline constexpr int64_t kRebootingMs = 200;

// "Quotas" of DAX in the developer guide.
inline constexpr size_t kMostNodes = 11;
inline constexpr size_t kMostTags = 50;
inline constexpr size_t kMostParameterGroups = 20;
inline constexpr size_t kMostSubnetGroups = 50;
inline constexpr size_t kMostSubnets = 20;

// They exist without a row.
inline constexpr std::string_view kDefaultParameterGroup = "default.dax1.0";
inline constexpr std::string_view kDefaultSubnetGroup = "default";
inline constexpr int64_t kDefaultTtlMs = api::CacheTimes::kDefaultMs;

struct Node {
  std::string id = {};  // "NAME-a"
  std::string zone = {};
  std::string parameter_group = {};  // whose values it has had since it was created or rebooted
  int64_t created_ms = 0;
  int64_t rebooted_ms = 0;
  int64_t removed_ms = 0;
  bool operator==(const Node&) const = default;
};

struct Cluster {
  std::string name = {};
  std::optional<std::string> description = {};
  std::string node_type = {};
  std::vector<Node> nodes = {};  // the first one is the primary
  std::string window = {};
  std::optional<std::string> topic = {};
  std::string subnet_group = {};
  std::vector<std::string> security_groups = {};
  std::string role = {};
  std::string parameter_group = {};
  bool encrypted = false;
  bool tls = false;
  api::NetworkType network = api::NetworkType::kIpv4;
  std::map<std::string, std::string> tags = {};
  int64_t created_ms = 0;
  int64_t changed_ms = 0;  // since when it has been modifying
  int64_t deleted_ms = 0;
  bool operator==(const Cluster&) const = default;
};

struct ParameterGroup {
  std::string name = {};
  std::string description = {};
  int64_t record_ttl_ms = kDefaultTtlMs;
  int64_t query_ttl_ms = kDefaultTtlMs;
  bool operator==(const ParameterGroup&) const = default;
};

struct SubnetGroup {
  std::string name = {};
  std::string description = {};
  std::vector<std::string> subnets = {};
  bool operator==(const SubnetGroup&) const = default;
};

struct Event {
  std::string name = {};  // of the cluster or the group
  api::EventSource source = api::EventSource::kCluster;
  std::string message = {};
  int64_t at_ms = 0;    // may be ahead: the end of what a call began
  uint64_t number = 0;  // tells apart those of one time
  bool operator==(const Event&) const = default;
};

enum class ClusterStatus : uint8_t { kCreating, kAvailable, kModifying, kDeleting };

ClusterStatus status_of(const Cluster& cluster, int64_t now_ms);
std::string_view word_of(ClusterStatus status);

// Drops what has ended by then: nodes that were removed, or the cluster.
void settle(std::optional<Cluster>& cluster, int64_t now_ms);

enum class NodeStatus : uint8_t { kCreating, kAvailable, kRebooting, kDeleting };
// Precondition: settle().
NodeStatus status_of(const Cluster& cluster, const Node& node, int64_t now_ms);
std::string_view word_of(NodeStatus status);

// Whether the node has other values than those of the cluster's parameter group, until it is rebooted.
inline bool needs_reboot(const Cluster& cluster, const Node& node) {
  return node.parameter_group != cluster.parameter_group;
}
// Whether the cluster or one of its nodes has the values of that group.
bool uses_parameters(const Cluster& cluster, std::string_view group);

// Adds nodes until there are `count` that are not being removed. Their zones are those of `zones` in turn. Ids are the
// first free ones.
void add_nodes(Cluster& cluster, size_t count, const std::vector<std::string>& zones, int64_t now_ms);
// How many nodes are not being removed.
size_t lasting_nodes(const Cluster& cluster);

ParameterGroup default_parameters();
SubnetGroup default_subnets();

}  // namespace partita::clusters
