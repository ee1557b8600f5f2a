// The parts that several requests share, decoded. Every body here has passed its shape's checks, so members have the
// JSON kinds that the shape declares; what is left are the rules that a shape can not state.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/legacy.h"
#include "expr/placeholders.h"
#include "expr/projection.h"
#include "ops/operation.h"
#include "ops/reply.h"
#include "table/write.h"
#include "wire/json_reader.h"

namespace partita::ops {

enum class ReturnValues : uint8_t { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };

// A table's name from a name or an ARN. Faults: kArnInvalid, kArnOfAnotherAccount.
Result<std::string> table_name_of(std::string_view name_or_arn, const Context& context);
// The member TableName of the body.
Result<std::string> table_name(wire::JsonValue body, const Context& context);
// The table that TableName names, ready for items. Faults: also kResourceNotFound.
Result<table::Table> ready_table(wire::JsonValue body, const Context& context);

CapacityDetail capacity_detail(wire::JsonValue body);
ReturnValues return_values(wire::JsonValue body);
bool wants_collection_metrics(wire::JsonValue body);
// False when absent.
bool flag(wire::JsonValue body, std::string_view name);
std::optional<int64_t> integer(wire::JsonValue body, std::string_view name);
// Empty when absent.
std::string text(wire::JsonValue body, std::string_view name);

// The parameters of a request that may hold expressions, in the order in which AWS names them, and those from before
// expressions, which do not mix with them.
struct ExpressionRules {
  std::initializer_list<std::string_view> expressions;
  std::initializer_list<std::string_view> legacy;
};

// That the two kinds do not mix, and that placeholders come with an expression; DynamoDB finds this before it looks at
// values. Faults: kMixedExpressions, kNamesWithoutExpression, kValuesWithoutExpression.
Result<void> check_forms(wire::JsonValue body, const ExpressionRules& rules);

// ExpressionAttributeNames and ExpressionAttributeValues. Faults: kPlaceholderValueInvalid, those of
// Placeholders::make.
Result<expr::Placeholders> placeholders(wire::JsonValue body);

// ProjectionExpression; absent when there is none.
Result<std::optional<expr::Projection>> projection(wire::JsonValue body, expr::Placeholders& given);
// AttributesToGet; absent when there is none. DynamoDB finds its faults before it reads any expression.
Result<std::optional<expr::Projection>> attributes_to_get(wire::JsonValue body);

// The entries of Expected, QueryFilter, ScanFilter or KeyConditions, and ConditionalOperator.
Result<std::vector<expr::LegacyCondition>> legacy_conditions(wire::JsonValue entries);
expr::LegacyJoin legacy_join(wire::JsonValue body);
// ConditionalOperator is for two or more conditions. Faults: kConditionalOperatorAlone.
Result<void> check_conditional_operator(wire::JsonValue body, std::string_view conditions);

}  // namespace partita::ops
