// Reading items in order: Query reads one item collection, Scan a table or an index.
//
// bind(), admit() and charge() do no I/O and are callable from any thread.
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

// The attributes among `attributes` that the index does not store, in their order.
std::vector<std::string> not_projected(const TableInfo& table, const IndexInfo& index,
                                       const std::vector<std::string>& attributes);
// A list of names as DynamoDB's messages write it: "[a, b]".
std::string bracketed(const std::vector<std::string>& names);

// The request outlives its plan.
struct RangePlan {
  Table table;
  const api::RangeRequest* request = nullptr;
  const IndexInfo* index = nullptr;     // of `table`, or null for the table itself
  std::optional<expr::KeyRange> range;  // of a Query; absent for a Scan
  bool whole_items = false;             // items of a local index are read from the table, with all attributes
  storage::Range rows;                  // the stored keys to read, from the start key on
};

// Faults: kIndexNotFound, kIndexBackfilling, kConsistentGlobalIndex, those of expr::resolve() and rows_of(),
// kQueryFilterNamesKey, kFilterNamesKey, kSelectAllOnIndex, kProjectionNotInIndex, those of check_scalar_keys(). The
// checks are in DynamoDB's order, which differs between Query and Scan.
Result<RangePlan> bind(const api::RangeRequest& request, Table table);
// RangePlan::rows, computed from the plan's other members.
// Faults: the kStartKey... ones, kKeySchemaMismatch, those of check_key().
Result<storage::Range> rows_of(const RangePlan& plan);
Result<void> admit(const RangePlan& plan, AccessChecker& checker);
// Reads one page: at most 1 MB of items, counted before the filter (model/limits.h). If items of a local index are read
// from the table, the size of the whole items counts. The context and the plan outlive the task. Errors: kUnavailable,
// kCorrupt.
Task<Result<api::RangeReply>> run(TableContext& context, const RangePlan& plan);
void charge(const RangePlan& plan, const api::RangeReply& page, AccessChecker& checker);

}  // namespace partita::table
