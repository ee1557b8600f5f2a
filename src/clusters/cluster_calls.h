// The calls of DAX's control API on the cluster. Errors of all beside their faults: kClusterBusy, those of the engine,
// kCorrupt. Members of requests are copied into the tasks where they are needed after the first suspension.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "api/clusters.h"
#include "base/result.h"
#include "base/task.h"
#include "clusters/cluster.h"
#include "clusters/dax_address.h"
#include "clusters/page.h"
#include "table/catalog/table_context.h"

namespace partita::clusters {

// As it is then. Statuses are those of that time.
struct ClusterAt {
  Cluster cluster;
  int64_t now_ms = 0;
};

// Of several clusters at one time.
struct ClusterPage {
  PageOf<Cluster> page;
  int64_t now_ms = 0;
};

// Faults of all but create_cluster(): kClusterNotFound; of those that change the cluster: kClusterState. kClusterValue
// is a fault of each.

// `address` must have the port for the encryption that the request asks for. Faults: kClusterExists, kClusterQuota,
// kClusterCapacity, kClusterNodeQuota, kClusterCombination, kClusterTagQuota, kParameterGroupNotFound,
// kSubnetGroupNotFound.
Task<Result<ClusterAt>> create_cluster(table::TableContext& context, DaxAddress address,
                                       const api::CreateClusterRequest& request);
// Fault: kParameterGroupNotFound.
Task<Result<ClusterAt>> update_cluster(table::TableContext& context, const api::UpdateClusterRequest& request);
Task<Result<ClusterAt>> delete_cluster(table::TableContext& context, const std::string& name);
Task<Result<ClusterPage>> list_clusters(table::TableContext& context, const api::NamedPageRequest& request);

// Fault: kClusterNodeQuota.
Task<Result<ClusterAt>> add_replicas(table::TableContext& context, const api::ResizeClusterRequest& request);
// Faults: kClusterCombination, kClusterNoNode.
Task<Result<ClusterAt>> remove_replicas(table::TableContext& context, const api::ResizeClusterRequest& request);
// Afterwards the node has the values of the cluster's parameter group. Fault: kClusterNoNode.
Task<Result<ClusterAt>> reboot_node(table::TableContext& context, const api::NodeRequest& request);

using Tags = std::map<std::string, std::string>;
struct TagPage {
  PageOf<std::pair<std::string, std::string>> page;
};
Task<Result<TagPage>> tags_of_cluster(table::TableContext& context, const api::ClusterTagsRequest& request);
// Fault: kClusterTagQuota.
Task<Result<Tags>> tag_cluster(table::TableContext& context, const api::ClusterTagsRequest& request);
// Fault: kClusterNoTag.
Task<Result<Tags>> untag_cluster(table::TableContext& context, const api::ClusterTagsRequest& request);

// The cluster of that name, if it exists. Faults: kClusterNotFound.
Result<Cluster*> named_cluster(std::optional<Cluster>& cluster, const std::string& name);
// The same, if it is available. Fault: kClusterState.
Result<Cluster*> available_cluster(std::optional<Cluster>& cluster, const std::string& name, int64_t now_ms);

}  // namespace partita::clusters
