// Changing one item: PutItem, UpdateItem, DeleteItem, and the same as parts of a batch or a transaction.
#pragma once

#include <optional>
#include <string>

#include "api/writes.h"
#include "base/result.h"
#include "table/catalog/access.h"
#include "table/catalog/table_context.h"
#include "table/rows/item_rows.h"

namespace partita::table {

// A write evaluated, and not carried out.
struct EvaluatedWrite {
  bool existed = false;
  std::optional<model::Item> before;  // see api::WriteAction::wants_before
  std::optional<model::Item> after;   // of an update; absent when nothing is there afterwards
  ItemChange change;
};

// Faults: kItemTooLarge. For whoever takes a whole item from a client: DynamoDB weighs it before it looks at the table.
Result<void> check_item_size(size_t bytes);
// What the action's item or key weighs.
size_t named_bytes(const api::WriteAction& action);

// An action and its table. The action outlives it.
struct BoundWrite {
  BoundWrite(Table its_table, const api::WriteAction& its_action);

  // The key of the item, and of a kPut whatever else a change has to know of it.
  const model::Item& named() const { return action->kind == api::WriteAction::Kind::kPut ? needed : action->key; }

  Table table;
  const api::WriteAction* action;
  model::Item needed;  // of a kPut: needed_of() its item
  storage::Key key;    // empty until it is known that the item has one
};

// The request outlives its plan.
struct WritePlan {
  const api::WriteRequest* request;
  BoundWrite write;
};

// Faults: those of check_write().
Result<WritePlan> bind(const api::WriteRequest& request, Table table);
Result<void> admit(const WritePlan& plan, AccessChecker& checker);
// The action carried out in one transaction. Durable when it returns. The plan outlives the task. Faults: those of
// evaluate_write() and check_growth().
Task<Result<api::WriteReply>> run(TableContext& context, const WritePlan& plan);
void charge(const WritePlan& plan, const api::WriteReply& outcome, AccessChecker& checker);
// After run() failed: a write whose condition was false is charged for the table; other errors cost nothing.
void charge_refused(const WritePlan& plan, const Error& refusal, AccessChecker& checker);

// One action of a request as the access checker sees it.
Access access_of(const BoundWrite& write, api::ReturnValues returned = api::ReturnValues::kNone);

// What is wrong with the action whatever the item is now: its keys, its index keys, paths into keys. When it is
// nothing, the write gets its key. Faults of rows.h, kUpdateOfKey.
// Precondition: the item of a kPut passed check_item_size().
Result<void> check_write(BoundWrite& write);

// What the action does at `now_ms` to the item as it is (null: absent); adds its writes to `changes`. Pure.
// Precondition: the write has its key. Faults: kConditionFailed, faults of expr::apply, kItemToUpdateTooLarge.
Result<EvaluatedWrite> evaluate_write(const BoundWrite& write, const storage::Record* found, int64_t now_ms,
                                      storage::Changes& changes);

// Without the counts.
api::Written reply_of(EvaluatedWrite evaluated);

// Whether the collection of the action's item holds all that it may: then none of its items may grow, and check_growth
// refuses. Only tables with local indexes limit their collections, and measuring costs nothing until the whole table is
// as large as one collection may be. Fault of check_growth: kCollectionTooLarge.
Task<Result<bool>> collection_is_full(TableContext& context, const BoundWrite& write);
Result<void> check_growth(bool full, const ItemChange& change);

// The item collection that the write's item belongs to, with an estimate of its size over the table and its local
// indexes.
Task<Result<api::ItemCollection>> collection_of(TableContext& context, const BoundWrite& write);

}  // namespace partita::table
