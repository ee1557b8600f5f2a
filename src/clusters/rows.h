// The rows of clusters, groups and events, as bytes: docs/formats/clusters.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "clusters/cluster.h"
#include "storage/engine.h"

namespace partita::clusters {

// There is one cluster at most.
storage::Key cluster_key();
storage::Key parameter_group_key(std::string_view name);
storage::Key subnet_group_key(std::string_view name);
storage::Key event_key(const Event& event);
storage::Range all_parameter_groups();
storage::Range all_subnet_groups();
// The oldest sorts first.
storage::Range all_events();

std::string cluster_row(const Cluster& cluster);
std::string parameter_group_row(const ParameterGroup& group);
std::string subnet_group_row(const SubnetGroup& group);
std::string event_row(const Event& event);

// Error of all: kCorrupt.
Result<Cluster> cluster_from(std::string_view row);
Result<ParameterGroup> parameter_group_from(std::string_view row);
Result<SubnetGroup> subnet_group_from(std::string_view row);
Result<Event> event_from(std::string_view row);

}  // namespace partita::clusters
