// Reading items in order: Query over one item collection, Scan over a table or an index.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/key_condition.h"
#include "expr/projection.h"
#include "table/database.h"
#include "table/read.h"
#include "table/rows.h"

namespace partita::table {

// One of `total` equal parts of a parallel scan.
struct Segment {
  uint32_t index = 0;
  uint32_t total = 1;
};

struct RangeRead {
  Table table;
  const IndexInfo* index = nullptr;     // of `table`, or null for the table itself
  std::optional<expr::KeyRange> range;  // a Query's; nothing for a Scan
  Segment segment;                      // a Scan's
  bool forward = true;
  std::optional<uint64_t> limit;     // rows to look at, before the filter
  std::optional<model::Item> start;  // ExclusiveStartKey
  std::optional<expr::Condition> filter;
  std::optional<expr::Projection> projection;
  bool whole_items = false;  // from a local index: also what the index does not project, fetched from the table
  bool count_only = false;
  bool consistent = false;
};

struct RangePage {
  std::vector<FoundItem> items;  // empty when only counted
  uint64_t count = 0;            // rows that passed the filter
  uint64_t scanned = 0;          // rows looked at
  std::optional<model::Item> last_key;
  ConsumedCapacity consumed;
};

// A page of at most 1 MB of items before the filter (model/limits.h).
// Faults: kStartKeyInvalid, kStartKeyMismatch, kStartKeyOutsideQuery, kStartKeyOutsideRange, kStartKeyOutsideSegment.
Task<Result<RangePage>> read_range(Database& database, const RangeRead& request);

}  // namespace partita::table
