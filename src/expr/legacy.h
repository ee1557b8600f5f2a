// The parameters from before expressions, translated to the same conditions, key ranges, updates and projections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/key_condition.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "model/value.h"

namespace partita::expr {

// ComparisonOperator.
enum class LegacyOp : uint8_t {
  kEq,
  kNe,
  kIn,
  kLe,
  kLt,
  kGe,
  kGt,
  kBetween,
  kNotNull,
  kNull,
  kContains,
  kNotContains,
  kBeginsWith,
};

// "EQ" and so on; nullopt for any other word.
std::optional<LegacyOp> parse_legacy_op(std::string_view word);
std::string_view legacy_op_name(LegacyOp op);

// One entry of Expected, QueryFilter, ScanFilter or KeyConditions. Nullopt: the member was not sent.
struct LegacyCondition {
  std::string attribute;
  std::optional<LegacyOp> op;                                // ComparisonOperator
  std::optional<std::vector<model::AttributeValue>> values;  // AttributeValueList
  std::optional<model::AttributeValue> value;                // Value; only of Expected
  std::optional<bool> exists;                                // Exists; only of Expected
};

// ConditionalOperator.
enum class LegacyJoin : uint8_t { kAnd, kOr };

// Entries may come in any order; the last entry of an attribute counts. Errors of all of these: kEmptyAttributeName,
// kAttributeNameTooLong, and kLegacy* in DynamoDB's order, by entry in the order of the request.
Result<Condition> lower_expected(const std::vector<LegacyCondition>& expected, LegacyJoin join);
// QueryFilter and ScanFilter.
Result<Condition> lower_filter(const std::vector<LegacyCondition>& filter, LegacyJoin join);
// The result is an argument of resolve(). Errors: also kKeyConditionCount.
Result<Condition> lower_key_conditions(const std::vector<LegacyCondition>& conditions);

enum class LegacyAction : uint8_t { kPut, kAdd, kDelete };

// One entry of AttributeUpdates.
struct LegacyUpdate {
  std::string attribute;
  LegacyAction action = LegacyAction::kPut;  // the default of Action
  std::optional<model::AttributeValue> value;
};

Result<Update> lower_attribute_updates(const std::vector<LegacyUpdate>& updates);

// Errors: also kAttributesToGetDuplicate.
Result<Projection> lower_attributes_to_get(const std::vector<std::string>& attributes);

}  // namespace partita::expr
