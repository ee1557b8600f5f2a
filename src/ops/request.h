// The parts that several requests share, decoded out of a structure's members. What is left to check here are the rules
// that a shape cannot state and that need no table.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/options.h"
#include "base/result.h"
#include "expr/condition.h"
#include "expr/legacy.h"
#include "expr/placeholders.h"
#include "expr/projection.h"
#include "ops/operation.h"
#include "wire/item_reader.h"
#include "wire/json_writer.h"
#include "wire/members.h"

namespace partita::ops {

api::CapacityDetail capacity_detail(const wire::Members& in);
api::ReturnValues return_values(const wire::Members& in);
bool returns_item_on_failure(const wire::Members& in);
bool wants_collection_metrics(const wire::Members& in);

// The parameters of a request that may hold expressions, in the order in which AWS names them, and those from before
// expressions, which do not mix with them.
struct ExpressionRules {
  std::initializer_list<wire::Field> expressions;
  std::initializer_list<wire::Field> legacy;
};

// That the two kinds do not mix, and that placeholders come with an expression; DynamoDB finds this before it looks at
// values. Faults: kMixedExpressions, kNamesWithoutExpression, kValuesWithoutExpression.
Result<void> check_forms(const wire::Members& in, const ExpressionRules& rules);

// ExpressionAttributeNames and ExpressionAttributeValues. Faults: kPlaceholderValueInvalid, those of
// Placeholders::make.
Result<expr::Placeholders> placeholders(const wire::Members& in, wire::Nesting nesting = wire::Nesting::kInItem);

// The elements of a list of strings.
std::vector<std::string> texts(const wire::JsonValue& list);

// ProjectionExpression; absent when there is none.
Result<std::optional<expr::Projection>> projection(const wire::Members& in, expr::Placeholders& given);
// AttributesToGet; absent when there is none. DynamoDB finds its faults before it reads any expression.
Result<std::optional<expr::Projection>> attributes_to_get(const wire::Members& in);

// The entries of Expected, QueryFilter, ScanFilter or KeyConditions, whichever `field` is; none when it is absent.
Result<std::vector<expr::LegacyCondition>> legacy_conditions(const wire::Members& in, wire::Field field);
// ConditionalOperator.
expr::LegacyJoin legacy_join(const wire::Members& in);
// ConditionalOperator is for two or more conditions. Faults: kConditionalOperatorAlone, kConditionalOperatorSingle.
Result<void> check_conditional_operator(const wire::Members& in, wire::Field conditions);

}  // namespace partita::ops
