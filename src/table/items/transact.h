// Several items at once: TransactWriteItems and TransactGetItems, all or nothing, and BatchWriteItem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/catalog/tokens.h"
#include "table/items/read.h"
#include "table/items/write.h"

namespace partita::table {

// For whoever makes a TransactWriteRequest, before it looks for tables: what its items and keys take, which DynamoDB
// limits to 4 MB. Fault: kTransactionTooLarge.
Result<void> check_total_size(const api::TransactWriteRequest& request);

// What both become. The request outlives the plan.
struct WritesPlan {
  std::vector<BoundWrite> writes;                          // no two of one item
  const api::TransactWriteRequest* transaction = nullptr;  // null for a batch
  bool wants_collection_bytes = false;
};

// One table for each part, or why there is none. Faults: the tables' own; kTransactionDuplicateItem, kKeyEmpty and its
// like, kTransactionCancelled with a TransactionCancelledDetail.
Result<WritesPlan> bind(const api::TransactWriteRequest& request, std::vector<Result<Table>> tables);
// Faults: the tables' own, kBatchDuplicateKeys, those of check_key() and check_write().
Result<WritesPlan> bind(const api::BatchWriteRequest& request, std::vector<Result<Table>> tables);
Result<void> admit(const WritesPlan& plan, AccessChecker& checker);
// A batch promises less than that: a small one is one transaction here, a large one several, and after a failure some
// of it may be written. Charges of a transaction are twice the plain ones. The plan outlives the task. Faults of a
// transaction: kTransactionCancelled with a TransactionCancelledDetail, kTokenMismatch, kTransactionInProgress,
// kTransactionItemsTooLarge for more than 128 MiB of rows, or than the store takes at once; of a batch: those of
// check_growth().
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

// Faults: the tables' own, kTransactionDuplicateItem, kKeyEmpty and its like, kTransactionCancelled.
Result<TransactGetPlan> bind(const api::TransactGetRequest& request, std::vector<Result<Table>> tables);
Result<void> admit(const TransactGetPlan& plan, AccessChecker& checker);
// The plan outlives the task. Fault: kTransactionItemsTooLarge when the items are more than 4 MB.
Task<Result<api::TransactGetReply>> run(TableContext& context, const TransactGetPlan& plan);
void charge(const TransactGetPlan& plan, const api::TransactGetReply& outcome, AccessChecker& checker);

}  // namespace partita::table
