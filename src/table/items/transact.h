// Several items at once: TransactWriteItems and TransactGetItems, which succeed or fail as a whole, and BatchWriteItem.
//
// bind(), admit(), charge() and charge_refused() do no I/O and are callable from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/catalog/tokens.h"
#include "table/items/read.h"
#include "table/items/write.h"

namespace partita::table {

// The plan of a TransactWriteItems or a BatchWriteItem. The request outlives it.
struct WritesPlan {
  std::vector<BoundWrite> writes;                          // of distinct items
  const api::TransactWriteRequest* transaction = nullptr;  // null for a batch
  bool wants_collection_bytes = false;
  // Of a batch, after admit():
  std::vector<size_t> positions;  // of the writes, among the actions of the request; empty if they are all of them
  std::vector<size_t> refused;    // positions of those for which there is no capacity, ascending
  std::optional<Error> refusal;   // of the first of these
};

// `tables`: for each part its table, or the error of its name. Faults: the errors in `tables`,
// kTransactionDuplicateItem, the faults of single keys such as kKeyEmpty, kTransactionCancelled with a
// TransactionCancelledDetail.
Result<WritesPlan> bind(const api::TransactWriteRequest& request, std::vector<Result<Table>> tables);
// The same for a batch. Faults: the errors in `tables`, kBatchDuplicateKeys, those of check_key() and check_write().
Result<WritesPlan> bind(const api::BatchWriteRequest& request, std::vector<Result<Table>> tables);
// Writes of a batch without capacity are left out of the plan, unless all of them are: then the error of the first. In
// a transaction they are reasons of kTransactionCancelled. The checker outlives the plan's run().
Result<void> admit(WritesPlan& plan, AccessChecker& checker);
// Carries out all writes of a transaction or none; durable when the task ends. A small batch is one transaction too, a
// large one several, so some of its writes may be done when it fails. A transaction consumes twice the capacity of the
// same writes alone. The context and the plan outlive the task.
// Faults of a transaction: kTransactionCancelled with a TransactionCancelledDetail, kTokenMismatch,
// kTransactionInProgress, kTransactionItemsTooLarge if its rows exceed kMaxWrittenBytes or what the store takes in one
// transaction. Of a batch: those of check_growth(), and that of the first write if no write had capacity.
Task<Result<api::WritesReply>> run(TableContext& context, const WritesPlan& plan);
void charge(const WritesPlan& plan, const api::WritesReply& outcome, AccessChecker& checker);
// After run() failed: if a condition of the transaction was false, each action is charged for its table as if it had
// been carried out; other errors cost nothing.
void charge_refused(const WritesPlan& plan, const Error& refusal, AccessChecker& checker);

// The request outlives the plan.
struct TransactGetPlan {
  const api::TransactGetRequest* request;
  std::vector<Table> tables;       // one for each part
  std::vector<storage::Key> keys;  // one for each part, distinct
};

// Faults: the errors in `tables`, kTransactionDuplicateItem, the faults of single keys such as kKeyEmpty,
// kTransactionCancelled.
Result<TransactGetPlan> bind(const api::TransactGetRequest& request, std::vector<Result<Table>> tables);
// Fault: kTransactionCancelled if there is no capacity for some.
Result<void> admit(const TransactGetPlan& plan, AccessChecker& checker);
// Reads all items as of one moment. The context and the plan outlive the task. Fault: kTransactionItemsTooLarge if the
// items exceed 4 MB.
Task<Result<api::TransactGetReply>> run(TableContext& context, const TransactGetPlan& plan);
void charge(const TransactGetPlan& plan, const api::TransactGetReply& outcome, AccessChecker& checker);

}  // namespace partita::table
