// Decoders of the parameters that several requests have. They check the rules that a shape cannot state and that need
// no table. Pure functions.
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

// The parameters of a request that have expressions, in AWS's order, and the legacy parameters that they replace. A
// request may not have both kinds.
struct ExpressionRules {
  std::initializer_list<wire::Field> expressions;
  std::initializer_list<wire::Field> legacy;
};

// Checks that the request does not have both kinds, and has placeholders only with an expression. DynamoDB checks this
// before it looks at values. Faults: kMixedExpressions, kNamesWithoutExpression, kValuesWithoutExpression.
Result<void> check_forms(const wire::Members& in, const ExpressionRules& rules);

// ExpressionAttributeNames and ExpressionAttributeValues. Faults: kPlaceholderValueInvalid, those of
// Placeholders::make().
Result<expr::Placeholders> placeholders(const wire::Members& in, wire::Nesting nesting = wire::Nesting::kInItem);

// The elements of a list of strings.
std::vector<std::string> texts(const wire::JsonValue& list);

// ProjectionExpression; absent: the request has none.
Result<std::optional<expr::Projection>> projection(const wire::Members& in, expr::Placeholders& given);
// AttributesToGet; absent: the request has none. DynamoDB reports its faults before it parses any expression.
Result<std::optional<expr::Projection>> attributes_to_get(const wire::Members& in);

// The entries of `field`: Expected, QueryFilter, ScanFilter or KeyConditions; none if it is absent.
Result<std::vector<expr::LegacyCondition>> legacy_conditions(const wire::Members& in, wire::Field field);
// ConditionalOperator.
expr::LegacyJoin legacy_join(const wire::Members& in);
// Checks that ConditionalOperator comes with two or more conditions. Faults: kConditionalOperatorAlone,
// kConditionalOperatorSingle.
Result<void> check_conditional_operator(const wire::Members& in, wire::Field conditions);

}  // namespace partita::ops
