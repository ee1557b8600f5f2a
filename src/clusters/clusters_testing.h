// For tests: a database in memory, and requests as short as can be.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/blocking_scope.h"
#include "base/clock.h"
#include "base/random.h"
#include "clusters/cluster_calls.h"
#include "clusters/events.h"
#include "clusters/groups.h"
#include "clusters/settings.h"
#include "engines/memory/memory_engine.h"
#include "model/fault.h"
#include "table/open/database.h"

namespace partita::clusters {

inline const DaxAddress kAddress{.plain = {{"127.0.0.1", 8111}}, .encrypted = {{"127.0.0.1", 9111}}};

class ClustersTest : public testing::Test {
 protected:
  ClustersTest() { database_ = table::Database::open(*engine_, clock_, random_).value(); }

  static api::CreateClusterRequest wanted(const std::string& name = "cache", int64_t nodes = 3) {
    api::CreateClusterRequest request;
    request.name = name;
    request.node_type = "dax.r5.large";
    request.nodes = nodes;
    request.role = "arn:aws:iam::123456789012:role/dax";
    request.region = "us-east-1";
    return request;
  }
  Result<ClusterAt> create(const api::CreateClusterRequest& request, const DaxAddress& address = kAddress) {
    return wait_for(create_cluster(*database_, address, request));
  }
  // Creates the cluster and waits until it is available.
  void make(const std::string& name = "cache", int64_t nodes = 3) {
    ASSERT_TRUE(create(wanted(name, nodes)).ok());
    settle_down();
  }
  // Lets all that has begun end.
  void settle_down() { clock_.advance_ms(1'000); }

  std::vector<Cluster> clusters() {
    const api::NamedPageRequest all;
    return wait_for(list_clusters(*database_, all)).value().page.found;
  }
  ClusterStatus status() { return status_of(clusters().at(0), clock_.now_ms()); }
  std::vector<std::string> node_ids() {
    std::vector<std::string> ids;
    const std::vector<Cluster> found = clusters();
    for (const Node& node : found.at(0).nodes) ids.push_back(node.id);
    return ids;
  }
  Result<ClusterAt> resize(int64_t nodes, std::vector<std::string> removed = {}, std::vector<std::string> zones = {}) {
    const api::ResizeClusterRequest request{"cache", nodes, std::move(zones), std::move(removed), "us-east-1"};
    const bool more = nodes > static_cast<int64_t>(lasting_nodes(clusters().at(0)));
    return more ? wait_for(add_replicas(*database_, request)) : wait_for(remove_replicas(*database_, request));
  }
  Result<ParameterGroup> put_parameters(const std::string& name, const std::string& parameter,
                                        const std::string& value) {
    const api::ParameterGroupRequest request{name, {}, {{parameter, value}}};
    return wait_for(update_parameter_group(*database_, request));
  }
  api::CacheTimes times() { return wait_for(cache_times(*database_)).value(); }

  template <class Value>
  static model::Fault fault_in(const Result<Value>& result) {
    EXPECT_FALSE(result.ok());
    if (result.ok()) return model::Fault::kCount;
    EXPECT_EQ(result.error().kind(), ErrorKind::kInvalid);
    return model::fault_of(result.error());
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ManualClock clock_{1'700'000'000'000};
  SeededRandom random_{1};
  std::unique_ptr<table::Database> database_;
};

}  // namespace partita::clusters
