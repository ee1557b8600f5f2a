// Which keys a Query reads: KeyConditionExpression or KeyConditions against the key schema of a table or an index.
//
//   PARTITA_TRY(Condition condition, parse_key_condition("pk = :p AND begins_with(sk, :s)", given));
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
  std::optional<SortCondition> sort_range;         // for the sort attribute after those, when there is one
};

// Errors: as parse_condition, and what a key condition may not hold (OR, NOT, IN, <>, other functions, several
// conditions for a key, constants only).
Result<Condition> parse_key_condition(std::string_view text, Placeholders& given);

// Precondition: `condition` came from parse_key_condition or lower_key_conditions. `is_index` chooses the wording of a
// few errors. Errors: kQueryMissedKey, kQueryKeyNotSupported, kQueryTooManyConditions, kQueryKeyTypeMismatch and the
// like.
Result<KeyRange> resolve(const Condition& condition, const model::KeySchema& schema, bool is_index);

}  // namespace partita::expr
