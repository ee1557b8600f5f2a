// Reading items by their keys: GetItem and BatchGetItem, and what TransactGetItems (transact.h) shares with them.
//
// bind(), admit() and charge() do no I/O and are callable from any thread.
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
// The context and the plan outlive the task. Errors: kUnavailable, kCorrupt.
Task<Result<api::GetReply>> run(TableContext& context, const GetPlan& plan);
void charge(const GetPlan& plan, const api::GetReply& outcome, AccessChecker& checker);

// The request outlives its plan.
struct BatchGetPlan {
  struct Read {
    Table table;
    const api::BatchGetRequest::Part* part;
    std::vector<size_t> which;       // positions among the part's keys; of equal keys only the first
    std::vector<storage::Key> keys;  // one for each position
    std::vector<size_t> refused;     // positions for which there is no capacity, ascending
  };
  std::vector<Read> reads;  // one for each part
};

// `tables`: for each part its table, or the error of its name. Faults: the errors in `tables`, those of
// check_scalar_keys() and check_key(), kBatchDuplicateKeys if two parts ask for the same item of one table.
Result<BatchGetPlan> bind(const api::BatchGetRequest& request, std::vector<Result<Table>> tables);
// Keys without capacity are left out of the plan, unless all of them are: then the error of the first.
Result<void> admit(BatchGetPlan& plan, AccessChecker& checker);
// The context and the plan outlive the task. Errors: kUnavailable, kCorrupt.
Task<Result<api::BatchGetReply>> run(TableContext& context, const BatchGetPlan& plan);
void charge(const BatchGetPlan& plan, const api::BatchGetReply& outcome, AccessChecker& checker);

// Limits the memory of a reply. A decoded item of many small values takes up to 25 times its stored bytes, so only the
// first items of a reply, of 64 KiB stored bytes together, stay decoded; the others are encoded again. For one reply.
class TreesKept {
 public:
  // `stored_bytes`: the size of the stored item that `item` was decoded from.
  api::FoundItem keep(model::Item item, size_t stored_bytes);

 private:
  size_t left_ = size_t{64} << 10;
};

// What a reply has of a stored item of the table: all of it, or its projection. Errors: kCorrupt.
Result<api::ReadItem> found_item(const TableInfo& table, std::string stored,
                                 const std::optional<expr::Projection>& projection, TreesKept& trees);

// The capacity that reading these items one by one consumes.
api::ConsumedCapacity read_charge(const TableInfo& table, std::span<const api::ReadItem> items, bool consistent);

}  // namespace partita::table
