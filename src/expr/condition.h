// Conditions: the common form of ConditionExpression, FilterExpression, KeyConditionExpression and their legacy forms.
//
//   PARTITA_TRY(Condition condition, parse_condition("size(tags) > :n AND #s IN (:a, :b)", ExpressionKind::kFilter,
//   given)); if (evaluate(condition, item)) ...
//
// Conditions are values: they share the request's constants and own everything else. Const use is safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/path.h"
#include "expr/placeholders.h"
#include "model/key.h"
#include "model/value.h"

namespace partita::expr {

// True for the types that have an order: S, N and B.
constexpr bool is_ordered(model::Type type) {
  return type == model::Type::kS || type == model::Type::kN || type == model::Type::kB;
}

// The argument of a comparison or a function: a path into the item or a constant, or the size of either.
struct Operand {
  Path path;       // used if `value` is null
  ValuePtr value;  // a constant, or null
  bool size = false;
};

enum class ConditionOp : uint8_t {
  kAnd,  // of all children; true when there is none
  kOr,   // of all children; false when there is none
  kNot,  // one child
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBetween,   // operands: what, low, high
  kIn,        // operands: what, then the candidates
  kInSorted,  // as kIn, with at least one candidate, all of them constants of one type S, N or B, in its order
  kAttributeExists,
  kAttributeNotExists,
  kAttributeType,  // operands: path, a string that names the type
  kBeginsWith,
  kContains,
  kTruthIsIn,  // whether the first child's result, as a BOOL, is among the operands and the other children's results
};

struct ConditionNode {
  ConditionOp op = ConditionOp::kAnd;
  std::vector<Operand> operands;        // of comparisons and functions
  std::vector<ConditionNode> children;  // of AND, OR, NOT and kTruthIsIn
};

class Condition {
 public:
  Condition() = default;  // always true
  // For translators of other syntaxes. Precondition: operand and child counts are as above, depth at most a few
  // hundred.
  explicit Condition(ConditionNode root, bool legacy_keys = false)
      : root_(std::move(root)), legacy_keys_(legacy_keys) {}

  const ConditionNode& root() const { return root_; }
  // Whether it comes from lower_key_conditions, which has its own message for too many conditions.
  bool legacy_keys() const { return legacy_keys_; }

  // The distinct top-level attributes that it mentions, in the order of first mention.
  std::vector<std::string> attributes() const;
  // Those of them that it accesses with `.` or `[]`.
  std::vector<std::string> nested_attributes() const;

 private:
  ConditionNode root_;
  bool legacy_keys_ = false;
};

// Precondition: kind is kCondition, kFilter or kSearch. Errors: everything that DynamoDB refuses before it looks at
// an item; see "Expressions" in model/faults.inc.
Result<Condition> parse_condition(std::string_view text, ExpressionKind kind, Placeholders& given);

// Whether the item meets the condition. A missing item counts as empty. If a value in the item does not suit an
// operator, the operator is false; this is not an error.
bool evaluate(const Condition& condition, const model::Item& item);
// The same; adds the approximate cost to `work`, in evaluated operators and functions (some 50 ns each).
bool evaluate(const Condition& condition, const model::Item& item, uint64_t& work);

}  // namespace partita::expr
