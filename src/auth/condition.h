// One line of a statement's Condition: an operator, a key, and the values to compare with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "auth/condition_key.h"
#include "auth/decimal.h"
#include "auth/pattern.h"
#include "base/result.h"

namespace partita::auth {

// "IAM JSON policy elements: Condition operators" in IAM's user guide. Immutable.
class PolicyCondition {
 public:
  // `op`: for example "ForAllValues:StringEqualsIfExists". `variables`: whether the policy's Version has variables.
  // Error: kInvalid (reason 0), with one sentence and the word that is wrong.
  static Result<PolicyCondition> read(std::string_view op, std::string_view key, const std::vector<std::string>& values,
                                      bool variables);

  ConditionKey key() const { return key_.key; }

  // `allows`: whether the statement's effect is Allow. A variable without a value equals nothing; a negated comparison
  // with it is true for Deny and false for Allow.
  bool holds(ConditionContext& condition_context, bool allows) const;
  // The same for a request that does not have the key.
  bool holds_when_absent() const;

 private:
  enum class Kind : uint8_t { kText, kNumber, kDate, kBool, kBinary, kAddress, kArn, kNull };
  enum class Order : uint8_t { kEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
  enum class Over : uint8_t { kOne, kAllValues, kAnyValue };
  struct Operator {
    std::string_view name;  // in lower case
    Kind kind;
    Order order = Order::kEqual;
    bool negated = false;
    bool wildcards = false;
    bool any_case = false;
  };
  // An address of either family, as an IPv6 address, and the number of its significant bits.
  struct Network {
    std::array<uint8_t, 16> bytes = {};
    unsigned bits = 0;
  };

  static const Operator* find_operator(std::string_view name);
  static bool read_network(std::string_view text, Network& network);
  Result<void> add(std::string_view value, const Operator& op, bool variables);
  bool is_one_of(std::string_view value, ConditionContext& condition_context) const;
  bool has_all_variables(ConditionContext& condition_context) const;
  size_t compared() const;
  bool is_arn(std::string_view value, ConditionContext& condition_context) const;
  bool is_in_network(std::string_view value) const;
  template <class Number>
  bool compares(const Number& value, const std::vector<Number>& with) const;

  Kind kind_ = Kind::kText;
  Order order_ = Order::kEqual;
  Over over_ = Over::kOne;
  bool negated_ = false;
  bool if_exists_ = false;
  KeyName key_;
  // The values to compare with. The kind decides which member is used.
  std::vector<std::string> plain_;  // sorted: texts that match only themselves
  std::vector<Pattern> patterns_;
  std::vector<std::vector<Pattern>> arns_;  // six parts each
  std::vector<Decimal> numbers_;
  std::vector<int64_t> dates_;  // milliseconds since 1970
  std::vector<std::string> bytes_;
  std::vector<Network> networks_;
  std::vector<bool> flags_;
};

}  // namespace partita::auth
