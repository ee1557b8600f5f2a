// What is kept beside a table: tags, resource policies, Contributor Insights, TTL, backups; and the account.

#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr std::string_view kSwitchWords[] = {"ENABLE", "DISABLE"};
constexpr std::string_view kInsightsModeWords[] = {"THROTTLED_KEYS", "ACCESSED_AND_THROTTLED_KEYS"};

constexpr Shape kResourceArn{.kind = ShapeKind::kString, .min = 1, .max = 1283};
constexpr Shape kRevisionId{.kind = ShapeKind::kString, .min = 1, .max = 255};
constexpr Shape kTagKeys{.kind = ShapeKind::kList, .element = &kText};
constexpr Shape kMaxResults{.kind = ShapeKind::kInteger, .max = 100};

constexpr Member kTagResourceMembers[] = {
    {"ResourceArn", &kResourceArn, Absence::kNull},
    {"Tags", &kTags, Absence::kNull},
};
constexpr Member kUntagResourceMembers[] = {
    {"ResourceArn", &kResourceArn, Absence::kNull},
    {"TagKeys", &kTagKeys, Absence::kNull},
};
constexpr Member kListTagsMembers[] = {
    {"ResourceArn", &kResourceArn, Absence::kNull},
    {"NextToken", &kText},
};

constexpr Member kPutPolicyMembers[] = {
    {"ResourceArn", &kResourceArn, Absence::kNull},
    {"Policy", &kText, Absence::kNull},
    {"ExpectedRevisionId", &kRevisionId},
    {"ConfirmRemoveSelfResourceAccess", &kFlag},
};
constexpr Member kGetPolicyMembers[] = {{"ResourceArn", &kResourceArn, Absence::kNull}};
constexpr Member kDeletePolicyMembers[] = {
    {"ResourceArn", &kResourceArn, Absence::kNull},
    {"ExpectedRevisionId", &kRevisionId},
};

// The length of an index's name is told in words of its own.
constexpr Member kUpdateInsightsMembers[] = {
    {"TableName", &kControlTableName, Absence::kParameter},
    {"IndexName", &kText},
    {"ContributorInsightsAction", &kEnum<kSwitchWords>, Absence::kNull},
    {"ContributorInsightsMode", &kEnum<kInsightsModeWords>},
};
constexpr Member kDescribeInsightsMembers[] = {
    {"TableName", &kControlTableName, Absence::kParameter},
    {"IndexName", &kText},
};
constexpr Member kListInsightsMembers[] = {
    {"TableName", &kControlTableName},
    {"NextToken", &kText},
    {"MaxResults", &kMaxResults},
};

constexpr std::string_view kPrecisionWords[] = {"MILLISECOND", "MICROSECOND"};
constexpr Shape kKinesisStreamArn{.kind = ShapeKind::kString, .min = 37, .max = 1024};
constexpr Member kKinesisConfigurationMembers[] = {
    {"ApproximateCreationDateTimePrecision", &kEnum<kPrecisionWords>},
};
constexpr Shape kEnableKinesisConfiguration{.kind = ShapeKind::kStructure,
                                            .name = "EnableKinesisStreamingConfiguration",
                                            .members = kKinesisConfigurationMembers};
constexpr Shape kUpdateKinesisConfiguration{.kind = ShapeKind::kStructure,
                                            .name = "UpdateKinesisStreamingConfiguration",
                                            .members = kKinesisConfigurationMembers};
constexpr Member kKinesisSwitchMembers[] = {
    {"TableName", &kControlTableName, Absence::kParameter},
    {"StreamArn", &kKinesisStreamArn, Absence::kNull},
    {"EnableKinesisStreamingConfiguration", &kEnableKinesisConfiguration},
};
constexpr Member kKinesisUpdateMembers[] = {
    {"TableName", &kControlTableName, Absence::kParameter},
    {"StreamArn", &kKinesisStreamArn, Absence::kNull},
    {"UpdateKinesisStreamingConfiguration", &kUpdateKinesisConfiguration},
};

constexpr Shape kTtlAttribute{.kind = ShapeKind::kString, .min = 1, .max = 255};
constexpr Member kTtlMembers[] = {
    {"AttributeName", &kTtlAttribute, Absence::kNull},
    {"Enabled", &kFlag, Absence::kNull},
};
constexpr Shape kTtl{.kind = ShapeKind::kStructure, .name = "TimeToLiveSpecification", .members = kTtlMembers};
constexpr Member kUpdateTtlMembers[] = {
    {"TableName", &kControlTableName, Absence::kParameter},
    {"TimeToLiveSpecification", &kTtl, Absence::kNull},
};

}  // namespace

constinit const Shape kTagResource{
    .kind = ShapeKind::kStructure, .name = "TagResourceInput", .members = kTagResourceMembers};
constinit const Shape kUntagResource{
    .kind = ShapeKind::kStructure, .name = "UntagResourceInput", .members = kUntagResourceMembers};
constinit const Shape kListTagsOfResource{
    .kind = ShapeKind::kStructure, .name = "ListTagsOfResourceInput", .members = kListTagsMembers};
constinit const Shape kPutResourcePolicy{
    .kind = ShapeKind::kStructure, .name = "PutResourcePolicyInput", .members = kPutPolicyMembers};
constinit const Shape kGetResourcePolicy{
    .kind = ShapeKind::kStructure, .name = "GetResourcePolicyInput", .members = kGetPolicyMembers};
constinit const Shape kDeleteResourcePolicy{
    .kind = ShapeKind::kStructure, .name = "DeleteResourcePolicyInput", .members = kDeletePolicyMembers};
constinit const Shape kUpdateContributorInsights{
    .kind = ShapeKind::kStructure, .name = "UpdateContributorInsightsInput", .members = kUpdateInsightsMembers};
constinit const Shape kDescribeContributorInsights{
    .kind = ShapeKind::kStructure, .name = "DescribeContributorInsightsInput", .members = kDescribeInsightsMembers};
constinit const Shape kListContributorInsights{
    .kind = ShapeKind::kStructure, .name = "ListContributorInsightsInput", .members = kListInsightsMembers};
constinit const Shape kEnableKinesisStreamingDestination{
    .kind = ShapeKind::kStructure, .name = "KinesisStreamingDestinationInput", .members = kKinesisSwitchMembers};
constinit const Shape kDisableKinesisStreamingDestination{
    .kind = ShapeKind::kStructure, .name = "KinesisStreamingDestinationInput", .members = kKinesisSwitchMembers};
constinit const Shape kUpdateKinesisStreamingDestination{
    .kind = ShapeKind::kStructure, .name = "UpdateKinesisStreamingDestinationInput", .members = kKinesisUpdateMembers};
constinit const Shape kDescribeKinesisStreamingDestination{
    .kind = ShapeKind::kStructure, .name = "DescribeKinesisStreamingDestinationInput", .members = kNamedTableMembers};
constinit const Shape kDescribeContinuousBackups{
    .kind = ShapeKind::kStructure, .name = "DescribeContinuousBackupsInput", .members = kNamedTableMembers};
constinit const Shape kUpdateTimeToLive{
    .kind = ShapeKind::kStructure, .name = "UpdateTimeToLiveInput", .members = kUpdateTtlMembers};
constinit const Shape kDescribeTimeToLive{
    .kind = ShapeKind::kStructure, .name = "DescribeTimeToLiveInput", .members = kNamedTableMembers};
constinit const Shape kDescribeLimits{.kind = ShapeKind::kStructure, .name = "DescribeLimitsInput"};
constinit const Shape kDescribeEndpoints{.kind = ShapeKind::kStructure, .name = "DescribeEndpointsRequest"};

}  // namespace partita::wire::shapes
