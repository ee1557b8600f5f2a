#include "table/transact.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/fault_detail.h"
#include "model/item_codec.h"
#include "table/commit.h"

namespace partita::table {

namespace {

using model::Fault;
using model::Item;
using model::TransactionCancelledDetail;
using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

using Reasons = std::vector<TransactionCancelledDetail::Reason>;

bool any(const Reasons& reasons) {
  return std::ranges::any_of(reasons, [](const auto& reason) { return reason.error.has_value(); });
}

Error cancelled(Reasons reasons) {
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(Fault::kTransactionCancelled), {},
               std::make_shared<TransactionCancelledDetail>(std::move(reasons)));
}

TransactionCancelledDetail::Reason reason_of(Error error) {
  TransactionCancelledDetail::Reason reason;
  if (const auto* failed = dynamic_cast<const model::ConditionFailedDetail*>(error.detail().get())) {
    reason.item = failed->item;
  }
  reason.error = std::move(error);
  return reason;
}

bool has_duplicates(std::vector<Key> keys) {
  std::ranges::sort(keys, {}, &Key::bytes);
  return std::ranges::adjacent_find(keys) != keys.end();
}

// What one try of the transaction found.
struct Attempt {
  std::vector<Written> written;
  Reasons reasons;
  std::optional<Error> broken;  // not a matter of the request: a damaged item
  bool repeated = false;
  bool mismatched = false;
};

// Looks at the token's row, the last of the records. True when the transaction is to go on.
bool token_is_new(const TransactWrites& request, const Record* row, int64_t now_ms, Attempt& attempt) {
  if (row == nullptr) return true;
  const UsedToken used = used_token(row->value);
  if (used.is_over(now_ms)) return true;
  attempt.repeated = used.digest == request.digest;
  attempt.mismatched = !attempt.repeated;
  return false;
}

// One element for each write: whether the item collection of its item is full.
Task<Result<std::vector<bool>>> full_collections(Database& database, const std::vector<TransactWrite>& writes) {
  std::vector<bool> full;
  for (const TransactWrite& write : writes) {
    PARTITA_CO_TRY(const bool one, co_await collection_is_full(database, write.table, write.action));
    full.push_back(one);
  }
  co_return full;
}

Result<Written> evaluate_within(const TransactWrite& write, bool full, const Record* found, Changes& changes) {
  PARTITA_TRY(Written written, evaluate_write(*write.table, write.action, found, changes));
  PARTITA_TRY_VOID(check_growth(full, written.change));
  return written;
}

Attempt evaluate(const TransactWrites& request, const std::vector<bool>& full, std::span<const Record* const> found,
                 Changes& changes) {
  Attempt attempt;
  attempt.reasons.resize(request.writes.size());
  for (size_t i = 0; i < request.writes.size(); ++i) {
    auto written = evaluate_within(request.writes[i], full[i], found[i], changes);
    if (written.ok()) {
      attempt.written.push_back(std::move(written).value());
    } else if (written.error().kind() != ErrorKind::kInvalid) {
      attempt.broken = std::move(written).error();
    } else {
      attempt.reasons[i] = reason_of(std::move(written).error());
    }
  }
  return attempt;
}

bool is_empty_index_key(const Error& error) {
  const Fault fault = model::fault_of(error);
  return fault == Fault::kIndexKeyEmpty || fault == Fault::kUpdateIndexKeyEmpty;
}

// What is wrong with a transaction's keys, in DynamoDB's order: an item named twice, an empty key value, then whatever
// else cancels it. `keys` are those of the actions without a reason.
Result<void> check_keys(const std::vector<Key>& keys, std::span<const Result<void>> values, Reasons reasons) {
  if (has_duplicates(keys)) return model::refuse(Fault::kTransactionDuplicateItem);
  for (const Result<void>& value : values) PARTITA_TRY_VOID(Result<void>(value));
  if (any(reasons)) return cancelled(std::move(reasons));
  return {};
}

Result<std::vector<Key>> keys_of(const TransactWrites& request) {
  Reasons reasons(request.writes.size());
  std::vector<Key> keys;
  std::vector<Result<void>> values;
  for (size_t i = 0; i < request.writes.size(); ++i) {
    const auto& [table, action] = request.writes[i];
    values.push_back(check_key_values(*table, action.item));
    if (auto checked = check_write(*table, action); !checked.ok()) {
      if (is_empty_index_key(checked.error())) values.push_back(checked);
      reasons[i] = reason_of(std::move(checked).error());
    } else {
      keys.push_back(item_key(*table, action.item));
    }
  }
  PARTITA_TRY_VOID(check_keys(keys, values, std::move(reasons)));
  return keys;
}

std::vector<Table> tables_of(const std::vector<TransactWrite>& writes) {
  std::vector<Table> tables;
  for (const TransactWrite& write : writes) tables.push_back(write.table);
  return tables;
}

}  // namespace

Task<Result<std::vector<Written>>> transact_write(Database& database, TransactWrites request) {
  PARTITA_CO_TRY(std::vector<Key> keys, keys_of(request));
  PARTITA_CO_TRY(const std::vector<bool> full, co_await full_collections(database, request.writes));
  const bool with_token = !request.token.empty();
  if (with_token) keys.push_back(token_key(request.token));
  const int64_t now_ms = database.clock().now_ms();
  Attempt attempt;
  const Evaluate decide = [&](std::span<const Record* const> found, Changes& changes, CountMoves& moves) {
    attempt = Attempt();
    if (with_token && !token_is_new(request, found.back(), now_ms, attempt)) return Decision::kRefuse;
    attempt = evaluate(request, full, found, changes);
    if (attempt.broken || any(attempt.reasons)) return Decision::kRefuse;
    for (size_t i = 0; i < attempt.written.size(); ++i) moves.add(*request.writes[i].table, attempt.written[i].change);
    if (with_token) changes.put(token_key(request.token), token_row(now_ms, request.digest));
    return Decision::kCommit;
  };
  const std::vector<Table> tables = tables_of(request.writes);
  auto outcome = co_await commit(database, tables, std::move(keys), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if (attempt.broken) co_return std::move(*attempt.broken);
  if (attempt.mismatched) co_return model::refuse(Fault::kTokenMismatch);
  if (any(attempt.reasons)) co_return cancelled(std::move(attempt.reasons));
  for (Written& written : attempt.written) written.change.consumed.twice();
  co_return std::move(attempt.written);
}

Task<Result<std::vector<Written>>> batch_write(Database& database, std::vector<TransactWrite> writes) {
  std::vector<Key> keys;
  for (const auto& [table, action] : writes) {
    PARTITA_CO_TRY_VOID(check_write(*table, action));
    keys.push_back(item_key(*table, action.item));
  }
  PARTITA_CO_TRY(const std::vector<bool> full, co_await full_collections(database, writes));
  std::vector<Written> written;
  Result<void> refusal;
  const Evaluate decide = [&](std::span<const Record* const> found, Changes& changes, CountMoves& moves) {
    written.clear();
    refusal = Result<void>();
    for (size_t i = 0; i < writes.size(); ++i) {
      auto one = evaluate_within(writes[i], full[i], found[i], changes);
      if (!one.ok()) {
        refusal = std::move(one).error();
        return Decision::kRefuse;
      }
      moves.add(*writes[i].table, one->change);
      written.push_back(std::move(one).value());
    }
    return Decision::kCommit;
  };
  const std::vector<Table> tables = tables_of(writes);
  auto outcome = co_await commit(database, tables, std::move(keys), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if (!refusal.ok()) co_return std::move(refusal).error();
  co_return written;
}

Task<Result<std::vector<ReadItem>>> transact_read(Database& database, const std::vector<TransactGet>& gets) {
  Reasons reasons(gets.size());
  std::vector<Key> keys;
  std::vector<Result<void>> values;
  for (size_t i = 0; i < gets.size(); ++i) {
    values.push_back(check_key_values(*gets[i].table, gets[i].key));
    if (auto checked = check_key(*gets[i].table, gets[i].key); !checked.ok()) {
      reasons[i] = reason_of(std::move(checked).error());
    } else {
      keys.push_back(item_key(*gets[i].table, gets[i].key));
    }
  }
  PARTITA_CO_TRY_VOID(check_keys(keys, values, std::move(reasons)));
  auto read = co_await database.engine().read(keys);
  if (!read.ok()) co_return std::move(read).error();
  std::vector<ReadItem> items(gets.size());
  for (size_t i = 0; i < gets.size(); ++i) {
    if (std::optional<Record>& record = (*read)[i]) {
      PARTITA_CO_TRY(items[i], found_item(std::move(record->value), gets[i].projection));
    }
  }
  co_return items;
}

}  // namespace partita::table
