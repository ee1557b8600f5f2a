// Reading items in order: Query over one item collection, Scan over a table or an index.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/key_condition.h"
#include "expr/projection.h"
#include "table/catalog/access.h"
#include "table/catalog/table_context.h"
#include "table/items/read.h"
#include "table/rows/item_rows.h"

namespace partita::table {

// One of `total` equal parts of a parallel scan.
struct Segment {
  uint32_t index = 0;
  uint32_t total = 1;
};

// Query or Scan.
struct RangeRequest {
  std::string table;                    // a name or an ARN
  std::optional<std::string> index;     // IndexName
  std::optional<expr::Condition> keys;  // a Query's, checked by check_key_condition(); nothing for a Scan
  Segment segment;                      // a Scan's
  bool forward = true;
  std::optional<uint64_t> limit;     // rows to look at, before the filter
  std::optional<model::Item> start;  // ExclusiveStartKey
  std::optional<expr::Condition> filter;
  bool legacy_filter = false;  // the filter came from QueryFilter, whose faults have words of their own
  std::optional<expr::Projection> projection;
  Select select = Select::kDefault;
  bool consistent = false;
  // From PartiQL: the filter may name keys, and of an index it sees what the index holds.
  bool of_statement = false;
  CapacityDetail capacity = CapacityDetail::kNone;
};

// Those of the attributes that the index does not store, in order.
std::vector<std::string> not_projected(const TableInfo& table, const IndexInfo& index,
                                       const std::vector<std::string>& attributes);
// As DynamoDB lists names: "[a, b]".
std::string bracketed(const std::vector<std::string>& names);

// The request outlives its plan.
struct RangePlan {
  Table table;
  const RangeRequest* request = nullptr;
  const IndexInfo* index = nullptr;     // of `table`, or null for the table itself
  std::optional<expr::KeyRange> range;  // a Query's
  bool whole_items = false;             // from a local index: also what the index does not project, from the table
  storage::Range rows;                  // what is read, in the direction of the request
};

struct RangePage {
  std::vector<FoundItem> items;                       // empty when only counted
  std::vector<std::unique_ptr<storage::Page>> pages;  // what the views among the items point into
  size_t bytes = 0;                                   // of the items as they are stored, about
  uint64_t count = 0;                                 // rows that passed the filter
  uint64_t scanned = 0;                               // rows looked at
  std::optional<model::Item> last_key;
  ConsumedCapacity consumed;
};

// Faults: kIndexNotFound, kIndexBackfilling, kConsistentGlobalIndex, those of expr::resolve() and rows_of(),
// kQueryFilterNamesKey, kFilterNamesKey, kSelectAllOnIndex, kProjectionNotInIndex, those of check_scalar_keys(). Their
// order is DynamoDB's, and another one for a Scan.
Result<RangePlan> bind(const RangeRequest& request, Table table);
// What the plan's other members say that is read, from the start key on.
// Faults: the kStartKey... ones, kKeySchemaMismatch, those of check_key().
Result<storage::Range> rows_of(const RangePlan& plan);
Result<void> admit(const RangePlan& plan, AccessChecker& checker);
// A page of at most 1 MB of items before the filter (model/limits.h); where whole items are fetched for a local index,
// it is they that count. The plan outlives the task.
Task<Result<RangePage>> run(TableContext& context, const RangePlan& plan);
void charge(const RangePlan& plan, const RangePage& page, AccessChecker& checker);

}  // namespace partita::table
