#include "partiql/conditions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "model/fault.h"
#include "partiql/literals.h"

namespace partita::partiql {

namespace {

using expr::ConditionNode;
using expr::ConditionOp;
using expr::Operand;
using model::Fault;
using model::refuse;

struct Comparator {
  std::string_view sign;
  ConditionOp op;
  ConditionOp turned;  // with its sides changed
};
constexpr std::array kComparators = {
    Comparator{"=", ConditionOp::kEqual, ConditionOp::kEqual},
    Comparator{"<>", ConditionOp::kNotEqual, ConditionOp::kNotEqual},
    Comparator{"<", ConditionOp::kLess, ConditionOp::kGreater},
    Comparator{"<=", ConditionOp::kLessEqual, ConditionOp::kGreaterEqual},
    Comparator{">", ConditionOp::kGreater, ConditionOp::kLess},
    Comparator{">=", ConditionOp::kGreaterEqual, ConditionOp::kLessEqual},
};

const Comparator* comparator(const Node& node) {
  if (node.kind != NodeKind::kInfix) return nullptr;
  const auto* const found = std::ranges::find(kComparators, node.text, &Comparator::sign);
  return found == kComparators.end() ? nullptr : found;
}

// The types that IS knows, as attribute_type() calls them.
std::optional<std::string_view> type_of(std::string_view word) {
  struct Type {
    std::string_view word;
    std::string_view name;
  };
  static constexpr std::array kTypes = {Type{"null", "NULL"}, Type{"boolean", "BOOL"}, Type{"bool", "BOOL"},
                                        Type{"blob", "B"},    Type{"string", "S"},     Type{"numeric", "N"},
                                        Type{"struct", "M"},  Type{"tuple", "M"},      Type{"list", "L"}};
  const auto* const found = std::ranges::find(kTypes, word, &Type::word);
  if (found == kTypes.end()) return std::nullopt;
  return found->name;
}

// Whether it holds or not, rather than being a value.
bool is_condition(const Node& node) {
  switch (node.kind) {
    case NodeKind::kAnd:
    case NodeKind::kOr:
    case NodeKind::kNot:
    case NodeKind::kBetween:
    case NodeKind::kIn:
    case NodeKind::kIs:
    case NodeKind::kLike:
      return true;
    case NodeKind::kInfix:
      return comparator(node) != nullptr;
    case NodeKind::kCall:
      return node.text != "size";
    default:
      return false;
  }
}

ConditionNode negated(ConditionNode node) {
  ConditionNode outer;
  outer.op = ConditionOp::kNot;
  outer.children.push_back(std::move(node));
  return outer;
}

class Conditions {
 public:
  explicit Conditions(const Parameters& parameters) : parameters_(parameters) {}

  // `otherwise` is said of what is no condition.
  Result<ConditionNode> condition(const Node& node, Fault otherwise) {
    switch (node.kind) {
      case NodeKind::kAnd:
        return junction(node, ConditionOp::kAnd);
      case NodeKind::kOr:
        return junction(node, ConditionOp::kOr);
      case NodeKind::kNot: {
        PARTITA_TRY(ConditionNode inner, condition(node.children.front(), Fault::kPartiqlNot));
        return negated(std::move(inner));
      }
      case NodeKind::kInfix:
        return comparison(node);
      case NodeKind::kBetween:
        return between(node);
      case NodeKind::kIn:
        return in(node);
      case NodeKind::kIs:
        return is(node);
      case NodeKind::kLike:
        return refuse(Fault::kPartiqlConditionOperator, {node.negated ? "NOT_LIKE" : "LIKE"});
      case NodeKind::kSign:
        return refuse(Fault::kPartiqlConditionOperator, {node.text});
      case NodeKind::kCall:
        if (node.text == "size") return refuse(otherwise);
        return function(node);
      default:
        return refuse(otherwise);
    }
  }

 private:
  Result<ConditionNode> junction(const Node& node, ConditionOp op) {
    ConditionNode made;
    made.op = op;
    for (const Node& child : node.children) {
      PARTITA_TRY(ConditionNode one, condition(child, Fault::kPartiqlJunction));
      made.children.push_back(std::move(one));
    }
    return made;
  }

  Result<ConditionNode> comparison(const Node& node) {
    const Comparator* const found = comparator(node);
    if (found == nullptr) return refuse(Fault::kPartiqlConditionOperator, {node.text});
    const Node& left = node.children[0];
    const Node& right = node.children[1];
    if (is_condition(left) || is_condition(right)) return truth_comparison(*found, left, right);
    ConditionNode made;
    made.op = found->op;
    PARTITA_TRY(Operand first, operand(left));
    PARTITA_TRY(Operand second, operand(right));
    const bool turned = first.value != nullptr && second.value == nullptr;
    if (turned) made.op = found->turned;
    made.operands.push_back(std::move(turned ? second : first));
    made.operands.push_back(std::move(turned ? first : second));
    return checked(std::move(made), node.text);
  }

  // Of which one side at least is a condition, which is TRUE or FALSE then.
  Result<ConditionNode> truth_comparison(const Comparator& found, const Node& left, const Node& right) {
    if (found.op != ConditionOp::kEqual && found.op != ConditionOp::kNotEqual) {
      return refuse(Fault::kPartiqlOperandType, {std::string(found.sign), "BOOL"});
    }
    const bool turned = !is_condition(left);
    ConditionNode made;
    made.op = ConditionOp::kTruthIsIn;
    PARTITA_TRY(ConditionNode truth, condition(turned ? right : left, Fault::kPartiqlNotBoolean));
    made.children.push_back(std::move(truth));
    PARTITA_TRY_VOID(add_candidate(turned ? left : right, made));
    return found.op == ConditionOp::kEqual ? std::move(made) : negated(std::move(made));
  }

  Result<void> add_candidate(const Node& node, ConditionNode& made) {
    if (is_condition(node)) {
      PARTITA_TRY(ConditionNode other, condition(node, Fault::kPartiqlNotBoolean));
      made.children.push_back(std::move(other));
      return {};
    }
    PARTITA_TRY(Operand value, operand(node));
    made.operands.push_back(std::move(value));
    return {};
  }

  Result<ConditionNode> between(const Node& node) {
    ConditionNode made;
    made.op = ConditionOp::kBetween;
    for (const Node& child : node.children) {
      if (is_condition(child)) return refuse(Fault::kPartiqlOperandType, {"BETWEEN", "BOOL"});
      PARTITA_TRY(Operand one, operand(child));
      made.operands.push_back(std::move(one));
    }
    PARTITA_TRY(made, checked(std::move(made), "BETWEEN"));
    return node.negated ? negated(std::move(made)) : std::move(made);
  }

  Result<ConditionNode> in(const Node& node) {
    const Node& what = node.children[0];
    const Node& among = node.children[1];
    const bool list = among.kind == NodeKind::kList || among.kind == NodeKind::kBag;
    const bool subject = is_path(what) || is_condition(what) || what.kind == NodeKind::kCall;
    if (!list || !subject || among.children.empty()) return refuse(Fault::kPartiqlIn);
    ConditionNode made;
    if (is_condition(what)) {
      made.op = ConditionOp::kTruthIsIn;
      PARTITA_TRY(ConditionNode truth, condition(what, Fault::kPartiqlNotBoolean));
      made.children.push_back(std::move(truth));
      for (const Node& candidate : among.children) PARTITA_TRY_VOID(add_candidate(candidate, made));
    } else {
      made.op = ConditionOp::kIn;
      PARTITA_TRY(Operand first, operand(what));
      made.operands.push_back(std::move(first));
      for (const Node& candidate : among.children) {
        PARTITA_TRY(Operand one, operand(candidate));
        made.operands.push_back(std::move(one));
      }
    }
    PARTITA_TRY(made, checked(std::move(made), "IN"));
    return node.negated ? negated(std::move(made)) : std::move(made);
  }

  Result<ConditionNode> is(const Node& node) {
    const Node& what = node.children.front();
    if (!is_path(what) && !is_literal(what)) return refuse(Fault::kPartiqlIs);
    ConditionNode made;
    PARTITA_TRY(Operand first, operand(what));
    made.operands.push_back(std::move(first));
    if (node.text == "missing") {
      made.op = ConditionOp::kAttributeNotExists;
    } else {
      const auto type = type_of(node.text);
      if (!type) {
        std::string name = node.text;
        std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
        return refuse(Fault::kPartiqlIsType, {std::move(name)});
      }
      made.op = ConditionOp::kAttributeType;
      Operand& wanted = made.operands.emplace_back();
      wanted.value = std::make_shared<const model::AttributeValue>(model::AttributeValue::string(std::string(*type)));
    }
    return node.negated ? negated(std::move(made)) : std::move(made);
  }

  Result<ConditionNode> function(const Node& node) {
    const auto op = expr::condition_function(node.text);
    if (!op) return unknown(node);
    ConditionNode made;
    made.op = *op;
    for (const Node& argument : node.children) {
      PARTITA_TRY(Operand one, operand(argument));
      made.operands.push_back(std::move(one));
    }
    return checked(std::move(made), node.text);
  }

  static Error unknown(const Node& call) { return refuse(Fault::kPartiqlFunction, {call.text, describe(call.place)}); }

  Result<Operand> operand(const Node& node) {
    Operand made;
    if (is_path(node)) {
      PARTITA_TRY(made.path, path_of(node));
      return made;
    }
    if (is_constant(node)) {
      PARTITA_TRY(made.value, constant_of(node, parameters_));
      return made;
    }
    if (node.kind == NodeKind::kMissing) return refuse(Fault::kPartiqlMissing);
    if (node.kind == NodeKind::kInfix || node.kind == NodeKind::kSign) {
      return refuse(Fault::kPartiqlConditionOperator, {node.text});
    }
    if (node.kind != NodeKind::kCall) return refuse(Fault::kPartiqlPathComponent, {describe(node.place)});
    if (node.text != "size") return unknown(node);
    std::vector<Operand> arguments;
    for (const Node& argument : node.children) {
      PARTITA_TRY(Operand one, operand(argument));
      arguments.push_back(std::move(one));
    }
    if (auto problem = expr::check_size(arguments)) return refuse_operands(*std::move(problem));
    made = std::move(arguments.front());
    made.size = true;
    return made;
  }

  static Result<ConditionNode> checked(ConditionNode node, std::string_view name) {
    if (auto problem = expr::check_operands(node, name)) return refuse_operands(*std::move(problem));
    return node;
  }

  const Parameters& parameters_;
};

}  // namespace

bool is_constant(const Node& node) { return node.kind == NodeKind::kParameter || is_literal(node); }

Result<expr::ValuePtr> constant_of(const Node& node, const Parameters& parameters) {
  if (node.kind == NodeKind::kParameter) return parameters[node.position];
  PARTITA_TRY(model::AttributeValue value, value_of(node));
  return expr::ValuePtr(std::make_shared<const model::AttributeValue>(std::move(value)));
}

Error refuse_operands(expr::OperandProblem problem) {
  switch (problem.fault) {
    case Fault::kExpressionOperandCount:
      return refuse(Fault::kPartiqlOperandCount, std::move(problem.args));
    case Fault::kExpressionNeedsPath:
      return refuse(Fault::kPartiqlNeedsPath, std::move(problem.args));
    case Fault::kExpressionTypeName:
      return refuse(Fault::kPartiqlTypeName, std::move(problem.args));
    case Fault::kExpressionSameOperand:
      return refuse(Fault::kPartiqlSameOperand, std::move(problem.args));
    case Fault::kExpressionBetweenTypes:
      return refuse(Fault::kPartiqlBetweenTypes, std::move(problem.args));
    case Fault::kExpressionBetweenOrder:
      return refuse(Fault::kPartiqlBetweenOrder, std::move(problem.args));
    case Fault::kExpressionTooManyCandidates:
      return refuse(Fault::kPartiqlTooManyCandidates, std::move(problem.args));
    default:
      return refuse(Fault::kPartiqlOperandType, std::move(problem.args));
  }
}

Result<ConditionNode> condition_of(const Node& where, const Parameters& parameters) {
  return Conditions(parameters).condition(where, Fault::kPartiqlNotBoolean);
}

}  // namespace partita::partiql
