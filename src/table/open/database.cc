#include "table/open/database.h"

#include <algorithm>

#include "model/fault.h"
#include "table/catalog/second_copies.h"
#include "table/maintenance/copy_store.h"

namespace partita::table {

namespace {

using model::Fault;

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kTallyAgeMs = 1'000;
// A vector index is seen backfilling, as its clients expect, by who looks when its table is no longer UPDATING.
constexpr int64_t kFillingSeen = 4;

struct BindAgain final : ErrorDetail {
  std::vector<std::string> tables;
};

Error again(std::vector<std::string> tables) {
  auto detail = std::make_shared<BindAgain>();
  detail->tables = std::move(tables);
  return Error(ErrorKind::kConflict, 0, {"a table changed meanwhile"}, std::move(detail));
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(storage::Engine& engine, const Clock& clock, Random& random,
                                                 Options options) {
  std::unique_ptr<Database> database(new Database(engine, clock, random, options));
  PARTITA_TRY_VOID(wait_for(refuse_half_copy(engine)));
  PARTITA_TRY_VOID(wait_for(database->catalog_.look_again()));
  PARTITA_TRY_VOID(wait_for(renew_second_copies(engine)));
  const UpkeepOptions upkeep{.deleting_ms = options.deleting_ms,
                             .filling_ms = kFillingSeen * options.updating_ms,
                             .late_ms = options.late_ms,
                             .lease_ms = options.lease_ms,
                             .look_ms = options.look_ms};
  database->upkeep_ = std::make_unique<Upkeep>(engine, database->catalog_, clock, random, upkeep);
  PARTITA_TRY_VOID(database->upkeep_->start());
  return database;
}

void Database::report(Exposition& out) const {
  const int64_t now_ns = clock_.monotonic_ns();
  out.gauge("partita_tables", "Tables of the store.", static_cast<double>(catalog_.all().size()));
  out.gauge("partita_catalog_age_seconds", "How long ago this server last read from the store which tables there are.",
            static_cast<double>(now_ns - catalog_.looked_at_ns()) / 1e9);
  out.histogram("partita_stream_read_age_seconds", "How old the newest record of a reply of GetRecords was.",
                stream_ages_.totals(), 1e-3);
  upkeep_->view().report(out, now_ns);
}

bool Database::is_late() const { return clock_.monotonic_ns() - catalog_.looked_at_ns() > options_.late_ms * kNsPerMs; }

int64_t Database::patience_ms() const {
  return std::max(options_.updating_ms, options_.deleting_ms) + kLongestMomentMs;
}

Result<Table> Database::ready_table(std::string_view name) const {
  Table table = catalog_.find(name);
  if (table == nullptr || is_late()) return again({std::string(name)});
  if (table->status == Status::kDeleting) return model::refuse(Fault::kResourceNotFound);
  PARTITA_TRY_VOID(Catalog::check_features(*table));
  return table;
}

bool Database::binds_again(const Error& error) {
  return dynamic_cast<const BindAgain*>(error.detail().get()) != nullptr;
}

Error Database::bind_again(std::span<const Table> tables) {
  std::vector<std::string> names;
  for (const Table& table : tables) names.push_back(table->name);
  std::ranges::sort(names);
  const auto doubled = std::ranges::unique(names);
  names.erase(doubled.begin(), doubled.end());
  return again(std::move(names));
}

Task<Result<void>> Database::before_binding_again(const Error& error) {
  const std::shared_ptr<const ErrorDetail> detail = error.detail();
  const auto* named = dynamic_cast<const BindAgain*>(detail.get());
  PARTITA_CHECK(named != nullptr);
  if (is_late()) {
    auto looked = co_await catalog_.look_again();
    if (!looked.ok()) co_return std::move(looked).error();
  }
  for (const std::string& name : named->tables) {
    auto newest = co_await catalog_.look_up(name);
    if (!newest.ok()) co_return std::move(newest).error();
    if (*newest == nullptr) co_return model::refuse(Fault::kResourceNotFound);
  }
  co_return Result<void>();
}

Task<Result<Table>> Database::idle_table(std::string name) {
  constexpr int64_t kPollMs = 2;
  Table table = catalog_.find(name);
  for (int64_t waited_ms = 0; waited_ms < patience_ms(); waited_ms += kPollMs) {
    // Only the store says that there is none: another server may have made one.
    if (table == nullptr) {
      PARTITA_CO_TRY(table, co_await catalog_.look_up(name));
    }
    if (table == nullptr || table->status_at(clock_.now_ms()) == Status::kActive) break;
    co_await upkeep_->background().sleep(kPollMs);
    table = catalog_.find(name);
  }
  co_return table;
}

Task<Result<Table>> Database::newest_table(std::string name) {
  PARTITA_CO_TRY_VOID(co_await idle_table(name));
  co_return co_await catalog_.look_up(std::move(name));
}

Task<Result<Table>> Database::settled_table(std::string name) {
  PARTITA_CO_TRY(const Table table, co_await idle_table(std::move(name)));
  if (table != nullptr) PARTITA_CO_TRY_VOID(co_await hear_counts(table, true));
  co_return table;
}

Task<Result<void>> Database::hear_counts(Table table, bool newest) {
  const int64_t now_ns = clock_.monotonic_ns();
  const int64_t heard_ns = table->tally->heard_ns.load(std::memory_order_relaxed);
  if (!newest && heard_ns != 0 && now_ns - heard_ns < kTallyAgeMs * kNsPerMs) co_return Result<void>();
  auto read = co_await read_counts(engine_, table->id);
  PARTITA_CO_TRY(const StoredCounts stored, std::move(read));
  auto hear = [&](uint16_t id, Tally& tally) {
    tally.items = stored.total.of(id).items;
    tally.bytes = stored.total.of(id).bytes;
  };
  hear(model::kBaseIndex, *table->tally);
  for (const auto& index : table->indexes) hear(index.id, *index.tally);
  PARTITA_CO_TRY_VOID(co_await hear_progress(table));
  table->tally->heard_ns = now_ns;
  if (stored.rows > kManyCountRows && table->status != Status::kDeleting) {
    co_return co_await upkeep_->sum_up_counts(table);
  }
  co_return Result<void>();
}

// Of an index that is being filled: what it holds so far.
Task<Result<void>> Database::hear_progress(Table table) {
  std::vector<storage::Key> keys;
  std::vector<Tally*> tallies;
  for (const auto& index : table->indexes) {
    if (index.status != Status::kCreating || !index.backfilling) continue;
    keys.push_back(job_key(JobKind::kFillIndex, table->id, index.id));
    tallies.push_back(index.tally.get());
  }
  if (keys.empty()) co_return Result<void>();
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!records[i]) continue;
    PARTITA_CO_TRY(const Job job, job_from(keys[i].bytes, records[i]->value));
    tallies[i]->items = job.counted.items;
    tallies[i]->bytes = job.counted.bytes;
  }
  co_return Result<void>();
}

}  // namespace partita::table
