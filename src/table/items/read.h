// Reading items by their keys: GetItem, BatchGetItem and the reads of a transaction.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/reads.h"
#include "base/result.h"
#include "table/catalog/access.h"
#include "table/catalog/table_context.h"
#include "table/rows/item_rows.h"

namespace partita::table {

// The request outlives its plan.
struct GetPlan {
  Table table;
  const api::GetRequest* request;
  storage::Key key;
};

// Faults: those of check_scalar_keys() and check_key().
Result<GetPlan> bind(const api::GetRequest& request, Table table);
Result<void> admit(const GetPlan& plan, AccessChecker& checker);
// The plan outlives the task.
Task<Result<api::GetReply>> run(TableContext& context, const GetPlan& plan);
void charge(const GetPlan& plan, const api::GetReply& outcome, AccessChecker& checker);

// The request outlives its plan.
struct BatchGetPlan {
  struct Read {
    Table table;
    const api::BatchGetRequest::Part* part;
    std::vector<size_t> which;       // of the part's keys; of two that are one key only the first
    std::vector<storage::Key> keys;  // one for each of them
  };
  std::vector<Read> reads;  // one for each part
};

// One table for each part, or why there is none. Faults: the tables' own, those of check_scalar_keys() and check_key(),
// kBatchDuplicateKeys when two parts are of one table and ask for the same item.
Result<BatchGetPlan> bind(const api::BatchGetRequest& request, std::vector<Result<Table>> tables);
Result<void> admit(const BatchGetPlan& plan, AccessChecker& checker);
// The plan outlives the task.
Task<Result<api::BatchGetReply>> run(TableContext& context, const BatchGetPlan& plan);
void charge(const BatchGetPlan& plan, const api::BatchGetReply& outcome, AccessChecker& checker);

// A tree takes up to 25 times as much as what is stored of it, when that is many small values. So of all items of a
// reply only the first ones stay trees; the others are encoded again.
class TreesKept {
 public:
  // `stored_bytes`: of the item that it was made from.
  api::FoundItem keep(model::Item item, size_t stored_bytes);

 private:
  size_t left_ = size_t{64} << 10;
};

// A stored item of the table as the reader wants it. Errors: kCorrupt.
Result<api::ReadItem> found_item(const TableInfo& table, std::string stored,
                                 const std::optional<expr::Projection>& projection, TreesKept& trees);

// The charge of reading those items one by one.
api::ConsumedCapacity read_charge(const TableInfo& table, std::span<const api::ReadItem> items, bool consistent);

}  // namespace partita::table
