// ExecuteStatement, BatchExecuteStatement, ExecuteTransaction.

#include "model/limits.h"
#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr Shape kStatement{
    .kind = ShapeKind::kString, .min = 1, .max = static_cast<int64_t>(model::kMaxStatementCharacters)};
constexpr Shape kParameters{.kind = ShapeKind::kList, .element = &kValue, .min = 1};
constexpr Shape kNextToken{.kind = ShapeKind::kString, .min = 1, .max = 32768};
constexpr Shape kStatementToken{.kind = ShapeKind::kString, .min = 1, .max = 36};

constexpr Member kExecuteStatementMembers[] = {
    {"Statement", &kStatement, Absence::kNull},
    {"Parameters", &kParameters},
    {"ConsistentRead", &kFlag},
    {"NextToken", &kNextToken},
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"Limit", &kPositiveInteger},
    {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};

constexpr Member kBatchStatementMembers[] = {
    {"Statement", &kStatement, Absence::kNull},
    {"Parameters", &kParameters},
    {"ConsistentRead", &kFlag},
    {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};
constexpr Shape kBatchStatement{
    .kind = ShapeKind::kStructure, .name = "BatchStatementRequest", .members = kBatchStatementMembers};
constexpr Shape kBatchStatements{.kind = ShapeKind::kList,
                                 .element = &kBatchStatement,
                                 .min = 1,
                                 .max = static_cast<int64_t>(model::kMaxBatchStatements)};
constexpr Member kBatchExecuteStatementMembers[] = {
    {"Statements", &kBatchStatements, Absence::kNull},
    {"ReturnConsumedCapacity", &kReturnCapacity},
};

constexpr Member kTransactStatementMembers[] = {
    {"Statement", &kStatement, Absence::kNull},
    {"Parameters", &kParameters},
    {"ReturnValuesOnConditionCheckFailure", &kReturnOnFailure},
};
constexpr Shape kTransactStatement{
    .kind = ShapeKind::kStructure, .name = "ParameterizedStatement", .members = kTransactStatementMembers};
constexpr Shape kTransactStatements{.kind = ShapeKind::kList,
                                    .element = &kTransactStatement,
                                    .min = 1,
                                    .max = static_cast<int64_t>(model::kMaxTransactionActions)};
constexpr Member kExecuteTransactionMembers[] = {
    {"TransactStatements", &kTransactStatements, Absence::kNull},
    {"ClientRequestToken", &kStatementToken},
    {"ReturnConsumedCapacity", &kReturnCapacity},
};

}  // namespace

constinit const Shape kExecuteStatement{
    .kind = ShapeKind::kStructure, .name = "ExecuteStatementInput", .members = kExecuteStatementMembers};
constinit const Shape kBatchExecuteStatement{
    .kind = ShapeKind::kStructure, .name = "BatchExecuteStatementInput", .members = kBatchExecuteStatementMembers};
constinit const Shape kExecuteTransaction{
    .kind = ShapeKind::kStructure, .name = "ExecuteTransactionInput", .members = kExecuteTransactionMembers};

}  // namespace partita::wire::shapes
