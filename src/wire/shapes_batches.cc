// BatchGetItem, BatchWriteItem, TransactGetItems, TransactWriteItems.

#include "model/limits.h"
#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

// Batches

constexpr Shape kKeys{.kind = ShapeKind::kList,
                      .element = &kValueMap,
                      .min = 1,
                      .max = static_cast<int64_t>(model::kMaxBatchGetKeys),
                      .late = true};
constexpr Member kKeysAndAttributesMembers[] = {
    {"Keys", &kKeys, Absence::kNull}, {"AttributesToGet", &kAttributeNames},   {"ConsistentRead", &kFlag},
    {"ProjectionExpression", &kText}, {"ExpressionAttributeNames", &kTextMap},
};
constexpr Shape kKeysAndAttributes{
    .kind = ShapeKind::kStructure, .name = "KeysAndAttributes", .members = kKeysAndAttributesMembers};
// Measured: a bad name of a table is joined to other violations in a batch of reads, gives way to them in one of
// writes.
constexpr Shape kGetTable{.kind = ShapeKind::kString, .min = 3, .max = 255, .name_pattern = true};
constexpr Shape kWriteTable{.kind = ShapeKind::kString, .min = 3, .max = 255, .name_pattern = true, .late = true};
constexpr Shape kGetsByTable{.kind = ShapeKind::kMap,
                             .element = &kKeysAndAttributes,
                             .key = &kGetTable,
                             .min = 1,
                             .max = static_cast<int64_t>(model::kMaxBatchGetKeys),
                             .shown_as_json = true};
constexpr Member kBatchGetMembers[] = {
    {"RequestItems", &kGetsByTable, Absence::kBatch},
    {"ReturnConsumedCapacity", &kReturnCapacity},
};

constexpr Member kPutRequestMembers[] = {{"Item", &kValueMap, Absence::kNull}};
constexpr Shape kPutRequest{.kind = ShapeKind::kStructure, .name = "PutRequest", .members = kPutRequestMembers};
constexpr Member kDeleteRequestMembers[] = {{"Key", &kValueMap, Absence::kNull}};
constexpr Shape kDeleteRequest{
    .kind = ShapeKind::kStructure, .name = "DeleteRequest", .members = kDeleteRequestMembers};
constexpr Member kWriteRequestMembers[] = {
    {"DeleteRequest", &kDeleteRequest},
    {"PutRequest", &kPutRequest},
};
constexpr Shape kWriteRequest{.kind = ShapeKind::kStructure, .name = "WriteRequest", .members = kWriteRequestMembers};
constexpr Shape kWriteRequests{
    .kind = ShapeKind::kList, .element = &kWriteRequest, .min = 1, .max = static_cast<int64_t>(model::kMaxBatchWrites)};
constexpr Shape kWritesByTable{.kind = ShapeKind::kMap,
                               .element = &kWriteRequests,
                               .key = &kWriteTable,
                               .min = 1,
                               .max = static_cast<int64_t>(model::kMaxBatchWrites)};
constexpr Member kBatchWriteMembers[] = {
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"ReturnItemCollectionMetrics", &kReturnMetrics},
    {"RequestItems", &kWritesByTable, Absence::kBatch},
};

// Transactions

constexpr Member kGetActionMembers[] = {
    {"Key", &kValueMap, Absence::kNull},
    {"TableName", &kTableName, Absence::kNull},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kTextMap},
};
constexpr Shape kGetAction{.kind = ShapeKind::kStructure, .name = "Get", .members = kGetActionMembers};
constexpr Member kTransactGetMembers[] = {{"Get", &kGetAction, Absence::kNull}};
constexpr Shape kTransactGet{.kind = ShapeKind::kStructure, .name = "TransactGetItem", .members = kTransactGetMembers};
constexpr Shape kTransactGets{.kind = ShapeKind::kList,
                              .element = &kTransactGet,
                              .min = 1,
                              .max = static_cast<int64_t>(model::kMaxTransactionActions)};
constexpr Member kTransactGetItemsMembers[] = {
    {"TransactItems", &kTransactGets, Absence::kNull},
    {"ReturnConsumedCapacity", &kReturnCapacity},
};

constexpr Member kConditionCheckMembers[] = {
    {"Key", &kValueMap, Absence::kNull},
    {"TableName", &kTableName, Absence::kNull},
    {"ConditionExpression", &kText, Absence::kNull},
    {"ExpressionAttributeNames", &kTextMap},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};
constexpr Shape kConditionCheck{
    .kind = ShapeKind::kStructure, .name = "ConditionCheck", .members = kConditionCheckMembers};
constexpr Member kPutActionMembers[] = {
    {"Item", &kValueMap, Absence::kNull},      {"TableName", &kTableName, Absence::kNull},
    {"ConditionExpression", &kText},           {"ExpressionAttributeNames", &kTextMap},
    {"ExpressionAttributeValues", &kValueMap}, {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};
constexpr Shape kPutAction{.kind = ShapeKind::kStructure, .name = "Put", .members = kPutActionMembers};
constexpr Member kDeleteActionMembers[] = {
    {"Key", &kValueMap, Absence::kNull},       {"TableName", &kTableName, Absence::kNull},
    {"ConditionExpression", &kText},           {"ExpressionAttributeNames", &kTextMap},
    {"ExpressionAttributeValues", &kValueMap}, {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};
constexpr Shape kDeleteAction{.kind = ShapeKind::kStructure, .name = "Delete", .members = kDeleteActionMembers};
constexpr Member kUpdateActionMembers[] = {
    {"Key", &kValueMap, Absence::kNull},
    {"UpdateExpression", &kText, Absence::kNull},
    {"TableName", &kTableName, Absence::kNull},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kTextMap},
    {"ExpressionAttributeValues", &kValueMap},
    {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};
constexpr Shape kUpdateAction{.kind = ShapeKind::kStructure, .name = "Update", .members = kUpdateActionMembers};
constexpr Member kTransactWriteMembers[] = {
    {"ConditionCheck", &kConditionCheck},
    {"Put", &kPutAction},
    {"Delete", &kDeleteAction},
    {"Update", &kUpdateAction},
};
constexpr Shape kTransactWrite{
    .kind = ShapeKind::kStructure, .name = "TransactWriteItem", .members = kTransactWriteMembers};
constexpr Shape kTransactWrites{.kind = ShapeKind::kList,
                                .element = &kTransactWrite,
                                .min = 1,
                                .max = static_cast<int64_t>(model::kMaxTransactionActions)};
constexpr Shape kClientToken{.kind = ShapeKind::kString, .min = 1, .max = 36};
constexpr Member kTransactWriteItemsMembers[] = {
    {"TransactItems", &kTransactWrites, Absence::kNull},
    {"ClientRequestToken", &kClientToken},
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"ReturnItemCollectionMetrics", &kReturnMetrics},
};

}  // namespace

constinit const Shape kBatchGetItem{
    .kind = ShapeKind::kStructure, .name = "BatchGetItemInput", .members = kBatchGetMembers, .checks = Checks::kNewer};
constinit const Shape kBatchWriteItem{
    .kind = ShapeKind::kStructure, .name = "BatchWriteItemInput", .members = kBatchWriteMembers};
constinit const Shape kTransactGetItems{
    .kind = ShapeKind::kStructure, .name = "TransactGetItemsInput", .members = kTransactGetItemsMembers};
constinit const Shape kTransactWriteItems{
    .kind = ShapeKind::kStructure, .name = "TransactWriteItemsInput", .members = kTransactWriteItemsMembers};

}  // namespace partita::wire::shapes
