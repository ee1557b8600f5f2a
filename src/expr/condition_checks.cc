#include "expr/condition_checks.h"

#include <algorithm>
#include <array>

#include "model/limits.h"

namespace partita::expr {
namespace {

using model::AttributeValue;
using model::Fault;
using model::Type;
using Problem = std::optional<OperandProblem>;

bool is_path(const Operand& operand) { return operand.value == nullptr && !operand.size; }

OperandProblem wrong_type(std::string_view name, std::string_view type) {
  return {Fault::kExpressionOperandType, {std::string(name), std::string(type)}};
}

Problem check_count(size_t wanted, size_t count, std::string_view name) {
  if (count == wanted) return std::nullopt;
  return OperandProblem{Fault::kExpressionOperandCount, {std::string(name), std::to_string(count)}};
}

// No operand may be the same path as the first.
Problem check_distinct(const std::vector<Operand>& operands, std::string_view name) {
  const Operand& first = operands.front();
  if (!is_path(first)) return std::nullopt;
  const auto same = [&](const Operand& other) { return is_path(other) && other.path == first.path; };
  if (std::none_of(operands.begin() + 1, operands.end(), same)) return std::nullopt;
  return OperandProblem{Fault::kExpressionSameOperand, {std::string(name), describe(first.path)}};
}

template <class Allowed>
Problem check_types(const std::vector<Operand>& operands, std::string_view name, Allowed allowed) {
  for (const Operand& operand : operands) {
    const std::optional<Type> type = static_type(operand);
    if (type && !allowed(*type)) return wrong_type(name, model::type_name(*type));
  }
  return std::nullopt;
}

Problem check_bounds(const Operand& low, const Operand& high) {
  if (low.value == nullptr || high.value == nullptr || low.size || high.size) return std::nullopt;
  if (low.value->type() != high.value->type()) {
    return OperandProblem{Fault::kExpressionBetweenTypes, {shown(*low.value), shown(*high.value)}};
  }
  if (compare_scalars(*low.value, *high.value) > 0) {
    return OperandProblem{Fault::kExpressionBetweenOrder, {shown(*low.value), shown(*high.value)}};
  }
  return std::nullopt;
}

Problem check_between(const ConditionNode& node, std::string_view name) {
  if (auto problem = check_distinct(node.operands, name)) return problem;
  if (auto problem = check_types(node.operands, name, is_ordered)) return problem;
  return check_bounds(node.operands[1], node.operands[2]);
}

Problem check_in(const ConditionNode& node, std::string_view name) {
  const size_t candidates = node.operands.size() - 1;
  if (candidates > model::kMaxInOperands) {
    return OperandProblem{Fault::kExpressionTooManyCandidates, {std::to_string(candidates)}};
  }
  return check_distinct(node.operands, name);
}

Problem check_exists(const ConditionNode& node, std::string_view name) {
  if (auto problem = check_count(1, node.operands.size(), name)) return problem;
  if (is_path(node.operands.front())) return std::nullopt;
  return OperandProblem{Fault::kExpressionNeedsPath, {std::string(name)}};
}

Problem check_attribute_type(const ConditionNode& node, std::string_view name) {
  if (auto problem = check_count(2, node.operands.size(), name)) return problem;
  if (auto problem = check_distinct(node.operands, name)) return problem;
  const std::optional<Type> type = static_type(node.operands[1]);
  if (!type) return wrong_type(name, "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
  if (*type != Type::kS) return wrong_type(name, model::type_name(*type));
  const std::string& wanted = node.operands[1].value->as_string();
  for (int i = 0; i <= static_cast<int>(Type::kBS); ++i) {
    if (model::type_name(static_cast<Type>(i)) == wanted) return std::nullopt;
  }
  return OperandProblem{Fault::kExpressionTypeName, {wanted}};
}

Problem check_begins_with(const ConditionNode& node, std::string_view name) {
  if (auto problem = check_count(2, node.operands.size(), name)) return problem;
  if (auto problem = check_distinct(node.operands, name)) return problem;
  return check_types(node.operands, name, [](Type type) { return type == Type::kS || type == Type::kB; });
}

Problem check_contains(const ConditionNode& node, std::string_view name) {
  if (auto problem = check_count(2, node.operands.size(), name)) return problem;
  return check_distinct(node.operands, name);
}

}  // namespace

std::string shown(const AttributeValue& value) {
  std::string out = "AttributeValue: {" + std::string(model::type_name(value.type())) + ":";
  if (value.is(Type::kS)) {
    out += value.as_string();
  } else if (value.is(Type::kN)) {
    out += value.as_number().to_string();
  } else {
    const std::string size = std::to_string(value.as_binary().size());
    out += "java.nio.HeapByteBuffer[pos=0 lim=" + size + " cap=" + size + "]";
  }
  return out + "}";
}

std::optional<Type> static_type(const Operand& operand) {
  if (operand.size) return Type::kN;
  if (operand.value != nullptr) return operand.value->type();
  return std::nullopt;
}

std::optional<ConditionOp> condition_function(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, ConditionOp>, 5> kFunctions = {{
      {"attribute_exists", ConditionOp::kAttributeExists},
      {"attribute_not_exists", ConditionOp::kAttributeNotExists},
      {"attribute_type", ConditionOp::kAttributeType},
      {"begins_with", ConditionOp::kBeginsWith},
      {"contains", ConditionOp::kContains},
  }};
  for (const auto& [known, op] : kFunctions) {
    if (known == name) return op;
  }
  return std::nullopt;
}

Problem check_operands(const ConditionNode& node, std::string_view name) {
  switch (node.op) {
    case ConditionOp::kAnd:
    case ConditionOp::kOr:
    case ConditionOp::kNot:
    case ConditionOp::kTruthIsIn:
      return std::nullopt;
    case ConditionOp::kEqual:
    case ConditionOp::kNotEqual:
      return check_distinct(node.operands, name);
    case ConditionOp::kLess:
    case ConditionOp::kLessEqual:
    case ConditionOp::kGreater:
    case ConditionOp::kGreaterEqual: {
      if (auto problem = check_distinct(node.operands, name)) return problem;
      return check_types(node.operands, name, is_ordered);
    }
    case ConditionOp::kBetween:
      return check_between(node, name);
    case ConditionOp::kIn:
    case ConditionOp::kInSorted:
      return check_in(node, name);
    case ConditionOp::kAttributeExists:
    case ConditionOp::kAttributeNotExists:
      return check_exists(node, name);
    case ConditionOp::kAttributeType:
      return check_attribute_type(node, name);
    case ConditionOp::kBeginsWith:
      return check_begins_with(node, name);
    case ConditionOp::kContains:
      return check_contains(node, name);
  }
  return std::nullopt;
}

Problem check_size(const std::vector<Operand>& operands) {
  if (auto problem = check_count(1, operands.size(), "size")) return problem;
  return check_types(operands, "size",
                     [](Type type) { return type != Type::kN && type != Type::kBool && type != Type::kNull; });
}

}  // namespace partita::expr
