// The requests of DAX's control API: service model 2017-04-19. Rules that it does not state are those of `clusters`.
#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr std::string_view kDaxEncryptionWords[] = {"NONE", "TLS"};
constexpr std::string_view kNetworkWords[] = {"ipv4", "ipv6", "dual_stack"};
constexpr std::string_view kSourceWords[] = {"CLUSTER", "PARAMETER_GROUP", "SUBNET_GROUP"};

constexpr Shape kClusterTexts{.kind = ShapeKind::kList, .element = &kText};
constexpr Shape kClusterNumber{.kind = ShapeKind::kInteger, .whole = true};
constexpr Shape kEventTime{.kind = ShapeKind::kDouble};  // in seconds

constexpr Member kDaxEncryptionMembers[] = {{"Enabled", &kFlag, Absence::kNull}};
constexpr Shape kEncryptionAtRest{
    .kind = ShapeKind::kStructure, .name = "SSESpecification", .members = kDaxEncryptionMembers};

constexpr Member kCreateClusterMembers[] = {
    {"ClusterName", &kText, Absence::kNull},
    {"NodeType", &kText, Absence::kNull},
    {"Description", &kText},
    {"ReplicationFactor", &kClusterNumber, Absence::kNull},
    {"AvailabilityZones", &kClusterTexts},
    {"SubnetGroupName", &kText},
    {"SecurityGroupIds", &kClusterTexts},
    {"PreferredMaintenanceWindow", &kText},
    {"NotificationTopicArn", &kText},
    {"IamRoleArn", &kText, Absence::kNull},
    {"ParameterGroupName", &kText},
    {"Tags", &kTags},
    {"SSESpecification", &kEncryptionAtRest},
    {"ClusterEndpointEncryptionType", &kEnum<kDaxEncryptionWords>},
    {"NetworkType", &kEnum<kNetworkWords>},
};
constexpr Member kUpdateClusterMembers[] = {
    {"ClusterName", &kText, Absence::kNull}, {"Description", &kText},
    {"PreferredMaintenanceWindow", &kText},  {"NotificationTopicArn", &kText},
    {"NotificationTopicStatus", &kText},     {"ParameterGroupName", &kText},
    {"SecurityGroupIds", &kClusterTexts},
};
constexpr Member kOneClusterMembers[] = {{"ClusterName", &kText, Absence::kNull}};
constexpr Member kDescribeClustersMembers[] = {
    {"ClusterNames", &kClusterTexts},
    {"MaxResults", &kClusterNumber},
    {"NextToken", &kText},
};
constexpr Member kIncreaseMembers[] = {
    {"ClusterName", &kText, Absence::kNull},
    {"NewReplicationFactor", &kClusterNumber, Absence::kNull},
    {"AvailabilityZones", &kClusterTexts},
};
constexpr Member kDecreaseMembers[] = {
    {"ClusterName", &kText, Absence::kNull},
    {"NewReplicationFactor", &kClusterNumber, Absence::kNull},
    {"AvailabilityZones", &kClusterTexts},
    {"NodeIdsToRemove", &kClusterTexts},
};
constexpr Member kRebootMembers[] = {
    {"ClusterName", &kText, Absence::kNull},
    {"NodeId", &kText, Absence::kNull},
};

constexpr Member kParameterMembers[] = {
    {"ParameterName", &kText},
    {"ParameterValue", &kText},
};
constexpr Shape kParameterValue{
    .kind = ShapeKind::kStructure, .name = "ParameterNameValue", .members = kParameterMembers};
constexpr Shape kParameterValues{.kind = ShapeKind::kList, .element = &kParameterValue};
constexpr Member kCreateParametersMembers[] = {
    {"ParameterGroupName", &kText, Absence::kNull},
    {"Description", &kText},
};
constexpr Member kUpdateParametersMembers[] = {
    {"ParameterGroupName", &kText, Absence::kNull},
    {"ParameterNameValues", &kParameterValues, Absence::kNull},
};
constexpr Member kOneParameterGroupMembers[] = {{"ParameterGroupName", &kText, Absence::kNull}};
constexpr Member kDescribeParameterGroupsMembers[] = {
    {"ParameterGroupNames", &kClusterTexts},
    {"MaxResults", &kClusterNumber},
    {"NextToken", &kText},
};
constexpr Member kDescribeParametersMembers[] = {
    {"ParameterGroupName", &kText, Absence::kNull},
    {"Source", &kText},
    {"MaxResults", &kClusterNumber},
    {"NextToken", &kText},
};
constexpr Member kPageMembers[] = {
    {"MaxResults", &kClusterNumber},
    {"NextToken", &kText},
};

constexpr Member kCreateSubnetsMembers[] = {
    {"SubnetGroupName", &kText, Absence::kNull},
    {"Description", &kText},
    {"SubnetIds", &kClusterTexts, Absence::kNull},
};
constexpr Member kUpdateSubnetsMembers[] = {
    {"SubnetGroupName", &kText, Absence::kNull},
    {"Description", &kText},
    {"SubnetIds", &kClusterTexts},
};
constexpr Member kOneSubnetGroupMembers[] = {{"SubnetGroupName", &kText, Absence::kNull}};
constexpr Member kDescribeSubnetGroupsMembers[] = {
    {"SubnetGroupNames", &kClusterTexts},
    {"MaxResults", &kClusterNumber},
    {"NextToken", &kText},
};

constexpr Member kEventsMembers[] = {
    {"SourceName", &kText},   {"SourceType", &kEnum<kSourceWords>}, {"StartTime", &kEventTime},
    {"EndTime", &kEventTime}, {"Duration", &kClusterNumber},        {"MaxResults", &kClusterNumber},
    {"NextToken", &kText},
};
constexpr Member kDaxListTagsMembers[] = {
    {"ResourceName", &kText, Absence::kNull},
    {"NextToken", &kText},
};
constexpr Member kTagClusterMembers[] = {
    {"ResourceName", &kText, Absence::kNull},
    {"Tags", &kTags, Absence::kNull},
};
constexpr Member kUntagClusterMembers[] = {
    {"ResourceName", &kText, Absence::kNull},
    {"TagKeys", &kClusterTexts, Absence::kNull},
};

}  // namespace

constinit const Shape kCreateCluster{
    .kind = ShapeKind::kStructure, .name = "CreateClusterRequest", .members = kCreateClusterMembers};
constinit const Shape kUpdateCluster{
    .kind = ShapeKind::kStructure, .name = "UpdateClusterRequest", .members = kUpdateClusterMembers};
constinit const Shape kDeleteCluster{
    .kind = ShapeKind::kStructure, .name = "DeleteClusterRequest", .members = kOneClusterMembers};
constinit const Shape kDescribeClusters{
    .kind = ShapeKind::kStructure, .name = "DescribeClustersRequest", .members = kDescribeClustersMembers};
constinit const Shape kIncreaseReplicationFactor{
    .kind = ShapeKind::kStructure, .name = "IncreaseReplicationFactorRequest", .members = kIncreaseMembers};
constinit const Shape kDecreaseReplicationFactor{
    .kind = ShapeKind::kStructure, .name = "DecreaseReplicationFactorRequest", .members = kDecreaseMembers};
constinit const Shape kRebootNode{
    .kind = ShapeKind::kStructure, .name = "RebootNodeRequest", .members = kRebootMembers};
constinit const Shape kCreateParameterGroup{
    .kind = ShapeKind::kStructure, .name = "CreateParameterGroupRequest", .members = kCreateParametersMembers};
constinit const Shape kUpdateParameterGroup{
    .kind = ShapeKind::kStructure, .name = "UpdateParameterGroupRequest", .members = kUpdateParametersMembers};
constinit const Shape kDeleteParameterGroup{
    .kind = ShapeKind::kStructure, .name = "DeleteParameterGroupRequest", .members = kOneParameterGroupMembers};
constinit const Shape kDescribeParameterGroups{.kind = ShapeKind::kStructure,
                                               .name = "DescribeParameterGroupsRequest",
                                               .members = kDescribeParameterGroupsMembers};
constinit const Shape kDescribeParameters{
    .kind = ShapeKind::kStructure, .name = "DescribeParametersRequest", .members = kDescribeParametersMembers};
constinit const Shape kDescribeDefaultParameters{
    .kind = ShapeKind::kStructure, .name = "DescribeDefaultParametersRequest", .members = kPageMembers};
constinit const Shape kCreateSubnetGroup{
    .kind = ShapeKind::kStructure, .name = "CreateSubnetGroupRequest", .members = kCreateSubnetsMembers};
constinit const Shape kUpdateSubnetGroup{
    .kind = ShapeKind::kStructure, .name = "UpdateSubnetGroupRequest", .members = kUpdateSubnetsMembers};
constinit const Shape kDeleteSubnetGroup{
    .kind = ShapeKind::kStructure, .name = "DeleteSubnetGroupRequest", .members = kOneSubnetGroupMembers};
constinit const Shape kDescribeSubnetGroups{
    .kind = ShapeKind::kStructure, .name = "DescribeSubnetGroupsRequest", .members = kDescribeSubnetGroupsMembers};
constinit const Shape kDescribeEvents{
    .kind = ShapeKind::kStructure, .name = "DescribeEventsRequest", .members = kEventsMembers};
constinit const Shape kListClusterTags{
    .kind = ShapeKind::kStructure, .name = "ListTagsRequest", .members = kDaxListTagsMembers};
constinit const Shape kTagCluster{
    .kind = ShapeKind::kStructure, .name = "TagResourceRequest", .members = kTagClusterMembers};
constinit const Shape kUntagCluster{
    .kind = ShapeKind::kStructure, .name = "UntagResourceRequest", .members = kUntagClusterMembers};

}  // namespace partita::wire::shapes
