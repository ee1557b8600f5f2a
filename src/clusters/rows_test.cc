#include "clusters/rows.h"

#include <gtest/gtest.h>

#include "clusters/clusters_testing.h"
#include "table/maintenance/verify_store.h"
#include "table/rows/system_rows.h"

namespace partita::clusters {
namespace {

Cluster full_cluster() {
  Cluster cluster;
  cluster.name = "cache";
  cluster.description = "text";
  cluster.node_type = "dax.r5.large";
  cluster.nodes = {{"cache-a", "us-east-1a", "fast", 1, 2, 3}, {"cache-b", "us-east-1b", "slow", 4, 5, 6}};
  cluster.window = "sun:05:00-sun:06:00";
  cluster.topic = "arn:aws:sns:us-east-1:1:t";
  cluster.subnet_group = "mine";
  cluster.security_groups = {"sg-1", "sg-2"};
  cluster.role = "arn:aws:iam::1:role/dax";
  cluster.parameter_group = "slow";
  cluster.encrypted = true;
  cluster.tls = true;
  cluster.network = api::NetworkType::kDualStack;
  cluster.tags = {{"k", "v"}, {"l", ""}};
  cluster.created_ms = 7;
  cluster.changed_ms = 8;
  cluster.deleted_ms = 9;
  return cluster;
}

TEST(ClusterRows, ComeBackAsTheyWere) {
  const Cluster cluster = full_cluster();
  EXPECT_EQ(cluster_from(cluster_row(cluster)).value(), cluster);
  const ParameterGroup parameters{"fast", "text", 1, 2};
  EXPECT_EQ(parameter_group_from(parameter_group_row(parameters)).value(), parameters);
  const SubnetGroup subnets{"mine", "text", {"subnet-1", "subnet-2"}};
  EXPECT_EQ(subnet_group_from(subnet_group_row(subnets)).value(), subnets);
  const Event event{"cache", api::EventSource::kSubnetGroup, "text", 3, UINT64_MAX};
  EXPECT_EQ(event_from(event_row(event)).value(), event);
}

TEST(ClusterRows, OfAnotherFormatOrCutShortAreDamaged) {
  std::string row = cluster_row(full_cluster());
  for (size_t length = 0; length < row.size(); ++length) {
    EXPECT_FALSE(cluster_from(std::string_view(row).substr(0, length)).ok()) << length;
  }
  row[0] = 2;
  EXPECT_EQ(cluster_from(row).error().kind(), ErrorKind::kCorrupt);
  EXPECT_FALSE(cluster_from(parameter_group_row({"fast", "text", 1, 2})).ok());
}

class StoredRows : public ClustersTest {};

TEST_F(StoredRows, AreKeptTwiceAndErasedTwice) {
  const std::vector<storage::Key> keys{cluster_key(), table::second_copy(cluster_key())};
  make();
  auto rows = wait_for(engine_->read(keys)).value();
  ASSERT_TRUE(rows[0] && rows[1]);
  EXPECT_EQ(rows[0]->value, rows[1]->value);
  ASSERT_TRUE(wait_for(delete_cluster(*database_, "cache")).ok());
  settle_down();
  // What has ended goes with the next change.
  const api::ParameterGroupRequest group{"fast", {}, {}};
  ASSERT_TRUE(wait_for(create_parameter_group(*database_, group)).ok());
  rows = wait_for(engine_->read(keys)).value();
  EXPECT_FALSE(rows[0] || rows[1]);
}

TEST_F(StoredRows, ADamagedOneIsReported) {
  const storage::Decide spoil = [](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(cluster_key(), "x");
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> nothing;
  ASSERT_TRUE(wait_for(engine_->transact(none, nothing, spoil)).ok());
  const auto verified = table::verify_store(*engine_, {});
  ASSERT_TRUE(verified.ok());
  EXPECT_EQ(verified->at(0).differences, 1u);
  EXPECT_EQ(wait_for(cache_times(*database_)).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(create(wanted()).error().kind(), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace partita::clusters
