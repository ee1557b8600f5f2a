#include <gtest/gtest.h>

#include "clusters/clusters_testing.h"

namespace partita::clusters {
namespace {

using model::Fault;
using Names = std::vector<std::string>;

class GroupsTest : public ClustersTest {
 protected:
  Result<ParameterGroup> create_parameters(const std::string& name) {
    const api::ParameterGroupRequest request{name, "text", {}};
    return wait_for(create_parameter_group(*database_, request));
  }
  Result<SubnetGroup> create_subnets(const std::string& name, Names subnets = {"subnet-1"}) {
    const api::SubnetGroupRequest request{name, "text", std::move(subnets)};
    return wait_for(create_subnet_group(*database_, request));
  }
  Result<SubnetGroup> update_subnets(const std::string& name, Names subnets) {
    const api::SubnetGroupRequest request{name, std::nullopt, std::move(subnets)};
    return wait_for(update_subnet_group(*database_, request));
  }
  std::map<std::string, int64_t> parameters_of(const std::string& group) {
    const api::ParametersRequest request{group, {}, {}};
    std::map<std::string, int64_t> values;
    const auto page = wait_for(list_parameters(*database_, request)).value();
    for (const Parameter& one : page.found) values[one.name] = one.value;
    return values;
  }
};

TEST_F(GroupsTest, ParametersHaveDefaultsAndLimits) {
  const std::map<std::string, int64_t> defaults{{"query-ttl-millis", 300'000}, {"record-ttl-millis", 300'000}};
  EXPECT_EQ(parameters_of(""), defaults);
  EXPECT_EQ(parameters_of("default.dax1.0"), defaults);
  ASSERT_TRUE(create_parameters("fast").ok());
  EXPECT_EQ(parameters_of("fast"), defaults);
  ASSERT_TRUE(put_parameters("fast", "query-ttl-millis", "9223372036854775807").ok());
  EXPECT_EQ(parameters_of("fast").at("query-ttl-millis"), INT64_MAX);
  for (const char* const value : {"", "-1", "1.5", "1s", " 1", "9223372036854775808"}) {
    EXPECT_EQ(fault_in(put_parameters("fast", "query-ttl-millis", value)), Fault::kClusterValue) << value;
  }
  EXPECT_EQ(fault_in(put_parameters("fast", "ttl", "1")), Fault::kClusterValue);
  const api::ParameterGroupRequest nothing{"fast", {}, {}};
  EXPECT_EQ(fault_in(wait_for(update_parameter_group(*database_, nothing))), Fault::kClusterValue);
  EXPECT_EQ(fault_in(put_parameters("none", "query-ttl-millis", "1")), Fault::kParameterGroupNotFound);
  EXPECT_EQ(fault_in(put_parameters("default.dax1.0", "query-ttl-millis", "1")), Fault::kParameterGroupState);
  EXPECT_EQ(parameters_of(""), defaults);
}

TEST_F(GroupsTest, ParametersAreSelectedBySource) {
  api::ParametersRequest request;
  request.source = "system";
  EXPECT_TRUE(wait_for(list_parameters(*database_, request)).value().found.empty());
  request.source = "user";
  EXPECT_EQ(wait_for(list_parameters(*database_, request)).value().found.size(), 2u);
  request.source = "mine";
  EXPECT_EQ(fault_in(wait_for(list_parameters(*database_, request))), Fault::kClusterValue);
}

TEST_F(GroupsTest, AParameterGroupInUseStays) {
  ASSERT_TRUE(create_parameters("fast").ok());
  EXPECT_EQ(fault_in(create_parameters("fast")), Fault::kParameterGroupExists);
  EXPECT_EQ(fault_in(create_parameters("default.dax1.0")), Fault::kParameterGroupExists);
  auto request = wanted();
  request.parameter_group = "fast";
  ASSERT_TRUE(create(request).ok());
  settle_down();
  EXPECT_EQ(fault_in(wait_for(delete_parameter_group(*database_, "fast"))), Fault::kParameterGroupState);
  // Nodes that are not rebooted still have its values.
  api::UpdateClusterRequest update;
  update.name = "cache";
  update.parameter_group = "default.dax1.0";
  ASSERT_TRUE(wait_for(update_cluster(*database_, update)).ok());
  EXPECT_EQ(fault_in(wait_for(delete_parameter_group(*database_, "fast"))), Fault::kParameterGroupState);
  settle_down();
  for (const std::string& id : node_ids()) {
    const api::NodeRequest node{"cache", id};
    ASSERT_TRUE(wait_for(reboot_node(*database_, node)).ok());
  }
  EXPECT_TRUE(wait_for(delete_parameter_group(*database_, "fast")).ok());
  EXPECT_EQ(fault_in(wait_for(delete_parameter_group(*database_, "fast"))), Fault::kParameterGroupNotFound);
  EXPECT_EQ(fault_in(wait_for(delete_parameter_group(*database_, "default.dax1.0"))), Fault::kParameterGroupState);
}

TEST_F(GroupsTest, GroupsAreCountedAndPaged) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(create_parameters("g" + std::to_string(i)).ok());
  EXPECT_EQ(fault_in(create_parameters("g20")), Fault::kParameterGroupQuota);
  api::NamedPageRequest request;
  request.page.most = 20;
  const auto first = wait_for(list_parameter_groups(*database_, request)).value();
  EXPECT_EQ(first.found.size(), 20u);
  EXPECT_EQ(first.found[0].name, "default.dax1.0");
  ASSERT_FALSE(first.next.empty());
  request.page.after = first.next;
  const auto second = wait_for(list_parameter_groups(*database_, request)).value();
  ASSERT_EQ(second.found.size(), 1u);
  EXPECT_EQ(second.found[0].name, "g9");
  EXPECT_TRUE(second.next.empty());
  EXPECT_EQ(fault_in(wait_for(list_subnet_groups(*database_, request))), Fault::kClusterValue);
  for (const int64_t most : {0, 19, 101}) {
    request.page = {most, {}};
    EXPECT_EQ(fault_in(wait_for(list_parameter_groups(*database_, request))), Fault::kClusterValue);
  }
  request.page = {};
  request.names = {"g3", "g1"};
  EXPECT_EQ(wait_for(list_parameter_groups(*database_, request)).value().found.size(), 2u);
  request.names = {"g3", "none"};
  EXPECT_EQ(fault_in(wait_for(list_parameter_groups(*database_, request))), Fault::kParameterGroupNotFound);
  EXPECT_EQ(fault_in(wait_for(list_subnet_groups(*database_, request))), Fault::kSubnetGroupNotFound);
}

TEST_F(GroupsTest, SubnetGroups) {
  EXPECT_EQ(fault_in(create_subnets("default")), Fault::kSubnetGroupExists);
  EXPECT_EQ(fault_in(create_subnets("mine", {})), Fault::kSubnetInvalid);
  EXPECT_EQ(fault_in(create_subnets("mine", {"net-1"})), Fault::kSubnetInvalid);
  EXPECT_EQ(fault_in(create_subnets("mine", {"subnet-1", "subnet-1"})), Fault::kSubnetInvalid);
  EXPECT_EQ(fault_in(create_subnets("mine", Names(21, "subnet-1"))), Fault::kSubnetQuota);
  ASSERT_TRUE(create_subnets("mine", {"subnet-1", "subnet-2"}).ok());
  EXPECT_EQ(fault_in(create_subnets("mine")), Fault::kSubnetGroupExists);
  EXPECT_EQ(update_subnets("mine", {"subnet-1"})->subnets, (Names{"subnet-1"}));
  EXPECT_EQ(fault_in(update_subnets("none", {"subnet-1"})), Fault::kSubnetGroupNotFound);

  auto request = wanted();
  request.subnet_group = "mine";
  ASSERT_TRUE(create(request).ok());
  settle_down();
  EXPECT_EQ(fault_in(update_subnets("mine", {"subnet-2"})), Fault::kSubnetInUse);
  EXPECT_TRUE(update_subnets("mine", {"subnet-2", "subnet-1"}).ok());
  EXPECT_EQ(fault_in(wait_for(delete_subnet_group(*database_, "mine"))), Fault::kSubnetGroupInUse);
  ASSERT_TRUE(wait_for(delete_cluster(*database_, "cache")).ok());
  settle_down();
  EXPECT_TRUE(wait_for(delete_subnet_group(*database_, "mine")).ok());
  EXPECT_EQ(fault_in(wait_for(delete_subnet_group(*database_, "mine"))), Fault::kSubnetGroupNotFound);
  EXPECT_EQ(fault_in(wait_for(delete_subnet_group(*database_, "default"))), Fault::kSubnetGroupInUse);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(create_subnets("g" + std::to_string(i)).ok());
  EXPECT_EQ(fault_in(create_subnets("g50")), Fault::kSubnetGroupQuota);
}

TEST_F(GroupsTest, TheDefaultSubnetGroupCanBeChanged) {
  EXPECT_TRUE(update_subnets("default", {"subnet-9"}).ok());
  const api::NamedPageRequest all;
  const auto groups = wait_for(list_subnet_groups(*database_, all)).value().found;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].subnets, (Names{"subnet-9"}));
  EXPECT_TRUE(update_subnets("default", default_subnets().subnets).ok());
  EXPECT_EQ(wait_for(list_subnet_groups(*database_, all)).value().found[0].subnets, default_subnets().subnets);
}

}  // namespace
}  // namespace partita::clusters
