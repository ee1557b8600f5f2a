#include <algorithm>
#include <set>

#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/items/commit.h"
#include "table/items/expiry.h"
#include "table/items/write.h"
#include "table/jobs/upkeep.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/item_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr size_t kExpiredAtOnce = 25;  // in one transaction
constexpr size_t kExpiredRows = 100;   // before the job is stored again, which is to be well within its lease

// Whether the job is still about that table, and the table has TTL.
bool expires(const Table& table, const Job& job) {
  return table != nullptr && table->id == job.table_id && table->status != Status::kDeleting && table->ttl;
}

// Deletes the item if it expires when its row says, as any other deletion; else the row is of no use. True: it did.
Result<bool> delete_expired(const Table& table, const ExpiryRow& row, const Record* found, int64_t now_ms,
                            Changes& changes, CountMoves& moves) {
  const auto item = found == nullptr ? std::nullopt : item_in(*table, found->value);
  if (!item || expiry_of(*table->ttl, *item) != row.at_s) {
    changes.erase(row.key);
    return false;
  }
  WriteAction deletion;
  deletion.kind = WriteAction::Kind::kDelete;
  deletion.key = key_of(*table, *item);
  deletion.by_service = true;
  BoundWrite write(table, deletion);
  write.key = row.item;
  PARTITA_TRY(const Written written, evaluate_write(write, found, now_ms, changes));
  moves.add(*table, written.change);
  return true;
}

}  // namespace

// Puts a job for each table of which something is due. What expired longer ago than a minute is looked for only as
// often as costs no more than a twentieth of the time: many rows may have been erased there a moment ago.
Task<Result<void>> Upkeep::want_expiry() {
  constexpr int64_t kNewSeconds = 60;
  constexpr int64_t kShare = 20;
  const int64_t began_ns = clock_.monotonic_ns();
  const bool all = began_ns >= old_expiry_due_ns_;
  std::set<std::string> expiring;
  for (const Table& table : catalog_.all()) {
    if (!table->ttl || table->status == Status::kDeleting || !Catalog::check_features(*table).ok()) continue;
    expiring.insert(table->name);
    Job job;
    job.kind = JobKind::kExpire;
    job.table_id = table->id;
    job.table = table->name;
    if (mine_.contains(job_key(job).bytes)) continue;
    storage::Range due = due_rows(*table, clock_.now_ms(), all ? kOldestExpirySeconds : kNewSeconds);
    auto scanned = co_await engine_.scan(std::move(due), storage::Direction::kAscending, 1, 1);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    show_expiry(*table, page);
    if (page.empty()) continue;
    std::vector<storage::Compare> compare{{table_key(table->name), table->version}};
    PARTITA_CO_TRY_VOID(co_await put_job(engine_, std::move(job), std::move(compare)));
  }
  view_.saw_expiring(expiring);
  const int64_t ended_ns = clock_.monotonic_ns();
  if (all) old_expiry_due_ns_ = ended_ns + kShare * (ended_ns - began_ns);
  co_return Result<void>();
}

// `page` begins with the first row that is due, if any is. One that cannot be read is complained of by who does the
// job: it holds up no other.
void Upkeep::show_expiry(const TableInfo& table, const storage::Page& page) {
  constexpr int64_t kMsPerSecond = 1'000;
  int64_t late_ms = 0;
  if (!page.empty()) {
    const auto row = expiry_row_from(page[0].key, page[0].value);
    if (!row.ok()) return;
    late_ms = clock_.now_ms() - row->at_s * kMsPerSecond;
  }
  view_.saw_expiry(table.name, late_ms);
}

// Deletes what is due, a few items at a time, and rests as long as that took.
Task<Result<Upkeep::End>> Upkeep::expire(Job& job) {
  while (!background_.stopping()) {
    PARTITA_CO_TRY(const Table table, co_await catalog_.look_up(job.table));
    if (!expires(table, job)) co_return co_await finish(job);
    storage::Range due = due_rows(*table, clock_.now_ms());
    if (!job.cursor.empty() && job.cursor > due.begin) due = storage::behind(job.cursor, std::move(due));
    if (due.begin >= due.end) co_return co_await finish(job);
    auto scanned = co_await engine_.scan(std::move(due), storage::Direction::kAscending, kExpiredRows, kPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    show_expiry(*table, page);
    if (page.empty()) co_return co_await finish(job);
    PARTITA_CO_TRY_VOID(co_await expire_page(job, table, page));
    PARTITA_CO_TRY(const Stepped stepped, co_await step(job, {}));
    if (stepped == Stepped::kLost) co_return End::kLost;
  }
  co_return End::kStopped;
}

// Ends early when the table's description changed, or at a stop: the cursor says how far it came.
Task<Result<void>> Upkeep::expire_page(Job& job, Table table, const storage::Page& page) {
  for (size_t i = 0; i < page.size() && !background_.stopping();) {
    const int64_t began_ns = clock_.monotonic_ns();
    std::vector<ExpiryRow> rows;
    std::vector<Key> keys;
    std::set<std::string> named;
    std::string cursor = job.cursor;
    for (; i < page.size() && rows.size() < kExpiredAtOnce; ++i) {
      PARTITA_CO_TRY(ExpiryRow row, expiry_row_from(page[i].key, page[i].value));
      if (!named.insert(row.item.bytes).second) break;
      cursor = page[i].key;
      keys.push_back(row.item);
      rows.push_back(std::move(row));
    }
    uint64_t deleted = 0;
    Result<void> damage;
    const int64_t now_ms = clock_.now_ms();
    const auto evaluate = [&](std::span<const Record* const> found, Changes& changes, CountMoves& moves) {
      deleted = 0;
      damage = Result<void>();
      for (size_t k = 0; k < rows.size(); ++k) {
        const auto done = delete_expired(table, rows[k], found[k], now_ms, changes, moves);
        if (!done.ok()) {
          damage = done.error();
          return Decision::kRefuse;
        }
        deleted += *done;
      }
      return Decision::kCommit;
    };
    auto outcome = co_await commit(engine_, std::span(&table, 1), std::move(keys), evaluate);
    if (!outcome.ok() && TableContext::binds_again(outcome.error())) co_return Result<void>();
    if (!outcome.ok()) co_return std::move(outcome).error();
    if (!damage.ok()) co_return damage;
    job.cursor = std::move(cursor);
    job.done += deleted;
    co_await rest(began_ns, 1);
  }
  co_return Result<void>();
}

// As for an index: every write by a description with TTL keeps the rows, so one pass over the items that are there is
// enough.
Task<Result<Upkeep::End>> Upkeep::fill_expiry(Job& job) {
  while (!background_.stopping()) {
    PARTITA_CO_TRY(const Table table, co_await catalog_.look_up(job.table));
    if (!expires(table, job)) co_return co_await finish(job);
    storage::Range range = storage::range_of(model::index_prefix(table->id, model::kBaseIndex));
    if (!job.cursor.empty()) range = storage::behind(job.cursor, std::move(range));
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kPageRows, kPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    PARTITA_CO_TRY(const Stepped filled, co_await fill_expiry_page(job, table, page));
    if (filled == Stepped::kLost) co_return End::kLost;
    if (filled == Stepped::kDone && !page.more) co_return co_await finish(job);
    co_await background_.pass();
  }
  co_return End::kStopped;
}

Task<Result<Upkeep::Stepped>> Upkeep::fill_expiry_page(Job& job, Table table, const storage::Page& page) {
  const auto has_row = [&](const model::Item& item) { return expiry_of(*table->ttl, item).has_value(); };
  const auto put_row = [&](const model::Item& item, const Key& key, Changes& changes) {
    put_expiry_row(*table, key, *expiry_of(*table->ttl, item), changes);
    return size_t{0};
  };
  co_return co_await fill_rows(job, table, page, has_row, put_row);
}

// Only rows of runs that are over now: TTL may be switched on again at any time, which begins a later run.
Task<Result<Upkeep::End>> Upkeep::drop_expiry(Job& job) {
  PARTITA_CO_TRY(const Table table, co_await catalog_.look_up(job.table));
  if (table != nullptr && table->id == job.table_id) {
    const uint64_t last = table->ttl ? table->ttl->run - 1 : table->revision;
    auto erased = co_await engine_.erase_range(expiry_rows_upto(table->id, last));
    if (!erased.ok()) co_return std::move(erased).error();
  }
  co_return co_await finish(job);
}

}  // namespace partita::table
