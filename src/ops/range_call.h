// What Query and Scan share.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "ops/operation.h"
#include "ops/request.h"
#include "table/query.h"

namespace partita::ops {

// Which of the two it is, where their words differ.
enum class RangeKind : uint8_t { kQuery, kScan };

// The parameters that the two share, each function for itself, since DynamoDB finds their faults in orders of their
// own. QueryFilter or ScanFilter, which `member` names, with ConditionalOperator:
Result<void> decode_legacy_filter(wire::JsonValue body, std::string_view member, table::RangeRead& read);
// FilterExpression.
Result<void> decode_filter(wire::JsonValue body, expr::Placeholders& given, table::RangeRead& read);
// ExclusiveStartKey.
Result<void> decode_start(wire::JsonValue body, table::RangeRead& read);
// ProjectionExpression, Select, Limit and ConsistentRead, once attributes_to_get() was tried for the projection. What
// the index has to do with them is checked by choose_index. Faults: kSelect..., those of projections.
Result<void> decode_range(wire::JsonValue body, RangeKind kind, expr::Placeholders& given, table::RangeRead& read);

// Finds the table's index that IndexName names. Faults: kIndexNotFound, kIndexBackfilling, kConsistentGlobalIndex,
// kSelectAllOnIndex, kProjectionNotInIndex.
Result<void> choose_index(wire::JsonValue body, table::RangeRead& read);

// No document path of the filter or the projection leads into a key. Fault: kKeyNotScalar.
Result<void> check_paths(const table::RangeRead& read);

// Reads and encodes. Both outlive the task.
Task<Result<std::string>> run_range(const Context& context, wire::JsonValue body, const table::RangeRead& read);

}  // namespace partita::ops
