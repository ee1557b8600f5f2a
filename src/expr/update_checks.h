// DynamoDB's checks of the operands of an update before it looks at an item: their number, that they differ, and the
// types of the constants.
#pragma once

#include <optional>
#include <string_view>

#include "expr/condition_checks.h"
#include "expr/update.h"

namespace partita::expr {

// "SET", "REMOVE", "ADD" or "DELETE".
std::string_view clause_name(UpdateAction::Kind kind);

// The constant of ADD or DELETE.
std::optional<OperandProblem> check_clause_operand(UpdateAction::Kind kind, const model::AttributeValue& value);

// `name`: the operator or the function as the expression wrote it. `value` may have any number of arguments.
std::optional<OperandProblem> check_function(const UpdateValue& value, std::string_view name);
std::optional<OperandProblem> check_arithmetic(const UpdateValue& value, std::string_view name);

}  // namespace partita::expr
