// The calls of DAX's control API: clusters, parameter groups, subnet groups, events and tags. See reads.h for what
// holds for all requests. Times are milliseconds since 1970. Names of clusters and subnet groups are in lower case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/tables.h"

namespace partita::api {

enum class NetworkType : uint8_t { kIpv4, kIpv6, kDualStack };

struct CreateClusterRequest {
  std::string name = {};
  std::string node_type = {};
  std::optional<std::string> description = {};
  int64_t nodes = 0;                    // ReplicationFactor
  std::vector<std::string> zones = {};  // empty: not sent
  std::string subnet_group = "default";
  std::vector<std::string> security_groups = {};
  std::optional<std::string> window = {};  // PreferredMaintenanceWindow
  std::optional<std::string> topic = {};   // NotificationTopicArn
  std::string role = {};
  std::string parameter_group = "default.dax1.0";
  std::vector<Tag> tags = {};
  bool encrypted = false;  // SSESpecification
  bool tls = false;        // ClusterEndpointEncryptionType
  NetworkType network = NetworkType::kIpv4;
  std::string region = {};  // the caller's
};

// Members that are absent stay as they are.
struct UpdateClusterRequest {
  std::string name = {};
  std::optional<std::string> description = {};
  std::optional<std::string> window = {};
  std::optional<std::string> topic = {};
  std::optional<std::string> topic_status = {};
  std::optional<std::string> parameter_group = {};
  std::optional<std::vector<std::string>> security_groups = {};
};

// IncreaseReplicationFactor and DecreaseReplicationFactor.
struct ResizeClusterRequest {
  std::string name = {};
  int64_t nodes = 0;
  std::vector<std::string> zones = {};
  std::vector<std::string> removed = {};  // NodeIdsToRemove
  std::string region = {};                // the caller's
};

struct NodeRequest {
  std::string cluster = {};
  std::string node = {};
};

// MaxResults and NextToken.
struct PageRequest {
  std::optional<int64_t> most = {};
  std::string after = {};
};

// DescribeClusters, DescribeParameterGroups and DescribeSubnetGroups. No names: all.
struct NamedPageRequest {
  std::vector<std::string> names = {};
  PageRequest page = {};
};

struct ParametersRequest {
  std::string group = {};  // empty: the default values
  std::optional<std::string> source = {};
  PageRequest page = {};
};

struct ParameterGroupRequest {
  std::string name = {};
  std::string description = {};
  std::vector<std::pair<std::string, std::string>> values = {};  // of UpdateParameterGroup: names and values
};

struct SubnetGroupRequest {
  std::string name = {};
  std::optional<std::string> description = {};
  std::optional<std::vector<std::string>> subnets = {};  // always in CreateSubnetGroup
};

enum class EventSource : uint8_t { kCluster, kParameterGroup, kSubnetGroup };

struct EventsRequest {
  std::optional<std::string> name = {};
  std::optional<EventSource> source = {};
  std::optional<double> start_s = {};  // seconds since 1970
  std::optional<double> end_s = {};
  std::optional<int64_t> minutes = {};
  PageRequest page = {};
};

// TagResource, UntagResource and ListTags.
struct ClusterTagsRequest {
  std::string arn = {};
  std::string name = {};  // of the cluster, from the ARN
  std::vector<Tag> tags = {};
  std::vector<std::string> dropped = {};
  std::string after = {};
};

}  // namespace partita::api
