// DynamoDB's checks of the operands of one operator or function before it looks at an item: their number, that they
// differ, and the types of the constants.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/condition.h"
#include "model/fault.h"

namespace partita::expr {

struct OperandProblem {
  model::Fault fault;
  std::vector<std::string> args;  // without the expression's name
};

// The condition function of exactly that name, or nullopt.
std::optional<ConditionOp> condition_function(std::string_view name);

// `name`: the operator as the expression wrote it.
std::optional<OperandProblem> check_operands(const ConditionNode& node, std::string_view name);
std::optional<OperandProblem> check_size(const std::vector<Operand>& operands);

// The operand's type, if it is known without an item.
std::optional<model::Type> static_type(const Operand& operand);

// A scalar as DynamoDB's messages show it: "AttributeValue: {S:a}".
std::string shown(const model::AttributeValue& value);

}  // namespace partita::expr
