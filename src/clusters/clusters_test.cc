#include <gtest/gtest.h>

#include "clusters/checks.h"
#include "clusters/clusters_testing.h"

namespace partita::clusters {
namespace {

using model::Fault;
using Ids = std::vector<std::string>;

TEST_F(ClustersTest, AClusterIsCreatedAndDeletedByTheClock) {
  const auto created = create(wanted());
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(status_of(created->cluster, created->now_ms), ClusterStatus::kCreating);
  clock_.advance_ms(kCreatingMs - 1);
  EXPECT_EQ(status(), ClusterStatus::kCreating);
  clock_.advance_ms(1);
  EXPECT_EQ(status(), ClusterStatus::kAvailable);
  EXPECT_EQ(node_ids(), (Ids{"cache-a", "cache-b", "cache-c"}));
  ASSERT_TRUE(wait_for(delete_cluster(*database_, "cache")).ok());
  EXPECT_EQ(status(), ClusterStatus::kDeleting);
  clock_.advance_ms(kDeletingMs);
  EXPECT_TRUE(clusters().empty());
  EXPECT_EQ(fault_in(wait_for(delete_cluster(*database_, "cache"))), Fault::kClusterNotFound);
}

TEST_F(ClustersTest, AClockThatIsSetBackLeavesNothingInProgress) {
  ASSERT_TRUE(create(wanted()).ok());
  clock_.advance_ms(-3'600'000);
  EXPECT_EQ(status(), ClusterStatus::kAvailable);
}

TEST_F(ClustersTest, AServerIsOneCluster) {
  make();
  EXPECT_EQ(fault_in(create(wanted("cache"))), Fault::kClusterExists);
  EXPECT_EQ(fault_in(create(wanted("other"))), Fault::kClusterQuota);
  ASSERT_TRUE(wait_for(delete_cluster(*database_, "cache")).ok());
  EXPECT_EQ(fault_in(create(wanted("other"))), Fault::kClusterQuota);
  settle_down();
  EXPECT_TRUE(create(wanted("other")).ok());
}

TEST_F(ClustersTest, AServerWithoutTheProtocolHasNoCluster) {
  EXPECT_EQ(fault_in(create(wanted(), {})), Fault::kClusterCapacity);
  auto tls = wanted();
  tls.tls = true;
  EXPECT_EQ(fault_in(create(tls, {.plain = {{"h", 8111}}})), Fault::kClusterCapacity);
  EXPECT_EQ(fault_in(create(wanted(), {.encrypted = {{"h", 9111}}})), Fault::kClusterCapacity);
  EXPECT_TRUE(create(tls, {.encrypted = {{"h", 9111}}}).ok());
}

TEST_F(ClustersTest, WhatIsNotValidIsRefusedByItsName) {
  const auto refused = [&](auto change, Fault fault = Fault::kClusterValue) {
    auto request = wanted();
    change(request);
    EXPECT_EQ(fault_in(create(request)), fault);
  };
  for (const char* const name : {"", "1a", "a-", "a--b", "a_b", "abcdefghijklmnopqrstu"}) {
    refused([&](auto& request) { request.name = name; });
  }
  for (const char* const type : {"", "dax.", "dax.r5", "dax.r5.", "r5.large.x", "dax.R5.large"}) {
    refused([&](auto& request) { request.node_type = type; });
  }
  for (const char* const window : {"", "sun:05:00-sun:05:59", "sun:24:00-mon:03:00", "son:05:00-sun:06:00"}) {
    refused([&](auto& request) { request.window = window; });
  }
  for (const char* const role :
       {"", "dax", "arn:aws:iam::1:user/dax", "arn:aws:iam::1:role/", "arn:aws:iam:r:1:role/x"}) {
    refused([&](auto& request) { request.role = role; });
  }
  refused([](auto& request) { request.nodes = 0; });
  refused([](auto& request) { request.nodes = 12; }, Fault::kClusterNodeQuota);
  refused([](auto& request) { request.zones = {"us-east-1a", "us-east-1b"}; }, Fault::kClusterCombination);
  refused([](auto& request) { request.zones = {"us-east-1a", "us-east-1b", "eu-west-1a"}; });
  refused([](auto& request) { request.security_groups = {"sg_1"}; });
  refused([](auto& request) { request.topic = "arn:aws:sqs:us-east-1:1:t"; });
  refused([](auto& request) { request.description = std::string(256, 'x'); });
  refused([](auto& request) { request.tags = {{"k", "v"}, {"k", "w"}}; });
  refused([](auto& request) { request.tags = {{"aws:k", "v"}}; });
  refused([](auto& request) { request.parameter_group = "none"; }, Fault::kParameterGroupNotFound);
  refused([](auto& request) { request.subnet_group = "none"; }, Fault::kSubnetGroupNotFound);
  EXPECT_TRUE(clusters().empty());
  EXPECT_TRUE(check_window("sat:23:30-sun:00:30").ok());
  EXPECT_TRUE(check_cluster_name("a").ok());
}

TEST_F(ClustersTest, NodesAreAddedAndRemoved) {
  make("cache", 1);
  ASSERT_TRUE(resize(3).ok());
  EXPECT_EQ(status(), ClusterStatus::kModifying);
  EXPECT_EQ(fault_in(resize(4)), Fault::kClusterState);
  const std::vector<Cluster> adding = clusters();
  EXPECT_EQ(status_of(adding[0], adding[0].nodes[0], clock_.now_ms()), NodeStatus::kAvailable);
  EXPECT_EQ(status_of(adding[0], adding[0].nodes[1], clock_.now_ms()), NodeStatus::kCreating);
  settle_down();
  EXPECT_EQ(node_ids(), (Ids{"cache-a", "cache-b", "cache-c"}));

  ASSERT_TRUE(resize(2, {"cache-b"}).ok());
  EXPECT_EQ(node_ids().size(), 3u);
  EXPECT_EQ(lasting_nodes(clusters()[0]), 2u);
  settle_down();
  EXPECT_EQ(node_ids(), (Ids{"cache-a", "cache-c"}));
  ASSERT_TRUE(resize(3).ok());
  settle_down();
  EXPECT_EQ(node_ids(), (Ids{"cache-a", "cache-c", "cache-b"}));
  ASSERT_TRUE(resize(1).ok());
  settle_down();
  EXPECT_EQ(node_ids(), (Ids{"cache-a"}));
}

TEST_F(ClustersTest, NodesAreRemovedByZone) {
  make("cache", 4);  // in the zones a, b, c and a
  ASSERT_TRUE(resize(3, {}, {"us-east-1a"}).ok());
  settle_down();
  EXPECT_EQ(node_ids(), (Ids{"cache-a", "cache-b", "cache-c"}));
  EXPECT_EQ(fault_in(resize(1, {}, {"us-east-1a"})), Fault::kClusterValue);
  EXPECT_EQ(fault_in(resize(2, {"cache-a"}, {"us-east-1a"})), Fault::kClusterCombination);
  EXPECT_EQ(fault_in(resize(2, {"cache-x"})), Fault::kClusterNoNode);
  EXPECT_EQ(fault_in(resize(2, {"cache-a", "cache-b"})), Fault::kClusterCombination);
  EXPECT_EQ(fault_in(resize(0)), Fault::kClusterValue);
  EXPECT_EQ(fault_in(resize(12)), Fault::kClusterNodeQuota);
  EXPECT_EQ(fault_in(resize(3)), Fault::kClusterValue);
}

TEST_F(ClustersTest, AnotherParameterGroupNeedsAReboot) {
  const api::ParameterGroupRequest group{"fast", {}, {}};
  ASSERT_TRUE(wait_for(create_parameter_group(*database_, group)).ok());
  ASSERT_TRUE(put_parameters("fast", "record-ttl-millis", "1000").ok());
  EXPECT_EQ(times().item_ttl_ms, kDefaultTtlMs);
  make("cache", 2);
  api::UpdateClusterRequest update;
  update.name = "cache";
  update.parameter_group = "fast";
  ASSERT_TRUE(wait_for(update_cluster(*database_, update)).ok());
  settle_down();
  EXPECT_TRUE(needs_reboot(clusters()[0], clusters()[0].nodes[0]));
  EXPECT_EQ(times().item_ttl_ms, kDefaultTtlMs);

  const api::NodeRequest primary{"cache", "cache-a"};
  ASSERT_TRUE(wait_for(reboot_node(*database_, primary)).ok());
  const std::vector<Cluster> rebooted = clusters();
  EXPECT_EQ(status_of(rebooted[0], rebooted[0].nodes[0], clock_.now_ms()), NodeStatus::kRebooting);
  EXPECT_FALSE(needs_reboot(rebooted[0], rebooted[0].nodes[0]));
  EXPECT_TRUE(needs_reboot(rebooted[0], rebooted[0].nodes[1]));
  EXPECT_EQ(times().item_ttl_ms, 1'000);
  EXPECT_EQ(times().query_ttl_ms, kDefaultTtlMs);
  // Values of the group that nodes have take effect at once.
  ASSERT_TRUE(put_parameters("fast", "query-ttl-millis", "0").ok());
  EXPECT_EQ(times().query_ttl_ms, 0);
  const api::NodeRequest nobody{"cache", "cache-x"};
  EXPECT_EQ(fault_in(wait_for(reboot_node(*database_, nobody))), Fault::kClusterNoNode);
}

TEST_F(ClustersTest, AnUpdateChangesOnlyWhatItNames) {
  auto request = wanted();
  request.description = "one";
  ASSERT_TRUE(create(request).ok());
  settle_down();
  api::UpdateClusterRequest update;
  update.name = "cache";
  update.window = "mon:01:00-mon:03:00";
  update.security_groups = Ids{"sg-1"};
  ASSERT_TRUE(wait_for(update_cluster(*database_, update)).ok());
  settle_down();
  const Cluster cluster = clusters()[0];
  EXPECT_EQ(cluster.description, "one");
  EXPECT_EQ(cluster.window, "mon:01:00-mon:03:00");
  EXPECT_EQ(cluster.security_groups, (Ids{"sg-1"}));
  EXPECT_EQ(cluster.parameter_group, kDefaultParameterGroup);
  update.topic_status = "active";
  EXPECT_EQ(fault_in(wait_for(update_cluster(*database_, update))), Fault::kClusterValue);
}

TEST_F(ClustersTest, TagsHaveLimits) {
  make();
  api::ClusterTagsRequest request;
  request.name = "cache";
  for (int i = 0; i < 50; ++i) request.tags.push_back({"k" + std::to_string(i), "v"});
  ASSERT_TRUE(wait_for(tag_cluster(*database_, request)).ok());
  request.tags = {{"k1", "w"}};
  EXPECT_EQ(wait_for(tag_cluster(*database_, request)).value().at("k1"), "w");
  request.tags = {{"k50", "v"}};
  EXPECT_EQ(fault_in(wait_for(tag_cluster(*database_, request))), Fault::kClusterTagQuota);
  request.dropped = {"k1", "k50"};
  EXPECT_EQ(fault_in(wait_for(untag_cluster(*database_, request))), Fault::kClusterNoTag);
  request.dropped = {"k1"};
  EXPECT_EQ(wait_for(untag_cluster(*database_, request)).value().size(), 49u);
  EXPECT_EQ(wait_for(tags_of_cluster(*database_, request)).value().page.found.size(), 49u);
  request.after = "tags:k8";
  EXPECT_EQ(wait_for(tags_of_cluster(*database_, request)).value().page.found.size(), 1u);
  request.after = "k8";
  EXPECT_EQ(fault_in(wait_for(tags_of_cluster(*database_, request))), Fault::kClusterValue);
  request.name = "other";
  EXPECT_EQ(fault_in(wait_for(tag_cluster(*database_, request))), Fault::kClusterNotFound);
}

}  // namespace
}  // namespace partita::clusters
