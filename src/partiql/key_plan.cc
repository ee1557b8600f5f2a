#include "partiql/key_plan.h"

#include <algorithm>
#include <iterator>

#include "expr/condition_checks.h"
#include "model/fault.h"

namespace partita::partiql {

namespace {

using expr::ConditionNode;
using expr::ConditionOp;
using model::AttributeValue;
using model::Fault;
using model::refuse;

constexpr size_t kMostReads = 50;  // measured

std::string key_bytes(const AttributeValue& value) {
  std::string bytes;
  if (expr::is_ordered(value.type())) model::append_key_value(value, bytes);
  return bytes;
}

// `a` begins no later than `b`.
bool begins_before(const std::optional<SortRange::Bound>& a, const std::optional<SortRange::Bound>& b) {
  if (!a || !b) return !a;
  return a->bytes < b->bytes || (a->bytes == b->bytes && (a->closed || !b->closed));
}

bool ends_before(const std::optional<SortRange::Bound>& a, const std::optional<SortRange::Bound>& b) {
  if (!a || !b) return a.has_value();
  return a->bytes < b->bytes || (a->bytes == b->bytes && !a->closed && b->closed);
}

SortRange range_of(const ConditionNode& node) {
  const AttributeValue& value = *node.operands[1].value;
  if (!expr::is_ordered(value.type())) return {};
  const SortRange::Bound at{key_bytes(value), true, &value};
  const SortRange::Bound beside{key_bytes(value), false, &value};
  switch (node.op) {
    case ConditionOp::kEqual:
      return {at, at};
    case ConditionOp::kLess:
      return {std::nullopt, beside};
    case ConditionOp::kLessEqual:
      return {std::nullopt, at};
    case ConditionOp::kGreater:
      return {beside, std::nullopt};
    case ConditionOp::kGreaterEqual:
      return {at, std::nullopt};
    case ConditionOp::kBetween:
      return {at, SortRange::Bound{key_bytes(*node.operands[2].value), true, node.operands[2].value.get()}};
    case ConditionOp::kBeginsWith: {
      std::string prefix;
      if (value.is(model::Type::kN)) return {};
      model::append_key_prefix(value, prefix);
      std::string end = prefix;
      while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
      if (!end.empty()) end.back() = static_cast<char>(end.back() + 1);
      SortRange range{SortRange::Bound{std::move(prefix), true, &value}, std::nullopt};
      if (!end.empty()) range.upper = SortRange::Bound{std::move(end), false, nullptr};
      return range;
    }
    default:
      return {};
  }
}

// The attribute that a comparison with constants is of, or null.
const std::string* subject(const ConditionNode& node) {
  if (node.operands.empty()) return nullptr;
  const expr::Operand& first = node.operands.front();
  if (first.value != nullptr || first.size || !first.path.is_attribute()) return nullptr;
  const auto constant = [](const expr::Operand& operand) { return operand.value != nullptr && !operand.size; };
  if (!std::all_of(node.operands.begin() + 1, node.operands.end(), constant)) return nullptr;
  return &first.path.attribute;
}

}  // namespace

void SortRange::narrow(const SortRange& other) {
  if (begins_before(lower, other.lower)) lower = other.lower;
  if (ends_before(other.upper, upper)) upper = other.upper;
}

bool SortRange::is_empty() const {
  if (!lower || !upper) return false;
  return lower->bytes > upper->bytes || (lower->bytes == upper->bytes && !(lower->closed && upper->closed));
}

bool SortRange::overlaps(const SortRange& other) const {
  SortRange both = *this;
  both.narrow(other);
  return !both.is_empty();
}

KeyPlan::KeyPlan(const ConditionNode& where, const model::KeySchema& schema)
    : partition_(schema.partition.front()), sort_(schema.sort.empty() ? nullptr : &schema.sort.front()) {
  const std::vector<Disjunct> all = spread(where);
  pinned_ = pins_partition(where);
  if (too_many_) return;
  for (const Disjunct& one : all) branches_.push_back(branch_of(one));
  keyed_ = std::ranges::all_of(branches_, [](const Branch& branch) { return branch.partition != nullptr; });
  std::ranges::stable_sort(branches_, [](const Branch& a, const Branch& b) {
    if (a.partition_bytes != b.partition_bytes) return a.partition_bytes < b.partition_bytes;
    return !begins_before(b.range.lower, a.range.lower);
  });
}

bool KeyPlan::is_partition(const ConditionNode& node) const {
  const std::string* const attribute = subject(node);
  return attribute != nullptr && *attribute == partition_.name &&
         (node.op == ConditionOp::kEqual || node.op == ConditionOp::kIn);
}

bool KeyPlan::is_sort(const ConditionNode& node) const {
  const std::string* const attribute = subject(node);
  if (sort_ == nullptr || attribute == nullptr || *attribute != sort_->name) return false;
  switch (node.op) {
    case ConditionOp::kEqual:
    case ConditionOp::kLess:
    case ConditionOp::kLessEqual:
    case ConditionOp::kGreater:
    case ConditionOp::kGreaterEqual:
    case ConditionOp::kBetween:
    case ConditionOp::kIn:
    case ConditionOp::kBeginsWith:
      return true;
    default:
      return false;
  }
}

bool KeyPlan::names_key(const ConditionNode& node) const {
  if (is_key(node)) return true;
  if (node.op != ConditionOp::kAnd && node.op != ConditionOp::kOr) return false;
  return std::ranges::any_of(node.children, [this](const ConditionNode& child) { return names_key(child); });
}

bool KeyPlan::pins_partition(const ConditionNode& node) const {
  const auto pins = [this](const ConditionNode& child) { return pins_partition(child); };
  if (node.op == ConditionOp::kAnd) return std::ranges::any_of(node.children, pins);
  if (node.op == ConditionOp::kOr) return std::ranges::all_of(node.children, pins);
  return is_partition(node);
}

std::vector<KeyPlan::Disjunct> KeyPlan::spread(const ConditionNode& node) {
  if (is_key(node)) {
    spoken_.push_back(&node);
    if (node.op == ConditionOp::kIn) return spread_in(node);
    return {Disjunct{{&node}, {}}};
  }
  if (node.op == ConditionOp::kAnd) return spread_and(node);
  if (node.op != ConditionOp::kOr || !names_key(node)) return {Disjunct{{}, {&node}}};
  std::vector<Disjunct> all;
  for (const ConditionNode& child : node.children) {
    if (too_many_) break;
    std::ranges::move(spread(child), std::back_inserter(all));
    too_many_ = too_many_ || all.size() > kMostReads;
  }
  return all;
}

std::vector<KeyPlan::Disjunct> KeyPlan::spread_in(const ConditionNode& node) {
  std::vector<Disjunct> all;
  for (size_t i = 1; i < node.operands.size(); ++i) {
    ConditionNode& equality = made_.emplace_back();
    equality.op = ConditionOp::kEqual;
    equality.operands = {node.operands.front(), node.operands[i]};
    all.push_back({{&equality}, {}});
  }
  too_many_ = too_many_ || all.size() > kMostReads;
  return all;
}

std::vector<KeyPlan::Disjunct> KeyPlan::spread_and(const ConditionNode& node) {
  std::vector<Disjunct> all(1);
  for (const ConditionNode& child : node.children) {
    if (too_many_) break;
    const std::vector<Disjunct> more = spread(child);
    too_many_ = too_many_ || all.size() * more.size() > kMostReads;
    if (too_many_) break;
    std::vector<Disjunct> product;
    for (const Disjunct& one : all) {
      for (const Disjunct& other : more) {
        Disjunct& both = product.emplace_back(one);
        both.keys.insert(both.keys.end(), other.keys.begin(), other.keys.end());
        both.filters.insert(both.filters.end(), other.filters.begin(), other.filters.end());
      }
    }
    all = std::move(product);
  }
  return all;
}

Branch KeyPlan::branch_of(const Disjunct& spread) const {
  Branch branch;
  bool twice = false;
  for (const ConditionNode* const key : spread.keys) {
    if (!is_partition(*key)) {
      branch.sort.push_back(key);
      branch.range.narrow(range_of(*key));
      continue;
    }
    const AttributeValue* const value = key->operands[1].value.get();
    twice = twice || (branch.partition != nullptr && *branch.partition != *value);
    branch.partition = value;
  }
  if (twice) branch.partition = nullptr;
  if (branch.partition != nullptr) branch.partition_bytes = key_bytes(*branch.partition);
  branch.filters = spread.filters;
  return branch;
}

bool KeyPlan::mentions_sort(const ConditionNode& node) const {
  const std::string* const attribute = subject(node);
  if (attribute != nullptr && sort_ != nullptr && *attribute == sort_->name) return true;
  return std::ranges::any_of(node.children, [this](const ConditionNode& child) { return mentions_sort(child); });
}

bool KeyPlan::is_negated(const Branch& branch) const {
  return std::ranges::any_of(branch.filters, [this](const ConditionNode* filter) {
    return (filter->op == ConditionOp::kNot || filter->op == ConditionOp::kNotEqual) && mentions_sort(*filter);
  });
}

Result<void> KeyPlan::check() const {
  for (const ConditionNode* const node : spoken_) {
    const model::KeyElement& key = is_partition(*node) ? partition_ : *sort_;
    for (size_t i = 1; i < node->operands.size(); ++i) {
      const model::Type type = node->operands[i].value->type();
      if (!expr::is_ordered(type)) {
        return refuse(Fault::kPartiqlKeyValueType, {key.name, std::string(model::type_name(type))});
      }
      if (type != key.type) return refuse(Fault::kPartiqlKeyType, {key.name});
    }
  }
  if (pinned_ && too_many_) return refuse(Fault::kPartiqlTooManyReads);
  if (!keyed_) return {};
  const Branch* last = nullptr;  // of the same partition, the one that reaches furthest
  for (const Branch& branch : branches_) {
    if (branch.range.is_empty() || is_negated(branch)) continue;
    const bool same = last != nullptr && last->partition_bytes == branch.partition_bytes;
    if (same && last->range.overlaps(branch.range)) return refuse(Fault::kPartiqlOverlap);
    if (!same || ends_before(last->range.upper, branch.range.upper)) last = &branch;
  }
  return {};
}

}  // namespace partita::partiql
