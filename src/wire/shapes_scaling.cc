// The requests of Application Auto Scaling: service model 2016-02-06.
#include <limits>

#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr std::string_view kNamespaceWords[] = {
    "ecs",         "elasticmapreduce", "ec2",        "appstream", "dynamodb",  "rds",
    "sagemaker",   "custom-resource",  "comprehend", "lambda",    "cassandra", "kafka",
    "elasticache", "neptune",          "workspaces"};
constexpr std::string_view kDimensionWords[] = {"ecs:service:DesiredCount",
                                                "ec2:spot-fleet-request:TargetCapacity",
                                                "elasticmapreduce:instancegroup:InstanceCount",
                                                "appstream:fleet:DesiredCapacity",
                                                "dynamodb:table:ReadCapacityUnits",
                                                "dynamodb:table:WriteCapacityUnits",
                                                "dynamodb:index:ReadCapacityUnits",
                                                "dynamodb:index:WriteCapacityUnits",
                                                "rds:cluster:ReadReplicaCount",
                                                "sagemaker:variant:DesiredInstanceCount",
                                                "custom-resource:ResourceType:Property",
                                                "comprehend:document-classifier-endpoint:DesiredInferenceUnits",
                                                "comprehend:entity-recognizer-endpoint:DesiredInferenceUnits",
                                                "lambda:function:ProvisionedConcurrency",
                                                "cassandra:table:ReadCapacityUnits",
                                                "cassandra:table:WriteCapacityUnits",
                                                "kafka:broker-storage:VolumeSize",
                                                "elasticache:cache-cluster:Nodes",
                                                "elasticache:replication-group:NodeGroups",
                                                "elasticache:replication-group:Replicas",
                                                "neptune:cluster:ReadReplicaCount",
                                                "sagemaker:variant:DesiredProvisionedConcurrency",
                                                "sagemaker:inference-component:DesiredCopyCount",
                                                "workspaces:workspacespool:DesiredUserSessions"};
constexpr std::string_view kPolicyTypeWords[] = {"StepScaling", "TargetTrackingScaling", "PredictiveScaling"};
constexpr std::string_view kScalingMetricWords[] = {
    "DynamoDBReadCapacityUtilization",
    "DynamoDBWriteCapacityUtilization",
    "ALBRequestCountPerTarget",
    "RDSReaderAverageCPUUtilization",
    "RDSReaderAverageDatabaseConnections",
    "EC2SpotFleetRequestAverageCPUUtilization",
    "EC2SpotFleetRequestAverageNetworkIn",
    "EC2SpotFleetRequestAverageNetworkOut",
    "SageMakerVariantInvocationsPerInstance",
    "ECSServiceAverageCPUUtilization",
    "ECSServiceAverageMemoryUtilization",
    "AppStreamAverageCapacityUtilization",
    "ComprehendInferenceUtilization",
    "LambdaProvisionedConcurrencyUtilization",
    "CassandraReadCapacityUtilization",
    "CassandraWriteCapacityUtilization",
    "KafkaBrokerStorageUtilization",
    "ElastiCacheEngineCPUUtilization",
    "ElastiCacheDatabaseMemoryUsagePercentage",
    "ElastiCachePrimaryEngineCPUUtilization",
    "ElastiCacheReplicaEngineCPUUtilization",
    "ElastiCacheDatabaseMemoryUsageCountedForEvictPercentage",
    "NeptuneReaderAverageCPUUtilization",
    "SageMakerVariantProvisionedConcurrencyUtilization",
    "ElastiCacheDatabaseCapacityUsageCountedForEvictPercentage",
    "SageMakerInferenceComponentInvocationsPerCopy",
    "WorkSpacesAverageUserSessionsCapacityUtilization",
    "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution",
    "SageMakerVariantConcurrentRequestsPerModelHighResolution",
    "ECSServiceAverageCPUUtilizationHighResolution",
    "ECSServiceAverageMemoryUtilizationHighResolution"};

constexpr const Shape& kNamespace = kEnum<kNamespaceWords>;
constexpr const Shape& kDimension = kEnum<kDimensionWords>;
constexpr Shape kScalingText{.kind = ShapeKind::kString, .min = 1, .max = 1600};  // ResourceIdMaxLen1600
constexpr Shape kScalingName{.kind = ShapeKind::kString, .min = 1, .max = 256};
constexpr Shape kScalingTexts{.kind = ShapeKind::kList, .element = &kScalingText, .max = 50};
constexpr Shape kPageSize{.kind = ShapeKind::kInteger, .min = 1, .max = 50, .whole = true};
// AWS's type has 32 bits.
constexpr Shape kWhole{.kind = ShapeKind::kInteger, .max = std::numeric_limits<int32_t>::max(), .whole = true};
constexpr Shape kReal{.kind = ShapeKind::kDouble};  // also a time, in seconds

constexpr Shape kTagText{.kind = ShapeKind::kString, .max = 256};
constexpr Shape kTagKey{.kind = ShapeKind::kString, .min = 1, .max = 128};
constexpr Shape kTagMap{.kind = ShapeKind::kMap, .element = &kTagText, .key = &kTagKey};
constexpr Shape kTargetArn{.kind = ShapeKind::kString, .min = 1, .max = 1011};
constexpr Shape kTagKeyList{.kind = ShapeKind::kList, .element = &kTagKey, .max = 200};

constexpr Member kSuspendedMembers[] = {
    {"DynamicScalingInSuspended", &kFlag},
    {"DynamicScalingOutSuspended", &kFlag},
    {"ScheduledScalingSuspended", &kFlag},
};
constexpr Shape kSuspended{.kind = ShapeKind::kStructure, .name = "SuspendedState", .members = kSuspendedMembers};

constexpr Member kRegisterMembers[] = {
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ResourceId", &kScalingText, Absence::kNull},
    {"ScalableDimension", &kDimension, Absence::kNull},
    {"MinCapacity", &kWhole},
    {"MaxCapacity", &kWhole},
    Member::unread("RoleARN", &kScalingText),
    {"SuspendedState", &kSuspended},
    {"Tags", &kTagMap},
};
constexpr Member kOneTargetMembers[] = {
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ResourceId", &kScalingText, Absence::kNull},
    {"ScalableDimension", &kDimension, Absence::kNull},
};
constexpr Member kDescribeTargetsMembers[] = {
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ResourceIds", &kScalingTexts},
    {"ScalableDimension", &kDimension},
    {"MaxResults", &kPageSize},
    {"NextToken", &kText},
};

constexpr Shape kResourceLabel{.kind = ShapeKind::kString, .min = 1, .max = 1023};
constexpr Member kPredefinedMembers[] = {
    {"PredefinedMetricType", &kEnum<kScalingMetricWords>, Absence::kNull},
    {"ResourceLabel", &kResourceLabel},
};
constexpr Shape kPredefined{
    .kind = ShapeKind::kStructure, .name = "PredefinedMetricSpecification", .members = kPredefinedMembers};
// Refused by its name: only its kind is looked at.
constexpr Shape kOwnMetric{.kind = ShapeKind::kStructure, .name = "CustomizedMetricSpecification"};
constexpr Shape kOtherPolicy{.kind = ShapeKind::kStructure, .name = "StepScalingPolicyConfiguration"};
constexpr Member kTrackingMembers[] = {
    {"TargetValue", &kReal, Absence::kNull},
    {"PredefinedMetricSpecification", &kPredefined},
    {"CustomizedMetricSpecification", &kOwnMetric},
    {"ScaleOutCooldown", &kWhole},
    {"ScaleInCooldown", &kWhole},
    {"DisableScaleIn", &kFlag},
};
constexpr Shape kTracking{
    .kind = ShapeKind::kStructure, .name = "TargetTrackingScalingPolicyConfiguration", .members = kTrackingMembers};
constexpr Member kPutPolicyOfTargetMembers[] = {
    {"PolicyName", &kScalingName, Absence::kNull},
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ResourceId", &kScalingText, Absence::kNull},
    {"ScalableDimension", &kDimension, Absence::kNull},
    {"PolicyType", &kEnum<kPolicyTypeWords>},
    {"StepScalingPolicyConfiguration", &kOtherPolicy},
    {"TargetTrackingScalingPolicyConfiguration", &kTracking},
    {"PredictiveScalingPolicyConfiguration", &kOtherPolicy},
};
constexpr Member kDeletePolicyOfTargetMembers[] = {
    {"PolicyName", &kScalingText, Absence::kNull},
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ResourceId", &kScalingText, Absence::kNull},
    {"ScalableDimension", &kDimension, Absence::kNull},
};
constexpr Member kDescribePoliciesMembers[] = {
    {"PolicyNames", &kScalingTexts}, {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ResourceId", &kScalingText},   {"ScalableDimension", &kDimension},
    {"MaxResults", &kPageSize},      {"NextToken", &kText},
};
constexpr Member kDescribeActivitiesMembers[] = {
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ResourceId", &kScalingText},
    {"ScalableDimension", &kDimension},
    {"MaxResults", &kPageSize},
    {"NextToken", &kText},
    Member::unread("IncludeNotScaledActivities", &kFlag),
};

constexpr Member kBoundsMembers[] = {{"MinCapacity", &kWhole}, {"MaxCapacity", &kWhole}};
constexpr Shape kBounds{.kind = ShapeKind::kStructure, .name = "ScalableTargetAction", .members = kBoundsMembers};
constexpr Member kPutScheduledMembers[] = {
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"Schedule", &kScalingText},
    {"Timezone", &kScalingText},
    {"ScheduledActionName", &kScalingName, Absence::kNull},
    {"ResourceId", &kScalingText, Absence::kNull},
    {"ScalableDimension", &kDimension, Absence::kNull},
    {"StartTime", &kReal},
    {"EndTime", &kReal},
    {"ScalableTargetAction", &kBounds},
};
constexpr Member kDeleteScheduledMembers[] = {
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ScheduledActionName", &kScalingText, Absence::kNull},
    {"ResourceId", &kScalingText, Absence::kNull},
    {"ScalableDimension", &kDimension, Absence::kNull},
};
constexpr Member kDescribeActionsMembers[] = {
    {"ScheduledActionNames", &kScalingTexts},
    {"ServiceNamespace", &kNamespace, Absence::kNull},
    {"ResourceId", &kScalingText},
    {"ScalableDimension", &kDimension},
    {"MaxResults", &kPageSize},
    {"NextToken", &kText},
};

constexpr Member kTargetTagsMembers[] = {{"ResourceARN", &kTargetArn, Absence::kNull}};
constexpr Member kTagTargetMembers[] = {
    {"ResourceARN", &kTargetArn, Absence::kNull},
    {"Tags", &kTagMap, Absence::kNull},
};
constexpr Member kUntagTargetMembers[] = {
    {"ResourceARN", &kTargetArn, Absence::kNull},
    {"TagKeys", &kTagKeyList, Absence::kNull},
};

}  // namespace

constinit const Shape kRegisterScalableTarget{
    .kind = ShapeKind::kStructure, .name = "RegisterScalableTargetRequest", .members = kRegisterMembers};
constinit const Shape kDeregisterScalableTarget{
    .kind = ShapeKind::kStructure, .name = "DeregisterScalableTargetRequest", .members = kOneTargetMembers};
constinit const Shape kDescribeScalableTargets{
    .kind = ShapeKind::kStructure, .name = "DescribeScalableTargetsRequest", .members = kDescribeTargetsMembers};
constinit const Shape kPutScalingPolicy{
    .kind = ShapeKind::kStructure, .name = "PutScalingPolicyRequest", .members = kPutPolicyOfTargetMembers};
constinit const Shape kDeleteScalingPolicy{
    .kind = ShapeKind::kStructure, .name = "DeleteScalingPolicyRequest", .members = kDeletePolicyOfTargetMembers};
constinit const Shape kDescribeScalingPolicies{
    .kind = ShapeKind::kStructure, .name = "DescribeScalingPoliciesRequest", .members = kDescribePoliciesMembers};
constinit const Shape kDescribeScalingActivities{
    .kind = ShapeKind::kStructure, .name = "DescribeScalingActivitiesRequest", .members = kDescribeActivitiesMembers};
constinit const Shape kPutScheduledAction{
    .kind = ShapeKind::kStructure, .name = "PutScheduledActionRequest", .members = kPutScheduledMembers};
constinit const Shape kDeleteScheduledAction{
    .kind = ShapeKind::kStructure, .name = "DeleteScheduledActionRequest", .members = kDeleteScheduledMembers};
constinit const Shape kDescribeScheduledActions{
    .kind = ShapeKind::kStructure, .name = "DescribeScheduledActionsRequest", .members = kDescribeActionsMembers};
constinit const Shape kListTagsOfTarget{
    .kind = ShapeKind::kStructure, .name = "ListTagsForResourceRequest", .members = kTargetTagsMembers};
constinit const Shape kTagTarget{
    .kind = ShapeKind::kStructure, .name = "TagResourceRequest", .members = kTagTargetMembers};
constinit const Shape kUntagTarget{
    .kind = ShapeKind::kStructure, .name = "UntagResourceRequest", .members = kUntagTargetMembers};

}  // namespace partita::wire::shapes
