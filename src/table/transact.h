// Several items at once, all or nothing: TransactWriteItems and TransactGetItems.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/read.h"
#include "table/tokens.h"
#include "table/write.h"

namespace partita::table {

struct TransactWrite {
  Table table;
  WriteAction action;
};

struct TransactWrites {
  std::vector<TransactWrite> writes;
  std::string token;   // ClientRequestToken; empty: none
  std::string digest;  // of the request, to know a repeated token's request again
};

// One element for each write, in order; nothing at all when the same token's request was carried out before, within
// kTokenLifetimeMs. Charges are those of transactions, twice the plain ones.
// Faults: kTransactionCancelled with a TransactionCancelledDetail, kTransactionDuplicateItem, kTokenMismatch.
Task<Result<std::vector<Written>>> transact_write(Database& database, TransactWrites request);

// BatchWriteItem: each write as if it came alone. (They share a transaction, which is more than is promised.) All are
// checked before any is carried out; the first fault is returned as it is. Precondition: no two are of one item.
Task<Result<std::vector<Written>>> batch_write(Database& database, std::vector<TransactWrite> writes);

struct TransactGet {
  Table table;
  model::Item key;
  std::optional<expr::Projection> projection;
};

// One element for each read, in order, all from one moment.
// Faults: kTransactionCancelled, kTransactionDuplicateItem.
Task<Result<std::vector<ReadItem>>> transact_read(Database& database, const std::vector<TransactGet>& gets);

}  // namespace partita::table
