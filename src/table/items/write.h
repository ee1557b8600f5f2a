// Changing one item: PutItem, UpdateItem, DeleteItem, and the same as parts of a batch or a transaction.
//
// Only functions that return a Task do I/O. All are callable from any thread.
#pragma once

#include <optional>
#include <string>

#include "api/writes.h"
#include "base/result.h"
#include "table/catalog/access.h"
#include "table/catalog/table_context.h"
#include "table/rows/item_rows.h"

namespace partita::table {

// The effect of a write on the stored item, computed but not stored.
struct EvaluatedWrite {
  bool existed = false;
  std::optional<model::Item> before;  // see api::WriteAction::wants_before
  std::optional<model::Item> after;   // of an update; absent if there is no item afterwards
  ItemChange change;
};

// An action bound to its table. The action outlives it.
struct BoundWrite {
  BoundWrite(Table its_table, const api::WriteAction& its_action);

  // The key attributes of the item; of a kPut also the other attributes that a change needs.
  const model::Item& named() const { return action->kind == api::WriteAction::Kind::kPut ? needed : action->key; }

  Table table;
  const api::WriteAction* action;
  model::Item needed;                // of a kPut: needed_of() its item; otherwise empty
  size_t put_bytes = 0;              // of a kPut: api::named_bytes(); otherwise 0
  storage::Key key;                  // set by check_write(); empty before
  AccessChecker* checker = nullptr;  // set by admit(): decides about global indexes; null: nobody does
};

// The request outlives its plan.
struct WritePlan {
  const api::WriteRequest* request;
  BoundWrite write;
};

// Faults: those of check_write().
Result<WritePlan> bind(const api::WriteRequest& request, Table table);
// The checker outlives the plan's run().
Result<void> admit(WritePlan& plan, AccessChecker& checker);
// Carries out the action in one transaction; durable when the task ends. The context and the plan outlive the task.
// Faults: those of evaluate_write() and check_growth(). If the table's description is no longer the newest, nothing is
// written, and TableContext::binds_again() is true for the error.
Task<Result<api::WriteReply>> run(TableContext& context, const WritePlan& plan);
void charge(const WritePlan& plan, const api::WriteReply& outcome, AccessChecker& checker);
// After run() failed: a write whose condition was false is charged for the table; other errors cost nothing.
void charge_refused(const WritePlan& plan, const Error& refusal, AccessChecker& checker);

Verb verb_of(api::WriteAction::Kind kind);

// The least that the action costs, outside a transaction.
model::HalfUnits least_cost(const BoundWrite& write);

// One action of a request as the access checker sees it.
Access access_of(const BoundWrite& write, api::ReturnValues returned = api::ReturnValues::kNone);

// The checks that need the table but not the stored item: keys, index keys, and paths into keys. If they pass, the
// write gets its key. Faults: those of rows/item_rows.h, kUpdateOfKey. Precondition: the item of a kPut passed
// api::check_item_size().
Result<void> check_write(BoundWrite& write);

// Evaluates the action at `now_ms` (since 1970) on the stored item (null: absent), and adds the rows to write to
// `changes`. A pure function, but for what the checker decides. Precondition: the write has its key. Faults:
// kConditionFailed, those of expr::apply(), kItemToUpdateTooLarge, those of AccessChecker::check_indexes().
Result<EvaluatedWrite> evaluate_write(const BoundWrite& write, const storage::Record* found, int64_t now_ms,
                                      storage::Changes& changes);

// The part of the result that the reply needs.
api::Written reply_of(EvaluatedWrite evaluated);

// Whether the item collection of the action's item has reached its limit. check_growth() then refuses changes that make
// it larger. Only tables with local indexes have the limit. The collection is not measured while the whole table is
// smaller than the limit. Fault of check_growth(): kCollectionTooLarge.
Task<Result<bool>> collection_is_full(TableContext& context, const BoundWrite& write);
Result<void> check_growth(bool full, const ItemChange& change);

// The item collection that the write's item belongs to, with an estimate of its size over the table and its local
// indexes.
Task<Result<api::ItemCollection>> collection_of(TableContext& context, const BoundWrite& write);

}  // namespace partita::table
