#include "table/transact.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/fault_detail.h"
#include "model/item_codec.h"
#include "table/upkeep.h"

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

constexpr uint32_t kSystemId = 0;
constexpr char kTokenRow = 'I';
constexpr size_t kSweepPage = 200;
constexpr size_t kSweepBytes = 1 << 20;

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

Key token_key(std::string_view token) {
  Key key;
  append_u32(key.bytes, kSystemId);
  key.bytes.push_back(kTokenRow);
  key.place = static_cast<uint32_t>(key.bytes.size());
  key.bytes.append(token);
  return key;
}

// A token's row: when it was used (8 bytes, milliseconds), then the digest of its request.
std::string token_row(int64_t now_ms, const std::string& digest) {
  std::string row;
  append_u64(row, static_cast<uint64_t>(now_ms));
  row += digest;
  return row;
}

struct UsedToken {
  int64_t at_ms = 0;
  std::string_view digest;
};

UsedToken used_token(std::string_view row) {
  UsedToken used;
  used.at_ms = static_cast<int64_t>(take_u64(row).value_or(0));
  used.digest = row;
  return used;
}

bool is_over(const UsedToken& used, int64_t now_ms) { return now_ms - used.at_ms >= kTokenLifetimeMs; }

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
  if (is_over(used, now_ms)) return true;
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

}  // namespace

Task<Result<std::vector<Written>>> transact_write(Database& database, TransactWrites request) {
  PARTITA_CO_TRY(std::vector<Key> keys, keys_of(request));
  PARTITA_CO_TRY(const std::vector<bool> full, co_await full_collections(database, request.writes));
  const bool with_token = !request.token.empty();
  if (with_token) keys.push_back(token_key(request.token));
  const int64_t now_ms = database.clock().now_ms();
  Attempt attempt;
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    attempt = Attempt();
    if (with_token && !token_is_new(request, found.back(), now_ms, attempt)) return Decision::kRefuse;
    attempt = evaluate(request, full, found, changes);
    if (attempt.broken || any(attempt.reasons)) return Decision::kRefuse;
    if (with_token) changes.put(token_key(request.token), token_row(now_ms, request.digest));
    return Decision::kCommit;
  };
  std::vector<storage::Compare> compare;
  auto outcome = co_await database.engine().transact(std::move(keys), std::move(compare), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if (attempt.broken) co_return std::move(*attempt.broken);
  if (attempt.mismatched) co_return model::refuse(Fault::kTokenMismatch);
  if (any(attempt.reasons)) co_return cancelled(std::move(attempt.reasons));
  for (Written& written : attempt.written) {
    settle(written.change);
    written.change.consumed.twice();
  }
  if (with_token && !attempt.repeated) count_token(database);
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
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    written.clear();
    refusal = Result<void>();
    for (size_t i = 0; i < writes.size(); ++i) {
      auto one = evaluate_within(writes[i], full[i], found[i], changes);
      if (!one.ok()) {
        refusal = std::move(one).error();
        return Decision::kRefuse;
      }
      written.push_back(std::move(one).value());
    }
    return Decision::kCommit;
  };
  std::vector<storage::Compare> compare;
  auto outcome = co_await database.engine().transact(std::move(keys), std::move(compare), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if (!refusal.ok()) co_return std::move(refusal).error();
  for (const Written& one : written) settle(one.change);
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

Task<void> sweep_tokens(Database& database, std::stop_token stop) {
  const int64_t now_ms = database.clock().now_ms();
  storage::Range range;
  range.begin = token_key({}).bytes;
  range.end = prefix_end(range.begin).value_or("");
  for (bool more = true; more && !stop.stop_requested();) {
    auto scanned = co_await database.engine().scan(range, storage::Direction::kAscending, kSweepPage, kSweepBytes);
    if (!scanned.ok() || scanned->empty()) co_return;
    const storage::Page& page = *scanned;
    std::vector<Key> keys;
    for (size_t i = 0; i < page.size(); ++i) {
      if (!is_over(used_token(page[i].value), now_ms)) continue;
      keys.push_back(token_key({}));
      keys.back().bytes = std::string(page[i].key);
    }
    if (!keys.empty()) {
      // A token may have been used anew since it was scanned.
      const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
        for (size_t i = 0; i < keys.size(); ++i) {
          if (found[i] != nullptr && is_over(used_token(found[i]->value), now_ms)) changes.erase(keys[i]);
        }
        return changes.empty() ? Decision::kRefuse : Decision::kCommit;
      };
      std::vector<storage::Compare> compare;
      const auto outcome = co_await database.engine().transact(keys, std::move(compare), decide);
      if (!outcome.ok()) co_return;
    }
    more = page.more;
    range.begin = std::string(page[page.size() - 1].key) + '\0';
  }
}

}  // namespace partita::table
