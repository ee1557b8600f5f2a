#include "table/catalog/table_context.h"

#include <algorithm>

#include "model/fault.h"
#include "table/rows/job_row.h"

namespace partita::table {

namespace {

using model::Fault;

constexpr int64_t kTallyAgeMs = 1'000;

struct BindAgain final : ErrorDetail {
  std::vector<std::string> tables;
};

Error again(std::vector<std::string> tables) {
  auto detail = std::make_shared<BindAgain>();
  detail->tables = std::move(tables);
  return Error(ErrorKind::kConflict, 0, {"a table changed meanwhile"}, std::move(detail));
}

}  // namespace

bool TableContext::is_late() const {
  return clock_.monotonic_ns() - catalog_.looked_at_ns() > options_.late_ms * kNsPerMs;
}

int64_t TableContext::patience_ms() const {
  return std::max(options_.updating_ms, options_.deleting_ms) + kLongestMomentMs;
}

Result<Table> TableContext::ready_table(std::string_view name) const {
  Table table = catalog_.find(name);
  if (table == nullptr || is_late()) return again({std::string(name)});
  if (table->status == Status::kDeleting) return model::refuse(Fault::kResourceNotFound);
  PARTITA_TRY_VOID(Catalog::check_features(*table));
  return table;
}

bool TableContext::binds_again(const Error& error) {
  return dynamic_cast<const BindAgain*>(error.detail().get()) != nullptr;
}

Error TableContext::bind_again(std::span<const Table> tables) {
  std::vector<std::string> names;
  for (const Table& table : tables) names.push_back(table->name);
  std::ranges::sort(names);
  const auto doubled = std::ranges::unique(names);
  names.erase(doubled.begin(), doubled.end());
  return again(std::move(names));
}

Task<Result<void>> TableContext::before_binding_again(const Error& error) {
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

Task<Result<Table>> TableContext::idle_table(std::string name) {
  constexpr int64_t kPollMs = 2;
  Table table = catalog_.find(name);
  for (int64_t waited_ms = 0; waited_ms < patience_ms(); waited_ms += kPollMs) {
    // Only the store says that there is none: another server may have made one.
    if (table == nullptr) {
      PARTITA_CO_TRY(table, co_await catalog_.look_up(name));
    }
    if (table == nullptr || table->status_at(clock_.now_ms()) == Status::kActive) break;
    co_await background_.sleep(kPollMs);
    table = catalog_.find(name);
  }
  co_return table;
}

Task<Result<Table>> TableContext::newest_table(std::string name) {
  PARTITA_CO_TRY_VOID(co_await idle_table(name));
  co_return co_await catalog_.look_up(std::move(name));
}

Task<Result<Table>> TableContext::settled_table(std::string name) {
  PARTITA_CO_TRY(const Table table, co_await idle_table(std::move(name)));
  if (table != nullptr) PARTITA_CO_TRY_VOID(co_await refresh_tallies(table, true));
  co_return table;
}

Task<Result<void>> TableContext::refresh_tallies(Table table, bool newest) {
  const int64_t now_ns = clock_.monotonic_ns();
  const int64_t read_ns = table->tally->read_ns.load(std::memory_order_relaxed);
  if (!newest && read_ns != 0 && now_ns - read_ns < kTallyAgeMs * kNsPerMs) co_return Result<void>();
  auto read = co_await read_counts(engine_, table->id);
  PARTITA_CO_TRY(const StoredCounts stored, std::move(read));
  auto set = [&](uint16_t id, Tally& tally) {
    tally.items = stored.total.of(id).items;
    tally.bytes = stored.total.of(id).bytes;
  };
  set(model::kBaseIndex, *table->tally);
  for (const auto& index : table->indexes) set(index.id, *index.tally);
  PARTITA_CO_TRY_VOID(co_await refresh_progress(table));
  table->tally->read_ns = now_ns;
  if (stored.rows > kManyCountRows && table->status != Status::kDeleting) {
    co_return co_await sum_up_counts(table);
  }
  co_return Result<void>();
}

Task<Result<void>> TableContext::sum_up_counts(Table table) {
  Job job;
  job.kind = JobKind::kCount;
  job.table_id = table->id;
  job.table = table->name;
  std::vector<storage::Compare> compare{{table_key(table->name), table->version}};
  PARTITA_CO_TRY_VOID(co_await put_job(engine_, std::move(job), std::move(compare)));
  wake_jobs();
  co_return Result<void>();
}

// Indexes that are being filled: the progress of their jobs.
Task<Result<void>> TableContext::refresh_progress(Table table) {
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
