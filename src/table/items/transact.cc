#include "table/items/transact.h"

#include <algorithm>
#include <map>

#include "base/executor.h"
#include "model/fault.h"
#include "model/fault_detail.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "model/size.h"
#include "table/items/commit.h"
#include "table/items/precompute.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

using model::Fault;
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

bool has_duplicates(std::vector<std::string_view> keys) {
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

// The result of one attempt at the transaction.
struct Attempt {
  std::vector<api::Written> written;
  Reasons reasons;
  std::optional<Error> broken;  // an error that is no cancellation, such as a damaged row
  bool too_long = false;        // must be precomputed, see precompute.h
  bool repeated = false;
  bool mismatched = false;
};

// Checks the token's row, the last of the records. True: the transaction continues.
bool token_is_new(const api::TransactWriteRequest& request, const Record* row, int64_t now_ms, Attempt& attempt) {
  if (row == nullptr) return true;
  auto used = used_token(row->value);
  if (!used.ok()) {
    attempt.broken = std::move(used).error();
    return false;
  }
  if (used->is_over(now_ms)) return true;
  attempt.repeated = used->digest == request.digest;
  attempt.mismatched = !attempt.repeated;
  return false;
}

// One element for each write: whether the item collection of its item is full.
Task<Result<std::vector<bool>>> full_collections(TableContext& context, const WritesPlan& plan) {
  std::vector<bool> full(plan.writes.size());
  for (size_t i = 0; i < full.size(); ++i) {
    if (!plan.writes[i].table->has_local_index()) continue;
    PARTITA_CO_TRY(const bool one, co_await collection_is_full(context, plan.writes[i]));
    full[i] = one;
  }
  co_return full;
}

Result<EvaluatedWrite> precomputed_or_evaluated(const WritesPlan& plan, const std::vector<bool>& full,
                                                const Precompute& precompute, size_t i, const Record* found,
                                                int64_t now_ms, Changes& changes) {
  const PrecomputedWrite* const precomputed = precompute.of(i, found);
  if (precomputed == nullptr) return evaluate_one(plan.writes[i], full[i], found, now_ms, changes);
  const auto& writes = precomputed->changes.writes();
  const auto& appends = precomputed->changes.appends();
  changes.writes().insert(changes.writes().end(), writes.begin(), writes.end());
  changes.appends().insert(changes.appends().end(), appends.begin(), appends.end());
  return precomputed->written;
}

model::HalfUnits charged_for(const Result<EvaluatedWrite>& written) {
  if (written.ok()) return written.value().change.consumed.base.write;
  const auto* const refused = dynamic_cast<const model::RefusedWriteDetail*>(written.error().detail().get());
  return refused == nullptr ? 0 : model::write_half_units(refused->charged_bytes);
}

Attempt evaluate(const WritesPlan& plan, const std::vector<bool>& full, const Precompute& precompute,
                 std::span<const Record* const> found, int64_t now_ms, Changes& changes, CountMoves& moves) {
  Attempt attempt;
  attempt.reasons.resize(plan.writes.size());
  attempt.too_long = precompute.is_needed(found);
  if (attempt.too_long) return attempt;
  size_t bytes = 0;
  for (size_t i = 0; i < plan.writes.size() && bytes <= kMaxWrittenBytes; ++i) {
    const size_t before = changes.writes().size();
    auto written = precomputed_or_evaluated(plan, full, precompute, i, found[i], now_ms, changes);
    bytes += bytes_of(std::span(changes.writes()).subspan(before));
    attempt.reasons[i].charged = charged_for(written);
    if (written.ok()) {
      moves.add(*plan.writes[i].table, written->change);
      attempt.written.push_back(reply_of(std::move(written).value()));
    } else if (written.error().kind() != ErrorKind::kInvalid) {
      attempt.broken = std::move(written).error();
    } else {
      attempt.reasons[i].error = std::move(written).error();
    }
  }
  if (bytes > kMaxWrittenBytes) attempt.broken = model::refuse(Fault::kTransactionItemsTooLarge);
  return attempt;
}

// The charges of a repeated request: a transactional read of its items.
Result<std::vector<api::Written>> replayed(const WritesPlan& plan, std::span<const Record* const> found) {
  std::vector<api::Written> written(plan.writes.size());
  for (size_t i = 0; i < written.size(); ++i) {
    size_t bytes = 0;
    if (found[i] != nullptr) {
      PARTITA_TRY(bytes, model::encoded_item_size(found[i]->value));
      PARTITA_TRY(bytes, charged_bytes(*plan.writes[i].table, found[i]->value, bytes));
    }
    written[i].existed = found[i] != nullptr;
    written[i].consumed.table = plan.writes[i].table->name;
    written[i].consumed.base.read = model::read_half_units(bytes, true);
  }
  return written;
}

bool is_empty_index_key(const Error& error) {
  const Fault fault = model::fault_of(error);
  return fault == Fault::kIndexKeyEmpty || fault == Fault::kUpdateIndexKeyEmpty;
}

// Checks a transaction's keys in DynamoDB's order: an item named twice, an empty key value, then all other reasons.
// `keys`: those of actions without a reason.
Result<void> check_keys(std::vector<std::string_view> keys, std::span<const Result<void>> values, Reasons reasons) {
  if (has_duplicates(std::move(keys))) return model::refuse(Fault::kTransactionDuplicateItem);
  for (const Result<void>& value : values) PARTITA_TRY_VOID(Result<void>(value));
  if (any(reasons)) return cancelled(std::move(reasons));
  return {};
}

// Measured: of several invalid actions only the first is reported.
void blame_first(Reasons& reasons) {
  bool blamed = false;
  for (auto& reason : reasons) {
    if (blamed) reason = {};
    blamed = blamed || reason.error.has_value();
  }
}

std::vector<Table> tables_of(std::span<const BoundWrite> writes) {
  std::vector<Table> tables;
  for (const auto& write : writes) tables.push_back(write.table);
  return tables;
}

// A transaction that loses this often to writers of large items is cancelled.
constexpr int kMostLooks = 8;

Error lost(const WritesPlan& plan) {
  Reasons reasons(plan.writes.size());
  for (auto& reason : reasons) reason.error = Error(ErrorKind::kConflict, "its items change all the time.");
  return cancelled(std::move(reasons));
}

Task<Result<api::WritesReply>> run_transaction(TableContext& context, const WritesPlan& plan,
                                               const std::vector<bool>& full) {
  const api::TransactWriteRequest& request = *plan.transaction;
  std::vector<Key> keys;
  for (const auto& write : plan.writes) keys.push_back(write.key);
  const bool with_token = !request.token.empty();
  PARTITA_CO_TRY(const ActiveTokens::Hold hold, context.tokens().enter(request.token, request.digest));
  if (with_token) keys.push_back(token_key(request.token));
  const int64_t now_ms = context.clock().now_ms();
  Precompute precompute(plan.writes, full);
  Attempt attempt;
  const auto decide = [&](std::span<const Record* const> found, Changes& changes, CountMoves& moves) {
    attempt = Attempt();
    if (with_token && !token_is_new(request, found.back(), now_ms, attempt)) {
      if (attempt.broken) return Decision::kRefuse;
      auto charges = replayed(plan, found);
      if (charges.ok()) {
        attempt.written = std::move(charges).value();
      } else {
        attempt.broken = std::move(charges).error();
      }
      return Decision::kRefuse;
    }
    attempt = evaluate(plan, full, precompute, found, now_ms, changes, moves);
    if (attempt.too_long || attempt.broken || any(attempt.reasons)) return Decision::kRefuse;
    if (with_token) changes.put(token_key(request.token), token_row(now_ms, request.digest));
    return Decision::kCommit;
  };
  const std::vector<Table> tables = tables_of(plan.writes);
  for (int looks = 0;; ++looks) {
    auto outcome = co_await commit(context.engine(), tables, keys, decide);
    if (!outcome.ok() && outcome.error().kind() == ErrorKind::kTooLarge) {
      co_return model::refuse(Fault::kTransactionItemsTooLarge);
    }
    if (!outcome.ok()) co_return std::move(outcome).error();
    if (!attempt.too_long) break;
    if (looks == kMostLooks) co_return lost(plan);
    PARTITA_CO_TRY_VOID(co_await precompute.run(context));
  }
  if (attempt.broken) co_return std::move(*attempt.broken);
  if (attempt.mismatched) co_return model::refuse(Fault::kTokenMismatch);
  if (any(attempt.reasons)) co_return cancelled(std::move(attempt.reasons));
  for (api::Written& written : attempt.written) written.consumed.twice();
  co_return api::WritesReply{std::move(attempt.written), {}, attempt.repeated, {}};
}

// A batch is not a transaction in DynamoDB. A large one is written in pieces, to bound memory and time.
constexpr size_t kMaxPieceBytes = size_t{8} << 20;

size_t piece_end(std::span<const BoundWrite> writes, size_t begin) {
  size_t bytes = 0;
  size_t end = begin;
  while (end < writes.size()) {
    bytes += api::named_bytes(*writes[end].action) * (1 + writes[end].table->indexes.size());
    if (end > begin && bytes > kMaxPieceBytes) break;
    ++end;
  }
  return end;
}

// Takes back what was added to the changes since they had that many writes and appends.
void cut(Changes& changes, size_t writes, size_t appends) {
  changes.writes().erase(changes.writes().begin() + static_cast<ptrdiff_t>(writes), changes.writes().end());
  changes.appends().erase(changes.appends().begin() + static_cast<ptrdiff_t>(appends), changes.appends().end());
}

// Adds the results to `written`; that of a write for which an index has no capacity is empty, and its error `throttle`.
// On failure, nothing of the piece is written.
Task<Result<void>> run_piece(TableContext& context, const WritesPlan& plan, size_t begin, size_t end,
                             const std::vector<bool>& full, std::vector<api::Written>& written,
                             std::optional<Error>& throttle) {
  const auto writes = std::span(plan.writes).subspan(begin, end - begin);
  std::vector<Key> keys;
  for (const auto& write : writes) keys.push_back(write.key);
  const int64_t now_ms = context.clock().now_ms();
  Result<void> refusal;
  const auto decide = [&](std::span<const Record* const> found, Changes& changes, CountMoves& moves) {
    written.resize(begin);
    refusal = Result<void>();
    for (size_t i = 0; i < writes.size(); ++i) {
      const size_t writes_before = changes.writes().size();
      const size_t appends_before = changes.appends().size();
      auto one = evaluate_one(writes[i], full[begin + i], found[i], now_ms, changes);
      if (!one.ok() && is_throttled(one.error())) {
        cut(changes, writes_before, appends_before);
        written.emplace_back();
        throttle = std::move(one).error();
        continue;
      }
      if (!one.ok()) {
        refusal = std::move(one).error();
        return Decision::kRefuse;
      }
      moves.add(*writes[i].table, one->change);
      written.push_back(reply_of(std::move(one).value()));
    }
    return Decision::kCommit;
  };
  const std::vector<Table> tables = tables_of(writes);
  auto outcome = co_await commit(context.engine(), tables, std::move(keys), decide);
  if (!outcome.ok()) refusal = std::move(outcome).error();
  if (!refusal.ok()) written.resize(begin);
  co_return refusal;
}

bool is_written(std::span<const api::Written> written, size_t i) {
  return i < written.size() && !written[i].consumed.table.empty();
}

std::vector<size_t> unprocessed_of(const WritesPlan& plan, std::span<const api::Written> written) {
  std::vector<size_t> unprocessed = plan.refused;
  for (size_t i = 0; i < plan.writes.size(); ++i) {
    if (is_written(written, i)) continue;
    unprocessed.push_back(plan.positions.empty() ? i : plan.positions[i]);
  }
  std::ranges::sort(unprocessed);
  return unprocessed;
}

Task<Result<api::WritesReply>> run_batch(TableContext& context, const WritesPlan& plan, const std::vector<bool>& full) {
  api::WritesReply outcome;
  std::optional<Error> throttle = plan.refusal;
  for (size_t begin = 0; begin < plan.writes.size(); begin = outcome.written.size()) {
    if (begin > 0) co_await Yield();
    size_t end = piece_end(plan.writes, begin);
    auto done = co_await run_piece(context, plan, begin, end, full, outcome.written, throttle);
    // The size of index rows is not known before.
    while (!done.ok() && done.error().kind() == ErrorKind::kTooLarge && end - begin > 1) {
      end = begin + (end - begin) / 2;
      done = co_await run_piece(context, plan, begin, end, full, outcome.written, throttle);
    }
    if (done.ok()) continue;
    // Earlier pieces must not be written again: other clients may have changed their items since.
    if (begin == 0 || !TableContext::binds_again(done.error())) co_return std::move(done).error();
    break;
  }
  outcome.unprocessed = unprocessed_of(plan, outcome.written);
  if (throttle && outcome.unprocessed.size() == plan.writes.size() + plan.refused.size()) {
    co_return *std::move(throttle);
  }
  co_return outcome;
}

// Each limited item collection that was written to once. The writes are done, so estimates that fail are left out.
Task<std::vector<api::ItemCollection>> collections_of(TableContext& context, const WritesPlan& plan,
                                                      std::span<const api::Written> written) {
  std::map<std::pair<std::string_view, std::string_view>, const BoundWrite*> distinct;
  for (size_t i = 0; i < plan.writes.size(); ++i) {
    const BoundWrite& write = plan.writes[i];
    if (!write.table->has_local_index() || !is_written(written, i)) continue;
    distinct.try_emplace({write.table->name, std::string_view(write.key.bytes).substr(0, write.key.place)}, &write);
  }
  std::vector<api::ItemCollection> collections;
  for (const auto& [place, write] : distinct) {
    auto collection = co_await collection_of(context, *write);
    if (collection.ok()) collections.push_back(std::move(collection).value());
  }
  co_return collections;
}

// This many items of maximum size are the most that a transaction may read.
constexpr size_t kReadAtOnce = model::kMaxTransactionBytes / model::kMaxItemBytes;

// Reads the sizes of more items first, a few at a time: all at once could exceed the limit ten times.
Task<Result<void>> check_read_size(TableContext& context, std::span<const Key> keys) {
  size_t bytes = 0;
  for (size_t at = 0; keys.size() > kReadAtOnce && at < keys.size(); at += kReadAtOnce) {
    if (at > 0) co_await Yield();
    const auto some = keys.subspan(at, std::min(kReadAtOnce, keys.size() - at));
    PARTITA_CO_TRY(const auto records, co_await context.engine().read(some));
    for (const std::optional<Record>& record : records) {
      if (!record) continue;
      PARTITA_CO_TRY(const size_t size, model::encoded_item_size(record->value));
      bytes += size;
    }
    if (bytes > model::kMaxTransactionBytes) co_return model::refuse(Fault::kTransactionItemsTooLarge);
  }
  co_return Result<void>();
}

Access access_of(const TransactGetPlan& plan, size_t i) {
  const api::TransactGetRequest::Part& part = plan.request->parts[i];
  Access access;
  access.verb = Verb::kGet;
  access.name = plan.tables[i]->name;
  access.table = plan.tables[i].get();
  access.item = &part.key;
  access.position = row_position(plan.keys[i]);
  access.projection = part.projection ? &*part.projection : nullptr;
  access.select = part.projection ? api::Select::kSpecific : api::Select::kAllAttributes;
  return access;
}

constexpr model::HalfUnits kTransactionFactor = 2;  // see ConsumedCapacity::twice()

// Reserves for each part of a transaction; one that is refused cancels it.
template <class Reserve>
Result<void> reserve_each(size_t parts, Reserve reserve) {
  std::optional<Reasons> reasons;
  for (size_t i = 0; i < parts; ++i) {
    auto reserved = reserve(i);
    if (reserved.ok()) continue;
    if (!is_throttled(reserved.error())) return reserved;
    if (!reasons) reasons.emplace(parts);
    (*reasons)[i].error = std::move(reserved).error();
  }
  if (reasons) return cancelled(*std::move(reasons));
  return {};
}

Result<void> reserve_batch(WritesPlan& plan, AccessChecker& checker) {
  std::vector<BoundWrite> admitted;
  for (size_t i = 0; i < plan.writes.size(); ++i) {
    auto reserved = checker.reserve(access_of(plan.writes[i]), least_cost(plan.writes[i]));
    if (!reserved.ok() && !is_throttled(reserved.error())) return reserved;
    if (!reserved.ok() && !plan.refusal) {
      // From here on the admitted ones are moved to a list of their own.
      plan.refusal = std::move(reserved).error();
      for (size_t k = 0; k < i; ++k) plan.positions.push_back(k);
      admitted.assign(std::make_move_iterator(plan.writes.begin()),
                      std::make_move_iterator(plan.writes.begin() + static_cast<ptrdiff_t>(i)));
      plan.refused.push_back(i);
    } else if (!reserved.ok()) {
      plan.refused.push_back(i);
    } else if (plan.refusal) {
      plan.positions.push_back(i);
      admitted.push_back(std::move(plan.writes[i]));
    }
  }
  if (!plan.refusal) return {};
  plan.writes = std::move(admitted);
  if (plan.writes.empty()) return *plan.refusal;
  return {};
}

}  // namespace

Result<WritesPlan> bind(const api::TransactWriteRequest& request, std::vector<Result<Table>> tables) {
  WritesPlan plan;
  plan.transaction = &request;
  plan.wants_collection_bytes = request.wants_collection_bytes;
  plan.writes.reserve(request.parts.size());
  for (size_t i = 0; i < request.parts.size(); ++i) {
    PARTITA_TRY(Table table, std::move(tables[i]));
    plan.writes.emplace_back(std::move(table), request.parts[i].action);
  }
  Reasons reasons(plan.writes.size());
  std::vector<std::string_view> keys;
  std::vector<Result<void>> values;
  for (size_t i = 0; i < plan.writes.size(); ++i) {
    BoundWrite& write = plan.writes[i];
    values.push_back(check_key_values(*write.table, write.named()));
    if (auto checked = check_write(write); !checked.ok()) {
      if (is_empty_index_key(checked.error())) values.push_back(checked);
      reasons[i].error = std::move(checked).error();
    } else {
      keys.push_back(write.key.bytes);
    }
  }
  blame_first(reasons);
  PARTITA_TRY_VOID(check_keys(std::move(keys), values, std::move(reasons)));
  return plan;
}

Result<WritesPlan> bind(const api::BatchWriteRequest& request, std::vector<Result<Table>> tables) {
  WritesPlan plan;
  plan.wants_collection_bytes = request.wants_collection_bytes;
  for (size_t i = 0; i < request.parts.size(); ++i) {
    PARTITA_TRY(const Table table, std::move(tables[i]));
    plan.writes.reserve(plan.writes.size() + request.parts[i].actions.size());
    for (const api::WriteAction& action : request.parts[i].actions) {
      // In a batch, DynamoDB reports a put's key like any other key.
      const bool put = action.kind == api::WriteAction::Kind::kPut;
      BoundWrite& write = plan.writes.emplace_back(table, action);
      PARTITA_TRY_VOID(put ? check_key_within(*table, write.named()) : check_key(*table, action.key));
      write.key = item_key(*table, write.named());
    }
    // Over all parts so far: a name and an ARN may mean the same table.
    std::vector<std::string_view> keys;
    for (const auto& write : plan.writes) keys.push_back(write.key.bytes);
    if (has_duplicates(std::move(keys))) return model::refuse(Fault::kBatchDuplicateKeys);
  }
  // Keys are checked above, and a deletion in a batch has nothing else.
  for (const BoundWrite& write : plan.writes) {
    if (write.action->kind == api::WriteAction::Kind::kPut) {
      PARTITA_TRY_VOID(check_index_keys(*write.table, write.needed));
    }
  }
  return plan;
}

Result<void> admit(WritesPlan& plan, AccessChecker& checker) {
  for (BoundWrite& write : plan.writes) {
    write.checker = &checker;
    PARTITA_TRY_VOID(checker.admit(access_of(write)));
  }
  if (plan.transaction == nullptr) return reserve_batch(plan, checker);
  // Their sizes are charged afterwards: DynamoDB carries out a transaction of 4 MB on a new table on demand.
  const model::HalfUnits least = kTransactionFactor * model::write_half_units(0);
  return reserve_each(plan.writes.size(), [&](size_t i) { return checker.reserve(access_of(plan.writes[i]), least); });
}

Task<Result<api::WritesReply>> run(TableContext& context, const WritesPlan& plan) {
  PARTITA_CO_TRY(const std::vector<bool> full, co_await full_collections(context, plan));
  Task<Result<api::WritesReply>> task =
      plan.transaction != nullptr ? run_transaction(context, plan, full) : run_batch(context, plan, full);
  PARTITA_CO_TRY(api::WritesReply outcome, co_await task);
  if (plan.wants_collection_bytes) outcome.collections = co_await collections_of(context, plan, outcome.written);
  co_return outcome;
}

void charge(const WritesPlan& plan, const api::WritesReply& outcome, AccessChecker& checker) {
  for (size_t i = 0; i < outcome.written.size(); ++i) {
    checker.charge(access_of(plan.writes[i]), outcome.written[i].consumed);
  }
}

void charge_refused(const WritesPlan& plan, const Error& refusal, AccessChecker& checker) {
  const auto* const detail = dynamic_cast<const TransactionCancelledDetail*>(refusal.detail().get());
  if (detail == nullptr) return;
  const bool by_condition = std::ranges::any_of(detail->reasons, [](const auto& reason) {
    return reason.error && model::fault_of(*reason.error) == Fault::kConditionFailed;
  });
  if (!by_condition) return;
  for (size_t i = 0; i < detail->reasons.size(); ++i) {
    api::ConsumedCapacity consumed;
    consumed.table = plan.writes[i].table->name;
    consumed.base.write = detail->reasons[i].charged;
    consumed.twice();
    checker.charge(access_of(plan.writes[i]), consumed);
  }
}

Result<TransactGetPlan> bind(const api::TransactGetRequest& request, std::vector<Result<Table>> tables) {
  TransactGetPlan plan{&request, {}, {}};
  for (auto& table : tables) {
    PARTITA_TRY(Table found, std::move(table));
    plan.tables.push_back(std::move(found));
  }
  Reasons reasons(request.parts.size());
  std::vector<Result<void>> values;
  for (size_t i = 0; i < request.parts.size(); ++i) {
    const auto& part = request.parts[i];
    values.push_back(check_key_values(*plan.tables[i], part.key));
    if (auto checked = check_key(*plan.tables[i], part.key); !checked.ok()) {
      reasons[i].error = std::move(checked).error();
    } else {
      plan.keys.push_back(item_key(*plan.tables[i], part.key));
    }
  }
  std::vector<std::string_view> keys;
  for (const Key& key : plan.keys) keys.push_back(key.bytes);
  PARTITA_TRY_VOID(check_keys(std::move(keys), values, std::move(reasons)));
  return plan;
}

Result<void> admit(const TransactGetPlan& plan, AccessChecker& checker) {
  for (size_t i = 0; i < plan.tables.size(); ++i) PARTITA_TRY_VOID(checker.admit(access_of(plan, i)));
  const model::HalfUnits least = kTransactionFactor * model::read_half_units(0, true);
  return reserve_each(plan.tables.size(), [&](size_t i) { return checker.reserve(access_of(plan, i), least); });
}

Task<Result<api::TransactGetReply>> run(TableContext& context, const TransactGetPlan& plan) {
  PARTITA_CO_TRY_VOID(co_await check_read_size(context, plan.keys));
  auto read = co_await context.engine().read(plan.keys);
  if (!read.ok()) co_return std::move(read).error();
  api::TransactGetReply outcome;
  TreesKept trees;
  outcome.items.resize(plan.keys.size());
  size_t bytes = 0;
  for (size_t i = 0; i < plan.keys.size(); ++i) {
    api::ReadItem& item = outcome.items[i];
    if (std::optional<Record>& record = (*read)[i]) {
      PARTITA_CO_TRY(item,
                     found_item(*plan.tables[i], std::move(record->value), plan.request->parts[i].projection, trees));
    }
    bytes += item.bytes;
    if (bytes > model::kMaxTransactionBytes) co_return model::refuse(Fault::kTransactionItemsTooLarge);
    outcome.consumed.push_back(read_charge(*plan.tables[i], std::span(&item, 1), true));
    outcome.consumed.back().twice();
  }
  co_return outcome;
}

void charge(const TransactGetPlan& plan, const api::TransactGetReply& outcome, AccessChecker& checker) {
  for (size_t i = 0; i < plan.tables.size(); ++i) checker.charge(access_of(plan, i), outcome.consumed[i]);
}

}  // namespace partita::table
