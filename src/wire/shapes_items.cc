// PutItem, GetItem, UpdateItem, DeleteItem.

#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr Member kPutMembers[] = {
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"TableName", &kTableName, Absence::kNull},
    {"Item", &kValueMap, Absence::kNull},
    {"ConditionalOperator", &kConditionalOperator},
    {"Expected", &kExpected},
    {"ReturnValues", &kReturnValues},
    {"ReturnItemCollectionMetrics", &kReturnMetrics},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeValues", &kValueMap},
    {"ExpressionAttributeNames", &kTextMap},
    {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};

constexpr Member kGetMembers[] = {
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"AttributesToGet", &kAttributeNames},
    {"TableName", &kTableName, Absence::kNull},
    {"Key", &kValueMap, Absence::kNull},
    {"ConsistentRead", &kFlag},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kTextMap},
};

constexpr std::string_view kActionWords[] = {"ADD", "PUT", "DELETE"};
constexpr Member kValueUpdateMembers[] = {
    {"Action", &kEnum<kActionWords>},
    {"Value", &kValue},
};
constexpr Shape kValueUpdate{
    .kind = ShapeKind::kStructure, .name = "AttributeValueUpdate", .members = kValueUpdateMembers};
constexpr Shape kValueUpdates{.kind = ShapeKind::kMap, .element = &kValueUpdate};

constexpr Member kUpdateMembers[] = {
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"TableName", &kTableName, Absence::kNull},
    {"ReturnItemCollectionMetrics", &kReturnMetrics},
    {"ReturnValues", &kUpdateReturnValues},
    {"ConditionalOperator", &kConditionalOperator},
    {"Key", &kValueMap, Absence::kNull},
    {"Expected", &kExpected},
    {"AttributeUpdates", &kValueUpdates},
    {"ConditionExpression", &kText},
    {"UpdateExpression", &kText},
    {"ExpressionAttributeValues", &kValueMap},
    {"ExpressionAttributeNames", &kTextMap},
    {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};

constexpr Member kDeleteMembers[] = {
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"TableName", &kTableName, Absence::kNull},
    {"ReturnValues", &kReturnValues},
    {"ReturnItemCollectionMetrics", &kReturnMetrics},
    {"Key", &kValueMap, Absence::kNull},
    {"ConditionalOperator", &kConditionalOperator},
    {"Expected", &kExpected},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeValues", &kValueMap},
    {"ExpressionAttributeNames", &kTextMap},
    {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};

}  // namespace

constinit const Shape kPutItem{
    .kind = ShapeKind::kStructure, .name = "PutItemInput", .members = kPutMembers, .checks = Checks::kEnveloped};
constinit const Shape kGetItem{
    .kind = ShapeKind::kStructure, .name = "GetItemInput", .members = kGetMembers, .checks = Checks::kNewer};
constinit const Shape kUpdateItem{
    .kind = ShapeKind::kStructure, .name = "UpdateItemInput", .members = kUpdateMembers, .checks = Checks::kEnveloped};
constinit const Shape kDeleteItem{
    .kind = ShapeKind::kStructure, .name = "DeleteItemInput", .members = kDeleteMembers, .checks = Checks::kEnveloped};

}  // namespace partita::wire::shapes
