// Reading items in order: Query over one item collection, Scan over a table or an index.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/reads.h"
#include "base/result.h"
#include "expr/condition.h"
#include "expr/key_condition.h"
#include "expr/projection.h"
#include "table/catalog/access.h"
#include "table/catalog/table_context.h"
#include "table/items/read.h"
#include "table/rows/item_rows.h"

namespace partita::table {

// Those of the attributes that the index does not store, in order.
std::vector<std::string> not_projected(const TableInfo& table, const IndexInfo& index,
                                       const std::vector<std::string>& attributes);
// As DynamoDB lists names: "[a, b]".
std::string bracketed(const std::vector<std::string>& names);

// The request outlives its plan.
struct RangePlan {
  Table table;
  const api::RangeRequest* request = nullptr;
  const IndexInfo* index = nullptr;     // of `table`, or null for the table itself
  std::optional<expr::KeyRange> range;  // a Query's
  bool whole_items = false;             // from a local index: also what the index does not project, from the table
  storage::Range rows;                  // what is read, in the direction of the request
};

// Faults: kIndexNotFound, kIndexBackfilling, kConsistentGlobalIndex, those of expr::resolve() and rows_of(),
// kQueryFilterNamesKey, kFilterNamesKey, kSelectAllOnIndex, kProjectionNotInIndex, those of check_scalar_keys(). Their
// order is DynamoDB's, and another one for a Scan.
Result<RangePlan> bind(const api::RangeRequest& request, Table table);
// What the plan's other members say that is read, from the start key on.
// Faults: the kStartKey... ones, kKeySchemaMismatch, those of check_key().
Result<storage::Range> rows_of(const RangePlan& plan);
Result<void> admit(const RangePlan& plan, AccessChecker& checker);
// A page of at most 1 MB of items before the filter (model/limits.h); where whole items are fetched for a local index,
// it is they that count. The plan outlives the task.
Task<Result<api::RangeReply>> run(TableContext& context, const RangePlan& plan);
void charge(const RangePlan& plan, const api::RangeReply& page, AccessChecker& checker);

}  // namespace partita::table
