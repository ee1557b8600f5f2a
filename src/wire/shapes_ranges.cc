// Query and Scan.

#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr const Shape& kSelect = kEnum<kSelectWords>;

constexpr Shape kQueryLimit{.kind = ShapeKind::kInteger, .min = 1, .late = true};
constexpr Shape kTotalSegments{.kind = ShapeKind::kInteger, .min = 1, .max = 1'000'000};
constexpr Shape kSegment{.kind = ShapeKind::kInteger, .min = 0, .max = 999'999};

constexpr Member kQueryMembers[] = {
    {"Select", &kSelect},
    {"IndexName", &kIndexName},
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"QueryFilter", &kConditions},
    {"TableName", &kTableName, Absence::kNull},
    {"ConditionalOperator", &kConditionalOperator},
    {"AttributesToGet", &kAttributeNames},
    {"Limit", &kQueryLimit},
    {"KeyConditions", &kConditions},
    {"ExclusiveStartKey", &kValueMap},
    {"ConsistentRead", &kFlag},
    {"ScanIndexForward", &kFlag},
    {"KeyConditionExpression", &kText},
    {"FilterExpression", &kText},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeValues", &kValueMap},
    {"ExpressionAttributeNames", &kTextMap},
};

constexpr Member kScanMembers[] = {
    {"Select", &kSelect},
    {"IndexName", &kIndexName},
    {"TotalSegments", &kTotalSegments},
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"TableName", &kTableName, Absence::kNull},
    {"ConditionalOperator", &kConditionalOperator},
    {"ScanFilter", &kConditions},
    {"Segment", &kSegment},
    {"Limit", &kPositiveInteger},
    {"AttributesToGet", &kAttributeNames},
    {"ExclusiveStartKey", &kValueMap},
    {"ConsistentRead", &kFlag},
    {"FilterExpression", &kText},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeValues", &kValueMap},
    {"ExpressionAttributeNames", &kTextMap},
};

}  // namespace

constinit const Shape kQuery{
    .kind = ShapeKind::kStructure, .name = "QueryInput", .members = kQueryMembers, .checks = Checks::kNewer};
constinit const Shape kScan{.kind = ShapeKind::kStructure, .name = "ScanInput", .members = kScanMembers};

}  // namespace partita::wire::shapes
