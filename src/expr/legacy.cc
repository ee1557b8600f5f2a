#include "expr/legacy.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "expr/condition_checks.h"
#include "model/fault.h"
#include "model/limits.h"

namespace partita::expr {
namespace {

using model::AttributeValue;
using model::Fault;
using model::Type;
using Values = std::vector<AttributeValue>;

constexpr std::array<std::string_view, 13> kOpNames = {
    "EQ", "NE", "IN", "LE", "LT", "GE", "GT", "BETWEEN", "NOT_NULL", "NULL", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH",
};

Error refuse_with(Fault fault, const LegacyCondition& condition) { return model::refuse(fault, {condition.attribute}); }

bool count_fits(LegacyOp op, size_t count) {
  switch (op) {
    case LegacyOp::kNull:
    case LegacyOp::kNotNull:
      return count == 0;
    case LegacyOp::kIn:
      return count > 0;
    case LegacyOp::kBetween:
      return count == 2;
    default:
      return count == 1;
  }
}

bool type_fits(LegacyOp op, Type type) {
  switch (op) {
    case LegacyOp::kLe:
    case LegacyOp::kLt:
    case LegacyOp::kGe:
    case LegacyOp::kGt:
    case LegacyOp::kBetween:
    case LegacyOp::kIn:
      return is_ordered(type);
    case LegacyOp::kBeginsWith:
      return type == Type::kS || type == Type::kB;
    case LegacyOp::kContains:
    case LegacyOp::kNotContains:
      return is_ordered(type) || type == Type::kBool || type == Type::kNull;
    default:
      return true;
  }
}

Result<void> check_values(LegacyOp op, const Values& values) {
  if (!count_fits(op, values.size())) {
    return model::refuse(Fault::kLegacyArgumentCount, {std::string(legacy_op_name(op))});
  }
  const auto other_type = [&](const AttributeValue& value) { return value.type() != values.front().type(); };
  if (std::ranges::any_of(values, other_type)) return model::refuse(Fault::kLegacyMixedTypes);
  for (const AttributeValue& value : values) {
    if (type_fits(op, value.type())) continue;
    return model::refuse(Fault::kLegacyOperandType,
                         {std::string(legacy_op_name(op)), std::string(model::type_name(value.type()))});
  }
  if (op == LegacyOp::kBetween && compare_scalars(values[0], values[1]) > 0) {
    return model::refuse(Fault::kLegacyBetweenOrder);
  }
  return {};
}

Operand attribute_operand(const std::string& attribute) {
  Operand operand;
  operand.path.attribute = attribute;
  return operand;
}

ConditionNode make_node(ConditionOp op, const std::string& attribute, const Values& values) {
  ConditionNode node;
  node.op = op;
  node.operands.push_back(attribute_operand(attribute));
  for (const AttributeValue& value : values) {
    Operand operand;
    operand.value = std::make_shared<const AttributeValue>(value);
    node.operands.push_back(std::move(operand));
  }
  return node;
}

// For NOT_CONTAINS see lower().
ConditionOp condition_op(LegacyOp op) {
  switch (op) {
    case LegacyOp::kEq:
      return ConditionOp::kEqual;
    case LegacyOp::kNe:
      return ConditionOp::kNotEqual;
    case LegacyOp::kIn:
      return ConditionOp::kIn;
    case LegacyOp::kLe:
      return ConditionOp::kLessEqual;
    case LegacyOp::kLt:
      return ConditionOp::kLess;
    case LegacyOp::kGe:
      return ConditionOp::kGreaterEqual;
    case LegacyOp::kGt:
      return ConditionOp::kGreater;
    case LegacyOp::kBetween:
      return ConditionOp::kBetween;
    case LegacyOp::kNotNull:
      return ConditionOp::kAttributeExists;
    case LegacyOp::kNull:
      return ConditionOp::kAttributeNotExists;
    case LegacyOp::kContains:
    case LegacyOp::kNotContains:
      return ConditionOp::kContains;
    case LegacyOp::kBeginsWith:
      return ConditionOp::kBeginsWith;
  }
  return ConditionOp::kEqual;
}

// A list of any length is looked through once for each item, so it is put in order first.
void sort_candidates(ConditionNode& node) {
  node.op = ConditionOp::kInSorted;
  std::sort(node.operands.begin() + 1, node.operands.end(),
            [](const Operand& a, const Operand& b) { return compare_scalars(*a.value, *b.value) < 0; });
}

ConditionNode lower(LegacyOp op, const std::string& attribute, const Values& values) {
  ConditionNode node = make_node(condition_op(op), attribute, values);
  if (op == LegacyOp::kIn) sort_candidates(node);
  if (op != LegacyOp::kNotContains) return node;
  // A missing attribute does not meet NOT_CONTAINS.
  ConditionNode negated;
  negated.op = ConditionOp::kNot;
  negated.children.push_back(std::move(node));
  ConditionNode both;
  both.op = ConditionOp::kAnd;
  both.children.push_back(make_node(ConditionOp::kAttributeExists, attribute, {}));
  both.children.push_back(std::move(negated));
  return both;
}

ConditionNode junction(LegacyJoin join) {
  ConditionNode node;
  node.op = join == LegacyJoin::kAnd ? ConditionOp::kAnd : ConditionOp::kOr;
  return node;
}

Result<void> check_name(const std::string& attribute) {
  if (attribute.empty()) return model::refuse(Fault::kEmptyAttributeName);
  if (attribute.size() > model::kMaxAttributeNameBytes) return model::refuse(Fault::kAttributeNameTooLong);
  return {};
}

// The entries without those whose attribute comes again: of a member that is sent twice the last counts.
template <class Entry>
std::vector<const Entry*> last_of_each(const std::vector<Entry>& entries) {
  std::vector<const Entry*> order;
  order.reserve(entries.size());
  for (const Entry& entry : entries) order.push_back(&entry);
  const auto by_name = [](const Entry* a, const Entry* b) {
    return std::tie(a->attribute, a) < std::tie(b->attribute, b);
  };
  std::ranges::sort(order, by_name);
  std::vector<const Entry*> kept;
  kept.reserve(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool last = i + 1 == order.size() || order[i + 1]->attribute != order[i]->attribute;
    if (last) kept.push_back(order[i]);
  }
  std::ranges::sort(kept);  // they lie in the order given
  return kept;
}

// Without conditions there is nothing to fail, whatever joins them.
Condition make_condition(ConditionNode root) {
  if (root.children.empty()) return Condition();
  return Condition(std::move(root));
}

Result<ConditionNode> lower_compared(const LegacyCondition& condition) {
  const LegacyOp op = *condition.op;
  if (condition.exists) return refuse_with(Fault::kLegacyExistsAndOp, condition);
  const bool needs_value = op != LegacyOp::kNull && op != LegacyOp::kNotNull;
  if (needs_value && !condition.values && !condition.value) {
    return model::refuse(Fault::kLegacyNoValue, {std::string(legacy_op_name(op)), condition.attribute});
  }
  Values values;
  if (condition.values) values = *condition.values;
  if (condition.value) values.push_back(*condition.value);
  PARTITA_TRY_VOID(check_values(op, values));
  return lower(op, condition.attribute, values);
}

// Value and Exists: equal to the value, or not there.
Result<ConditionNode> lower_existence(const LegacyCondition& condition) {
  const bool exists = condition.exists.value_or(true);
  if (exists && !condition.value) {
    return model::refuse(Fault::kLegacyValueNeeded, {condition.exists ? "true" : "null", condition.attribute});
  }
  if (!exists && condition.value) return refuse_with(Fault::kLegacyValueWithNotExists, condition);
  if (!exists) return lower(LegacyOp::kNull, condition.attribute, {});
  return lower(LegacyOp::kEq, condition.attribute, {*condition.value});
}

Result<ConditionNode> lower_expectation(const LegacyCondition& condition) {
  if (condition.values && condition.value) return refuse_with(Fault::kLegacyValueAndList, condition);
  if (condition.op) return lower_compared(condition);
  if (condition.values) return refuse_with(Fault::kLegacyListWithoutOp, condition);
  return lower_existence(condition);
}

Result<UpdateAction> lower_update(const LegacyUpdate& update) {
  UpdateAction action;
  action.legacy = true;
  action.path.attribute = update.attribute;
  if (!update.value) {
    if (update.action != LegacyAction::kDelete) return model::refuse(Fault::kLegacyOnlyDelete);
    action.kind = UpdateAction::Kind::kRemove;
    return action;
  }
  const AttributeValue& value = *update.value;
  const std::string type(model::type_name(value.type()));
  if (update.action == LegacyAction::kDelete && !value.is_set()) {
    return model::refuse(Fault::kLegacyDeleteType, {type});
  }
  const bool addable = value.is_set() || value.is(Type::kN) || value.is(Type::kL);
  if (update.action == LegacyAction::kAdd && !addable) return model::refuse(Fault::kLegacyAddType, {type});
  switch (update.action) {
    case LegacyAction::kPut:
      action.kind = UpdateAction::Kind::kSet;
      break;
    case LegacyAction::kAdd:
      action.kind = UpdateAction::Kind::kAdd;
      break;
    case LegacyAction::kDelete:
      action.kind = UpdateAction::Kind::kDelete;
      break;
  }
  action.value.constant = std::make_shared<const AttributeValue>(value);
  return action;
}

}  // namespace

std::optional<LegacyOp> parse_legacy_op(std::string_view word) {
  const auto found = std::ranges::find(kOpNames, word);
  if (found == kOpNames.end()) return std::nullopt;
  return static_cast<LegacyOp>(found - kOpNames.begin());
}

std::string_view legacy_op_name(LegacyOp op) { return kOpNames[static_cast<size_t>(op)]; }

Result<Condition> lower_expected(const std::vector<LegacyCondition>& expected, LegacyJoin join) {
  ConditionNode root = junction(join);
  for (const LegacyCondition* entry : last_of_each(expected)) {
    const LegacyCondition& condition = *entry;
    PARTITA_TRY_VOID(check_name(condition.attribute));
    PARTITA_TRY(ConditionNode node, lower_expectation(condition));
    root.children.push_back(std::move(node));
  }
  return make_condition(std::move(root));
}

Result<Condition> lower_filter(const std::vector<LegacyCondition>& filter, LegacyJoin join) {
  ConditionNode root = junction(join);
  for (const LegacyCondition* entry : last_of_each(filter)) {
    const LegacyCondition& condition = *entry;
    PARTITA_TRY_VOID(check_name(condition.attribute));
    const LegacyOp op = condition.op.value_or(LegacyOp::kEq);
    const Values values = condition.values.value_or(Values());
    PARTITA_TRY_VOID(check_values(op, values));
    root.children.push_back(lower(op, condition.attribute, values));
  }
  return make_condition(std::move(root));
}

Result<Condition> lower_key_conditions(const std::vector<LegacyCondition>& conditions) {
  ConditionNode root = junction(LegacyJoin::kAnd);
  for (const LegacyCondition* entry : last_of_each(conditions)) {
    const LegacyCondition& condition = *entry;
    PARTITA_TRY_VOID(check_name(condition.attribute));
    const LegacyOp op = condition.op.value_or(LegacyOp::kEq);
    const Values values = condition.values.value_or(Values());
    PARTITA_TRY_VOID(check_values(op, values));
    // Those that are not for keys are refused by resolve(), whatever they would mean.
    root.children.push_back(make_node(condition_op(op), condition.attribute, values));
  }
  if (root.children.empty()) return model::refuse(Fault::kKeyConditionCount);
  return Condition(std::move(root), true);
}

Result<Update> lower_attribute_updates(const std::vector<LegacyUpdate>& updates) {
  std::vector<UpdateAction> actions;
  for (const LegacyUpdate* update : last_of_each(updates)) {
    PARTITA_TRY_VOID(check_name(update->attribute));
    PARTITA_TRY(UpdateAction action, lower_update(*update));
    actions.push_back(std::move(action));
  }
  return Update(std::move(actions));
}

Result<Projection> lower_attributes_to_get(const std::vector<std::string>& attributes) {
  std::vector<Path> paths;
  std::set<std::string_view> seen;
  for (const std::string& attribute : attributes) {
    PARTITA_TRY_VOID(check_name(attribute));
    if (!seen.insert(attribute).second) return model::refuse(Fault::kAttributesToGetDuplicate, {attribute});
    paths.push_back(Path{attribute, {}});
  }
  return Projection(std::move(paths));
}

}  // namespace partita::expr
