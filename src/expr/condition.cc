#include "expr/condition.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "base/bytes.h"

namespace partita::expr {
namespace {

using model::AttributeValue;
using model::Item;
using model::Number;
using model::Type;

std::optional<int64_t> size_of(const AttributeValue& value) {
  switch (value.type()) {
    case Type::kS:
      return static_cast<int64_t>(utf16_length(value.as_bytes()));
    case Type::kB:
      return static_cast<int64_t>(value.as_bytes().size());
    case Type::kM:
      return static_cast<int64_t>(value.as_map().size());
    case Type::kL:
      return static_cast<int64_t>(value.as_list().size());
    case Type::kSS:
      return static_cast<int64_t>(value.as_string_set().size());
    case Type::kNS:
      return static_cast<int64_t>(value.as_number_set().size());
    case Type::kBS:
      return static_cast<int64_t>(value.as_binary_set().size());
    case Type::kN:
    case Type::kBool:
    case Type::kNull:
      return std::nullopt;
  }
  return std::nullopt;
}

// An operand's value for one item; keeps what it had to make.
class Resolved {
 public:
  Resolved(const Operand& operand, const Item& item) {
    value_ = operand.value != nullptr ? operand.value.get() : find(item, operand.path);
    if (!operand.size || value_ == nullptr) return;
    const std::optional<int64_t> size = size_of(*value_);
    if (size) made_ = AttributeValue::number(Number::of(*size));
    value_ = size ? &made_ : nullptr;
  }
  Resolved(const Resolved&) = delete;
  Resolved& operator=(const Resolved&) = delete;

  // Null when the item has no such value, or a value that has no size.
  const AttributeValue* get() const { return value_; }

 private:
  AttributeValue made_;
  const AttributeValue* value_;
};

// Nothing when they have no common order.
std::optional<std::strong_ordering> order(const AttributeValue* a, const AttributeValue* b) {
  if (a == nullptr || b == nullptr || a->type() != b->type() || !is_ordered(a->type())) return std::nullopt;
  return compare_scalars(*a, *b);
}

bool equal(const AttributeValue* a, const AttributeValue* b) { return a != nullptr && b != nullptr && *a == *b; }

bool compare(ConditionOp op, const AttributeValue* a, const AttributeValue* b) {
  if (op == ConditionOp::kEqual) return equal(a, b);
  if (op == ConditionOp::kNotEqual) return !equal(a, b);
  const auto found = order(a, b);
  if (!found) return false;
  switch (op) {
    case ConditionOp::kLess:
      return *found < 0;
    case ConditionOp::kLessEqual:
      return *found <= 0;
    case ConditionOp::kGreater:
      return *found > 0;
    default:
      return *found >= 0;
  }
}

bool begins_with(const AttributeValue* whole, const AttributeValue* start) {
  if (whole == nullptr || start == nullptr || whole->type() != start->type()) return false;
  if (!whole->is(Type::kS) && !whole->is(Type::kB)) return false;
  return whole->as_bytes().starts_with(start->as_bytes());
}

// std::string's own search takes the product of the two lengths where the text nearly matches everywhere; this one is
// linear.
bool has_part(const std::string& whole, const std::string& part) {
  return memmem(whole.data(), whole.size(), part.data(), part.size()) != nullptr;
}

constexpr size_t kBytesOfWork = 128;  // that has_part() looks through in the time of one operator
constexpr size_t kMembersOfWork = 8;  // that are compared in it

bool contains(const AttributeValue* whole, const AttributeValue* part, uint64_t& work) {
  if (whole == nullptr || part == nullptr) return false;
  switch (whole->type()) {
    case Type::kS:
    case Type::kB:
      work += whole->as_bytes().size() / kBytesOfWork;
      return part->is(whole->type()) && has_part(whole->as_bytes(), part->as_bytes());
    case Type::kSS:
      return part->is(Type::kS) && std::ranges::binary_search(whole->as_string_set(), part->as_string());
    case Type::kBS:
      return part->is(Type::kB) && std::ranges::binary_search(whole->as_binary_set(), part->as_binary());
    case Type::kNS:
      return part->is(Type::kN) && std::ranges::binary_search(whole->as_number_set(), part->as_number());
    case Type::kL:
      work += whole->as_list().size() / kMembersOfWork;
      return std::ranges::find(whole->as_list(), *part) != whole->as_list().end();
    default:
      return false;
  }
}

bool evaluate_in(const std::vector<Operand>& operands, const Item& item) {
  const Resolved what(operands.front(), item);
  if (what.get() == nullptr) return false;
  return std::any_of(operands.begin() + 1, operands.end(),
                     [&](const Operand& candidate) { return equal(what.get(), Resolved(candidate, item).get()); });
}

// The candidates are constants of one type that has an order, and stand in it.
bool evaluate_in_sorted(const std::vector<Operand>& operands, const Item& item) {
  const Resolved what(operands.front(), item);
  if (what.get() == nullptr || operands.size() < 2 || !what.get()->is(operands[1].value->type())) return false;
  const auto below = [](const Operand& candidate, const AttributeValue& value) {
    return compare_scalars(*candidate.value, value) < 0;
  };
  const auto found = std::lower_bound(operands.begin() + 1, operands.end(), *what.get(), below);
  return found != operands.end() && *found->value == *what.get();
}

bool evaluate_between(const std::vector<Operand>& operands, const Item& item) {
  const Resolved what(operands[0], item);
  const Resolved low(operands[1], item);
  const Resolved high(operands[2], item);
  return compare(ConditionOp::kGreaterEqual, what.get(), low.get()) &&
         compare(ConditionOp::kLessEqual, what.get(), high.get());
}

bool evaluate_two(ConditionOp op, const std::vector<Operand>& operands, const Item& item, uint64_t& work) {
  const Resolved a(operands[0], item);
  const Resolved b(operands[1], item);
  switch (op) {
    case ConditionOp::kAttributeType:
      return a.get() != nullptr && b.get() != nullptr && b.get()->is(Type::kS) &&
             model::type_name(a.get()->type()) == b.get()->as_string();
    case ConditionOp::kBeginsWith:
      return begins_with(a.get(), b.get());
    case ConditionOp::kContains:
      return contains(a.get(), b.get(), work);
    default:
      return compare(op, a.get(), b.get());
  }
}

bool evaluate_truth(const ConditionNode& node, const Item& item, uint64_t& work);

// Depth is bounded by the number of operators that an expression may have.
bool evaluate_node(const ConditionNode& node, const Item& item, uint64_t& work) {
  const auto holds = [&](const ConditionNode& child) { return evaluate_node(child, item, work); };
  ++work;
  switch (node.op) {
    case ConditionOp::kAnd:
      return std::ranges::all_of(node.children, holds);
    case ConditionOp::kOr:
      return std::ranges::any_of(node.children, holds);
    case ConditionOp::kNot:
      return !holds(node.children.front());
    case ConditionOp::kBetween:
      return evaluate_between(node.operands, item);
    case ConditionOp::kIn:
      work += node.operands.size() / kMembersOfWork;
      return evaluate_in(node.operands, item);
    case ConditionOp::kInSorted:
      return evaluate_in_sorted(node.operands, item);
    case ConditionOp::kAttributeExists:
      return Resolved(node.operands.front(), item).get() != nullptr;
    case ConditionOp::kAttributeNotExists:
      return Resolved(node.operands.front(), item).get() == nullptr;
    case ConditionOp::kTruthIsIn:
      return evaluate_truth(node, item, work);
    default:
      return evaluate_two(node.op, node.operands, item, work);
  }
}

bool evaluate_truth(const ConditionNode& node, const Item& item, uint64_t& work) {
  const auto& children = node.children;
  const bool truth = evaluate_node(children.front(), item, work);
  const AttributeValue wanted = AttributeValue::boolean(truth);
  work += node.operands.size() / kMembersOfWork;
  const auto is_it = [&](const Operand& operand) { return equal(&wanted, Resolved(operand, item).get()); };
  return std::ranges::any_of(node.operands, is_it) ||
         std::any_of(children.begin() + 1, children.end(),
                     [&](const ConditionNode& child) { return evaluate_node(child, item, work) == truth; });
}

template <class Visit>
void visit_paths(const ConditionNode& node, const Visit& visit) {
  for (const Operand& operand : node.operands) {
    if (operand.value == nullptr) visit(operand.path);
  }
  for (const ConditionNode& child : node.children) visit_paths(child, visit);
}

template <class Wanted>
std::vector<std::string> mentioned(const ConditionNode& root, const Wanted& wanted) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  visit_paths(root, [&](const Path& path) {
    if (wanted(path) && seen.insert(path.attribute).second) names.push_back(path.attribute);
  });
  return names;
}

}  // namespace

std::vector<std::string> Condition::attributes() const {
  return mentioned(root_, [](const Path&) { return true; });
}

std::vector<std::string> Condition::nested_attributes() const {
  return mentioned(root_, [](const Path& path) { return !path.is_attribute(); });
}

bool evaluate(const Condition& condition, const Item& item) {
  uint64_t work = 0;
  return evaluate(condition, item, work);
}

bool evaluate(const Condition& condition, const Item& item, uint64_t& work) {
  return evaluate_node(condition.root(), item, work);
}

}  // namespace partita::expr
