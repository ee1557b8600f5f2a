// The keys that a Query reads: KeyConditionExpression or KeyConditions, with the key schema of a table or an index.
//
//   PARTITA_TRY(Condition condition, parse_key_condition("pk = :p AND begins_with(sk, :s)", given));
//   PARTITA_TRY_VOID(check_key_condition(condition));
//   PARTITA_TRY(KeyRange range, resolve(condition, schema));
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/placeholders.h"
#include "model/key.h"
#include "model/value.h"

namespace partita::expr {

enum class SortOp : uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual, kBetween, kBeginsWith };

struct SortCondition {
  SortOp op = SortOp::kLess;
  model::AttributeValue value;  // the lower bound of kBetween
  model::AttributeValue upper;  // of kBetween only; inclusive, never below `value`
};

// All values have the types that the schema declares, and are not empty.
struct KeyRange {
  std::vector<model::AttributeValue> partition;    // one for each partition attribute, in the schema's order
  std::vector<model::AttributeValue> sort_equals;  // for the first sort attributes, in the schema's order
  std::optional<SortCondition> sort_range;         // for the sort attribute after those, if any
};

// Errors: as parse_condition.
Result<Condition> parse_key_condition(std::string_view text, Placeholders& given);

// Refuses what a key condition may not contain: OR, NOT, IN, <>, other functions, two conditions for a key, nested
// paths, constants only. DynamoDB checks this after all expressions of the request are parsed and all placeholders are
// used, and before it looks up the table. Not for lower_key_conditions, which has its own checks. Errors:
// kKeyCondition*.
Result<void> check_key_condition(const Condition& condition);

// Precondition: check_key_condition passed, or `condition` came from lower_key_conditions. `start`: the start key of
// the Query; null: it begins at an end. DynamoDB checks each key attribute of `start` just before the condition on that
// attribute. Errors, in DynamoDB's order: kKeyConditionTooMany or kKeyConditionCount, kStartKeyInvalid and
// kKeySchemaMismatch of `start`, kQueryNotSupported, kQueryHashEquality, kQueryMissedKey, kQuerySortKeyGap,
// kQueryNotIndexable, kQueryTypeMismatch, kKeyEmpty, kPartitionKeyTooLong, kSortKeyTooLong.
Result<KeyRange> resolve(const Condition& condition, const model::KeySchema& schema,
                         const model::Item* start = nullptr);

// Whether `start` has a value of the right type for the key attribute. Faults: kStartKeyInvalid, kKeySchemaMismatch.
Result<void> check_start_key(const model::Item& start, const model::KeyElement& key);

}  // namespace partita::expr
