#include "expr/key_condition.h"

#include <algorithm>

#include "model/fault.h"
#include "model/limits.h"

namespace partita::expr {
namespace {

using model::AttributeValue;
using model::Fault;
using model::KeyElement;
using model::KeySchema;
using model::Type;

// One condition with its attribute on the left.
struct KeyTerm {
  const std::string* attribute = nullptr;
  ConditionOp op = ConditionOp::kEqual;
  const AttributeValue* value = nullptr;
  const AttributeValue* upper = nullptr;  // of BETWEEN
};

// What `c OP :v` is when it was written `:v OP c`.
ConditionOp mirrored(ConditionOp op) {
  switch (op) {
    case ConditionOp::kLess:
      return ConditionOp::kGreater;
    case ConditionOp::kLessEqual:
      return ConditionOp::kGreaterEqual;
    case ConditionOp::kGreater:
      return ConditionOp::kLess;
    case ConditionOp::kGreaterEqual:
      return ConditionOp::kLessEqual;
    default:
      return op;
  }
}

// The name by which DynamoDB refuses it in a key condition; empty when it may stand there.
std::string_view refused_operator(ConditionOp op) {
  switch (op) {
    case ConditionOp::kOr:
      return "OR";
    case ConditionOp::kNot:
      return "NOT";
    case ConditionOp::kIn:
    case ConditionOp::kInSorted:
      return "IN";
    case ConditionOp::kNotEqual:
      return "<>";
    case ConditionOp::kAttributeExists:
      return "attribute_exists";
    case ConditionOp::kAttributeNotExists:
      return "attribute_not_exists";
    case ConditionOp::kAttributeType:
      return "attribute_type";
    case ConditionOp::kContains:
      return "contains";
    default:
      return "";
  }
}

bool is_bare_path(const Operand& operand) { return operand.value == nullptr && !operand.size; }

Result<void> check_first_operand(const ConditionNode& node) {
  if (node.op != ConditionOp::kBetween && node.op != ConditionOp::kBeginsWith) return {};
  if (is_bare_path(node.operands.front())) return {};
  const char* name = node.op == ConditionOp::kBetween ? "BETWEEN" : "begins_with";
  return model::refuse(Fault::kKeyConditionFirstOperand, {name});
}

Result<void> check_term(const ConditionNode& node, std::vector<std::string_view>& seen) {
  if (const std::string_view name = refused_operator(node.op); !name.empty()) {
    return model::refuse(Fault::kKeyConditionOperator, {std::string(name)});
  }
  PARTITA_TRY_VOID(check_first_operand(node));
  const Path* path = nullptr;
  for (const Operand& operand : node.operands) {
    if (operand.size) return model::refuse(Fault::kKeyConditionNestedOperation);
    if (operand.value != nullptr) continue;
    if (path != nullptr) return model::refuse(Fault::kKeyConditionManyAttributes);
    if (!operand.path.is_attribute()) return model::refuse(Fault::kKeyConditionNestedAttribute);
    path = &operand.path;
  }
  if (path == nullptr) return model::refuse(Fault::kKeyConditionNoAttribute);
  if (std::ranges::find(seen, path->attribute) != seen.end()) return model::refuse(Fault::kKeyConditionTwice);
  seen.push_back(path->attribute);
  return {};
}

Result<void> check_node(const ConditionNode& node, std::vector<std::string_view>& seen) {
  if (node.op != ConditionOp::kAnd) return check_term(node, seen);
  for (const ConditionNode& child : node.children) PARTITA_TRY_VOID(check_node(child, seen));
  return {};
}

KeyTerm term_of(const ConditionNode& node) {
  KeyTerm term;
  term.op = node.op;
  for (const Operand& operand : node.operands) {
    if (is_bare_path(operand)) {
      term.attribute = &operand.path.attribute;
      if (&operand != &node.operands.front()) term.op = mirrored(node.op);
    } else if (term.value == nullptr) {
      term.value = operand.value.get();
    } else {
      term.upper = operand.value.get();
    }
  }
  return term;
}

void collect(const ConditionNode& node, std::vector<KeyTerm>& terms) {
  if (node.op != ConditionOp::kAnd) {
    terms.push_back(term_of(node));
    PARTITA_CHECK(terms.back().attribute != nullptr);  // check_key_condition saw to it
    return;
  }
  for (const ConditionNode& child : node.children) collect(child, terms);
}

std::optional<SortOp> sort_op(ConditionOp op) {
  switch (op) {
    case ConditionOp::kLess:
      return SortOp::kLess;
    case ConditionOp::kLessEqual:
      return SortOp::kLessEqual;
    case ConditionOp::kGreater:
      return SortOp::kGreater;
    case ConditionOp::kGreaterEqual:
      return SortOp::kGreaterEqual;
    case ConditionOp::kBetween:
      return SortOp::kBetween;
    case ConditionOp::kBeginsWith:
      return SortOp::kBeginsWith;
    default:
      return std::nullopt;
  }
}

Result<void> check_value(const AttributeValue* value, const KeyElement& key) {
  if (value == nullptr) return {};
  if (value->type() != key.type) return model::refuse(Fault::kQueryTypeMismatch);
  if (key.type == Type::kN || !value->as_bytes().empty()) return {};
  return model::refuse(Fault::kKeyEmpty, {key.name, key.type == Type::kS ? "string" : "binary"});
}

size_t key_bytes(const AttributeValue& value) {
  return value.is(Type::kN) ? value.as_number().size_bytes() : value.as_bytes().size();
}

class Resolver {
 public:
  Resolver(const Condition& condition, const KeySchema& schema, const model::Item* start)
      : schema_(schema), start_(start), legacy_(condition.legacy_keys()) {
    collect(condition.root(), terms_);
  }

  Result<KeyRange> resolve() {
    const size_t keys = schema_.partition.size() + schema_.sort.size();
    if (terms_.size() > keys && terms_.size() > 2) {
      if (legacy_) return model::refuse(Fault::kKeyConditionCount);
      return model::refuse(Fault::kKeyConditionTooMany, {std::to_string(terms_.size()), std::to_string(keys)});
    }
    for (const KeyElement& key : schema_.partition) PARTITA_TRY_VOID(check_start(key));
    if (terms_.size() > keys) return model::refuse(Fault::kQueryNotSupported);
    if (schema_.partition.size() > 1) PARTITA_TRY_VOID(check_hash_equality());
    for (const KeyElement& key : schema_.partition) PARTITA_TRY_VOID(take_partition(key));
    PARTITA_TRY_VOID(check_sort_order());
    for (const KeyElement& key : schema_.sort) PARTITA_TRY_VOID(take_sort(key));
    if (used_ < terms_.size()) return model::refuse(Fault::kQueryNotSupported);
    return std::move(range_);
  }

 private:
  const KeyTerm* find(const KeyElement& key) const {
    const auto found = std::ranges::find_if(terms_, [&](const KeyTerm& term) { return *term.attribute == key.name; });
    return found == terms_.end() ? nullptr : &*found;
  }

  Result<void> check_start(const KeyElement& key) const {
    return start_ == nullptr ? Result<void>() : check_start_key(*start_, key);
  }

  Result<void> check(const KeyTerm& term, const KeyElement& key) const {
    if (term.op != ConditionOp::kEqual && !sort_op(term.op)) return model::refuse(Fault::kQueryNotIndexable);
    PARTITA_TRY_VOID(check_value(term.value, key));
    return check_value(term.upper, key);
  }

  Result<void> check_hash_equality() const {
    std::string open;
    for (const KeyElement& key : schema_.partition) {
      const KeyTerm* term = find(key);
      if (term == nullptr || term->op != ConditionOp::kEqual) open += (open.empty() ? "" : ", ") + key.name;
    }
    if (!open.empty()) return model::refuse(Fault::kQueryHashEquality, {open});
    return {};
  }

  Result<void> take_partition(const KeyElement& key) {
    const KeyTerm* term = find(key);
    if (term == nullptr) return model::refuse(Fault::kQueryMissedKey, {key.name});
    PARTITA_TRY_VOID(check(*term, key));
    if (term->op != ConditionOp::kEqual) return model::refuse(Fault::kQueryNotSupported);
    partition_bytes_ += key_bytes(*term->value);
    if (partition_bytes_ > model::kMaxPartitionKeyBytes) return model::refuse(Fault::kPartitionKeyTooLong);
    range_.partition.push_back(*term->value);
    ++used_;
    return {};
  }

  // A sort attribute can have a condition only if those before it are held to one value each.
  Result<void> check_sort_order() const {
    std::string open;
    for (const KeyElement& key : schema_.sort) {
      const KeyTerm* term = find(key);
      if (term != nullptr && !open.empty()) return model::refuse(Fault::kQuerySortKeyGap, {open, key.name});
      if (term == nullptr || term->op != ConditionOp::kEqual) open += (open.empty() ? "" : ", ") + key.name;
    }
    return {};
  }

  Result<void> take_sort(const KeyElement& key) {
    PARTITA_TRY_VOID(check_start(key));
    const KeyTerm* term = find(key);
    if (term == nullptr) {
      // Conditions are left that are on no key at all.
      if (used_ < terms_.size()) return model::refuse(Fault::kQueryMissedKey, {key.name});
      return {};
    }
    PARTITA_TRY_VOID(check(*term, key));
    sort_bytes_ += std::max(key_bytes(*term->value), term->upper != nullptr ? key_bytes(*term->upper) : 0);
    if (sort_bytes_ > model::kMaxSortKeyBytes) return model::refuse(Fault::kSortKeyTooLong);
    if (term->op == ConditionOp::kEqual) {
      range_.sort_equals.push_back(*term->value);
    } else {
      range_.sort_range = SortCondition{*sort_op(term->op), *term->value, {}};
      if (term->upper != nullptr) range_.sort_range->upper = *term->upper;
    }
    ++used_;
    return {};
  }

  const KeySchema& schema_;
  const model::Item* const start_;
  const bool legacy_;
  std::vector<KeyTerm> terms_;
  size_t used_ = 0;
  size_t partition_bytes_ = 0;
  size_t sort_bytes_ = 0;
  KeyRange range_;
};

}  // namespace

Result<void> check_key_condition(const Condition& condition) {
  std::vector<std::string_view> seen;
  return check_node(condition.root(), seen);
}

Result<void> check_start_key(const model::Item& start, const KeyElement& key) {
  const AttributeValue* const value = start.find(key.name);
  if (value == nullptr) return model::refuse(Fault::kStartKeyInvalid);
  if (!value->is(key.type)) return model::refuse(Fault::kKeySchemaMismatch);
  return {};
}

Result<KeyRange> resolve(const Condition& condition, const KeySchema& schema, const model::Item* start) {
  return Resolver(condition, schema, start).resolve();
}

}  // namespace partita::expr
