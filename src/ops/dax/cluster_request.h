// What several requests of DAX's control API have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/clusters.h"
#include "base/result.h"
#include "ops/operation.h"
#include "wire/members.h"

namespace partita::ops {

// Names of clusters and of subnet groups are stored in lower case.
std::string lower_name(std::string_view name);
std::string decode_lower_name(const wire::Members& in, wire::Field field);
// Absent: it was not sent.
std::optional<std::string> decode_sent_text(const wire::Members& in, wire::Field field);
// MaxResults and NextToken.
api::PageRequest decode_page(const wire::Members& in);
std::vector<api::Tag> decode_cluster_tags(const wire::Members& in);
// ClusterName, NewReplicationFactor and the zones; NodeIdsToRemove, if the shape has it.
api::ResizeClusterRequest decode_resize(const wire::Members& in);
// SubnetGroupName, Description and SubnetIds.
api::SubnetGroupRequest decode_subnet_group(const wire::Members& in);
// ResourceName, as an ARN, and the name of the cluster in it. Fault: kClusterArn.
Result<api::ClusterTagsRequest> decode_cluster_arn(const wire::Members& in);
// Whether the ARN is of the caller's region and account. Fault: kClusterNotFound.
Result<void> check_cluster_arn(const Context& context, const api::ClusterTagsRequest& request);

// For Subject::cluster, of requests about all clusters.
extern const std::string kAllClusters;

}  // namespace partita::ops
