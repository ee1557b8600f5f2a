#include "print.h"

#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/limits.h"

namespace partita::fuzz {
namespace {

using expr::ConditionNode;
using expr::ConditionOp;
using expr::Operand;
using expr::Path;
using expr::UpdateAction;
using expr::UpdateValue;
using expr::ValuePtr;

class Printer {
 public:
  Printed take() && { return std::move(printed_); }

  void put(std::string_view text) { printed_.text += text; }

  void put(const Path& path) {
    put_name(path.attribute);
    for (const expr::PathStep& step : path.steps) {
      if (const auto* position = std::get_if<uint32_t>(&step)) {
        put("[" + std::to_string(*position) + "]");
      } else {
        put(".");
        put_name(std::get<std::string>(step));
      }
    }
  }

  void put(const Operand& operand) {
    if (operand.size) put("size(");
    if (operand.value != nullptr) {
      put(operand.value);
    } else {
      put(operand.path);
    }
    if (operand.size) put(")");
  }

  void put(const ValuePtr& value) {
    size_t at = 0;
    while (at < values_.size() && values_[at] != value.get()) ++at;
    const std::string key = ":v" + std::to_string(at);
    if (at == values_.size()) {
      values_.push_back(value.get());
      printed_.values.set(key, *value);
    }
    put(key);
  }

  void put(const ConditionNode& node);
  void put(const UpdateValue& value);

  template <class Things>
  void put_list(const Things& things, std::string_view between) {
    bool first = true;
    for (const auto& thing : things) {
      if (!first) put(between);
      first = false;
      put(thing);
    }
  }

 private:
  void put_name(const std::string& name) {
    size_t at = 0;
    while (at < printed_.names.size() && printed_.names[at].second != name) ++at;
    if (at == printed_.names.size()) printed_.names.emplace_back("#n" + std::to_string(at), name);
    put(printed_.names[at].first);
  }

  void put_junction(const ConditionNode& node);
  void put_inner(const ConditionNode& node, bool parenthesized);
  void put_call(std::string_view name, const std::vector<Operand>& operands) {
    put(name);
    put("(");
    put_list(operands, ", ");
    put(")");
  }

  Printed printed_;
  std::vector<const model::AttributeValue*> values_;
};

bool is_junction(const ConditionNode& node) { return node.op == ConditionOp::kAnd || node.op == ConditionOp::kOr; }

void Printer::put_inner(const ConditionNode& node, bool parenthesized) {
  if (parenthesized) put("(");
  put(node);
  if (parenthesized) put(")");
}

// A junction of its own kind was in parentheses, or it would be part of the outer one.
void Printer::put_junction(const ConditionNode& node) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0) put(node.op == ConditionOp::kAnd ? " AND " : " OR ");
    const ConditionNode& child = node.children[i];
    const bool binds_closer = node.op == ConditionOp::kOr && child.op == ConditionOp::kAnd;
    put_inner(child, is_junction(child) && !binds_closer);
  }
}

void Printer::put(const ConditionNode& node) {
  constexpr std::array<std::string_view, 6> kComparators = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
  const std::vector<Operand>& operands = node.operands;
  switch (node.op) {
    case ConditionOp::kAnd:
    case ConditionOp::kOr:
      return put_junction(node);
    case ConditionOp::kNot:
      put("NOT ");
      return put_inner(node.children.at(0), is_junction(node.children[0]));
    case ConditionOp::kBetween:
      put(operands.at(0));
      put(" BETWEEN ");
      put(operands.at(1));
      put(" AND ");
      return put(operands.at(2));
    case ConditionOp::kIn:
      put(operands.at(0));
      return put_call(" IN ", {operands.begin() + 1, operands.end()});
    case ConditionOp::kAttributeExists:
      return put_call("attribute_exists", operands);
    case ConditionOp::kAttributeNotExists:
      return put_call("attribute_not_exists", operands);
    case ConditionOp::kAttributeType:
      return put_call("attribute_type", operands);
    case ConditionOp::kBeginsWith:
      return put_call("begins_with", operands);
    case ConditionOp::kContains:
      return put_call("contains", operands);
    default:
      put(operands.at(0));
      put(kComparators.at(static_cast<size_t>(node.op) - static_cast<size_t>(ConditionOp::kEqual)));
      return put(operands.at(1));
  }
}

void Printer::put(const UpdateValue& value) {
  switch (value.kind) {
    case UpdateValue::Kind::kConstant:
      return put(value.constant);
    case UpdateValue::Kind::kPath:
      return put(value.path);
    case UpdateValue::Kind::kPlus:
      return put_list(value.arguments, " + ");
    case UpdateValue::Kind::kMinus:
      return put_list(value.arguments, " - ");
    case UpdateValue::Kind::kIfNotExists:
      put("if_not_exists(");
      break;
    case UpdateValue::Kind::kListAppend:
      put("list_append(");
      break;
  }
  put_list(value.arguments, ", ");
  put(")");
}

}  // namespace

bool Printed::fits() const { return text.size() <= model::kMaxExpressionBytes; }

expr::Placeholders Printed::given() const {
  std::optional<expr::Placeholders::Names> some_names;
  if (!names.empty()) some_names = names;
  std::optional<model::AttributeMap> some_values;
  if (!values.empty()) some_values = values;
  return expr::Placeholders::make(std::move(some_names), std::move(some_values)).value();
}

Printed print(const expr::Condition& condition) {
  Printer printer;
  printer.put(condition.root());
  return std::move(printer).take();
}

// The actions of one kind stand together, because a section stands only once.
Printed print(const expr::Update& update) {
  constexpr std::array<std::string_view, 4> kSections = {"SET ", "REMOVE ", "ADD ", "DELETE "};
  Printer printer;
  const UpdateAction* previous = nullptr;
  for (const UpdateAction& action : update.actions()) {
    if (previous != nullptr) printer.put(previous->kind == action.kind ? ", " : " ");
    if (previous == nullptr || previous->kind != action.kind) {
      printer.put(kSections.at(static_cast<size_t>(action.kind)));
    }
    previous = &action;
    printer.put(action.path);
    if (action.kind == UpdateAction::Kind::kRemove) continue;
    printer.put(action.kind == UpdateAction::Kind::kSet ? " = " : " ");
    printer.put(action.value);
  }
  return std::move(printer).take();
}

Printed print(const expr::Projection& projection) {
  Printer printer;
  printer.put_list(projection.paths(), ", ");
  return std::move(printer).take();
}

}  // namespace partita::fuzz
