#include "expr/update_checks.h"

#include <array>
#include <string>
#include <vector>

namespace partita::expr {
namespace {

using model::Fault;
using model::Type;
using Problem = std::optional<OperandProblem>;
using ActionKind = UpdateAction::Kind;
using ValueKind = UpdateValue::Kind;

// The types as the errors of ADD and DELETE write them.
std::string_view long_type_name(Type type) {
  switch (type) {
    case Type::kS:
      return "STRING";
    case Type::kN:
      return "NUMBER";
    case Type::kB:
      return "BINARY";
    case Type::kBool:
      return "BOOLEAN";
    case Type::kNull:
      return "NULL";
    case Type::kM:
      return "MAP";
    case Type::kL:
      return "LIST";
    case Type::kSS:
      return "STRING_SET";
    case Type::kNS:
      return "NUMBER_SET";
    case Type::kBS:
      return "BINARY_SET";
  }
  return "";
}

Problem check_constants(const std::vector<UpdateValue>& values, std::string_view name, Type wanted) {
  for (const UpdateValue& value : values) {
    if (value.kind != ValueKind::kConstant || value.constant == nullptr || value.constant->is(wanted)) continue;
    return OperandProblem{Fault::kExpressionOperandType,
                          {std::string(name), std::string(model::type_name(value.constant->type()))}};
  }
  return std::nullopt;
}

}  // namespace

std::string_view clause_name(ActionKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"SET", "REMOVE", "ADD", "DELETE"};
  return kNames[static_cast<size_t>(kind)];
}

Problem check_clause_operand(ActionKind kind, const model::AttributeValue& value) {
  if (value.is_set() || (kind == ActionKind::kAdd && value.is(Type::kN))) return std::nullopt;
  return OperandProblem{Fault::kUpdateClauseOperandType,
                        {std::string(clause_name(kind)), std::string(long_type_name(value.type()))}};
}

Problem check_function(const UpdateValue& value, std::string_view name) {
  if (value.arguments.size() != 2) {
    return OperandProblem{Fault::kExpressionOperandCount, {std::string(name), std::to_string(value.arguments.size())}};
  }
  if (value.kind == ValueKind::kListAppend) return check_constants(value.arguments, name, Type::kL);
  const UpdateValue& first = value.arguments[0];
  const UpdateValue& second = value.arguments[1];
  if (first.kind != ValueKind::kPath) return OperandProblem{Fault::kExpressionNeedsPath, {std::string(name)}};
  if (second.kind == ValueKind::kPath && first.path == second.path) {
    return OperandProblem{Fault::kExpressionSameOperand, {std::string(name), describe(first.path)}};
  }
  return std::nullopt;
}

Problem check_arithmetic(const UpdateValue& value, std::string_view name) {
  return check_constants(value.arguments, name, Type::kN);
}

}  // namespace partita::expr
