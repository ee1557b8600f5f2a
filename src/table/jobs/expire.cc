#include <algorithm>
#include <map>
#include <set>

#include "base/exposition.h"
#include "base/mutex.h"
#include "storage/ranges.h"
#include "table/items/commit.h"
#include "table/items/expiry.h"
#include "table/items/write.h"
#include "table/jobs/expiry_job.h"
#include "table/jobs/job_type.h"
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

// Deletes the item if it expires when its row says, as any other deletion; else the row is of no use. True: it did.
Result<bool> delete_expired(const Table& table, const ExpiryRow& row, const Record* found, int64_t now_ms,
                            Changes& changes, CountMoves& moves) {
  const auto item = found == nullptr ? std::nullopt : item_in(*table, found->value);
  if (!item || expiry_of(*table->ttl, *item) != row.at_s) {
    changes.erase(row.key);
    return false;
  }
  api::WriteAction deletion;
  deletion.kind = api::WriteAction::Kind::kDelete;
  deletion.key = key_of(*table, *item);
  deletion.by_service = true;
  BoundWrite write(table, deletion);
  write.key = row.item;
  PARTITA_TRY(const EvaluatedWrite written, evaluate_write(write, found, now_ms, changes));
  moves.add(*table, written.change);
  return true;
}

// Ends early when the table's description changed, or at a stop: the cursor says how far it came.
Task<Result<void>> expire_page(JobRun& run, Table table, const storage::Page& page) {
  Job& job = run.job;
  for (size_t i = 0; i < page.size() && !run.stopping();) {
    const int64_t began_ns = run.clock().monotonic_ns();
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
    const int64_t now_ms = run.clock().now_ms();
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
    auto outcome = co_await commit(run.engine(), std::span(&table, 1), std::move(keys), evaluate);
    if (!outcome.ok() && TableContext::binds_again(outcome.error())) co_return Result<void>();
    if (!outcome.ok()) co_return std::move(outcome).error();
    if (!damage.ok()) co_return damage;
    job.cursor = std::move(cursor);
    job.done += deleted;
    table->meters->expire(deleted);
    co_await run.rest(began_ns, 1);
  }
  co_return Result<void>();
}

// For how long the next item to be deleted has been expired, by table. Callable from any thread.
class ExpiryLateness {
 public:
  // `page` begins with the first row that is due, if any is. A row that cannot be read is reported by the job.
  void saw(const TableInfo& table, const storage::Page& page, int64_t now_ms) {
    constexpr int64_t kMsPerSecond = 1'000;
    int64_t late_ms = 0;
    if (!page.empty()) {
      const auto row = expiry_row_from(page[0].key, page[0].value);
      if (!row.ok()) return;
      late_ms = now_ms - row->at_s * kMsPerSecond;
    }
    const MutexLock lock(mutex_);
    late_ms_[table.name] = std::max<int64_t>(0, late_ms);
  }
  void keep_only(const std::set<std::string>& tables) {
    const MutexLock lock(mutex_);
    std::erase_if(late_ms_, [&](const auto& one) { return !tables.contains(one.first); });
  }
  void report(Exposition& out) const {
    constexpr double kMsPerSecond = 1'000;
    const MutexLock lock(mutex_);
    for (const auto& [table, late_ms] : late_ms_) {
      out.gauge("partita_ttl_late_seconds", "Time since the next item to be deleted expired.",
                static_cast<double>(late_ms) / kMsPerSecond, {{"table", table}});
    }
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, int64_t> late_ms_ PARTITA_GUARDED_BY(mutex_);
};

class Expire final : public JobType {
 public:
  std::string describe(const Job& job) const override { return "deleting what expired of table " + job.table; }
  Task<Result<StepEnd>> step(JobRun& run) override;
  Task<Result<void>> find(JobSearch& search) override;
  void report(Exposition& out, int64_t /*now_ns*/) const override { lateness_.report(out); }
  JobLog log_level() const override { return JobLog::kDebug; }

 private:
  ExpiryLateness lateness_;
  int64_t old_due_ns_ = 0;  // when items that expired long ago are looked for again
};

// Creates a job for each table with expired items. What expired longer ago than a minute is looked for only as
// often as costs no more than a twentieth of the time: many rows may have been erased there a moment ago.
Task<Result<void>> Expire::find(JobSearch& search) {
  TableContext& context = search.context();
  constexpr int64_t kNewSeconds = 60;
  constexpr int64_t kShare = 20;
  const int64_t began_ns = context.clock().monotonic_ns();
  const bool all = began_ns >= old_due_ns_;
  std::set<std::string> expiring;
  for (const Table& table : context.catalog().all()) {
    if (!table->ttl || table->status == Status::kDeleting || !Catalog::check_features(*table).ok()) continue;
    expiring.insert(table->name);
    Job job;
    job.kind = JobKind::kExpire;
    job.table_id = table->id;
    job.table = table->name;
    if (search.runs(job_key(job))) continue;
    storage::Range due = due_rows(*table, context.clock().now_ms(), all ? kOldestExpirySeconds : kNewSeconds);
    auto scanned = co_await context.engine().scan(std::move(due), storage::Direction::kAscending, 1, 1);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    lateness_.saw(*table, page, context.clock().now_ms());
    if (page.empty()) continue;
    std::vector<storage::Compare> compare{{table_key(table->name), table->version}};
    PARTITA_CO_TRY_VOID(co_await put_job(context.engine(), std::move(job), std::move(compare)));
  }
  lateness_.keep_only(expiring);
  const int64_t ended_ns = context.clock().monotonic_ns();
  if (all) old_due_ns_ = ended_ns + kShare * (ended_ns - began_ns);
  co_return Result<void>();
}

// Deletes what is due, a few items at a time, and rests as long as that took.
Task<Result<StepEnd>> Expire::step(JobRun& run) {
  Job& job = run.job;
  PARTITA_CO_TRY(const Table table, co_await run.catalog().look_up(job.table));
  if (!expires(table, job)) co_return co_await run.finish();
  storage::Range due = due_rows(*table, run.clock().now_ms());
  if (!job.cursor.empty() && job.cursor > due.begin) due = storage::behind(job.cursor, std::move(due));
  if (due.begin >= due.end) co_return co_await run.finish();
  auto scanned =
      co_await run.engine().scan(std::move(due), storage::Direction::kAscending, kExpiredRows, JobRun::kPageBytes);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  lateness_.saw(*table, page, run.clock().now_ms());
  if (page.empty()) co_return co_await run.finish();
  PARTITA_CO_TRY_VOID(co_await expire_page(run, table, page));
  PARTITA_CO_TRY(const JobRun::Stored stepped, co_await run.store(job, {}));
  if (stepped == JobRun::Stored::kLost) co_return StepEnd::kLost;
  co_return StepEnd::kMore;
}

}  // namespace

std::unique_ptr<JobType> expire() { return std::make_unique<Expire>(); }

}  // namespace partita::table
