#include <algorithm>

#include "model/item_codec.h"
#include "table/jobs/fill_rows.h"
#include "table/jobs/index_job.h"
#include "table/jobs/job_type.h"
#include "table/rows/counts.h"
#include "table/rows/item_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

// A vector index is seen backfilling, as its clients expect, even if they look only once the table is ACTIVE again.
constexpr int64_t kSeenFilling = 4;

// The index that the job fills, or null when there is nothing more to fill.
const IndexInfo* index_to_fill(const Table& table, const Job& job) {
  if (table == nullptr || table->id != job.table_id || table->status == Status::kDeleting) return nullptr;
  const auto found = std::ranges::find(table->indexes, job.index_id, &IndexInfo::id);
  return found == table->indexes.end() || found->status != Status::kCreating ? nullptr : &*found;
}

Task<Result<JobRun::Stored>> fill_page(JobRun& run, Table table, uint16_t index_id, const storage::Page& page) {
  const IndexInfo& index = *std::ranges::find(table->indexes, index_id, &IndexInfo::id);
  const auto has_row = [&](const model::Item& item) { return index_key(*table, index, item).has_value(); };
  const auto put_row = [&](const model::Item& item, const Key&, Changes& changes) {
    const model::Item view = index_view(*table, index, item);
    changes.put(*index_key(*table, index, item), model::encode_item(view));
    return model::item_size(view);
  };
  co_return co_await fill_rows(run, table, page, has_row, put_row);
}

// What it put is not all that there is: others wrote meanwhile. It is what is shown until the rows are counted. A
// damaged row is left to who counts.
Task<Result<JobRun::Stored>> estimate_filled(JobRun& run) {
  const Job& job = run.job;
  StepWrites guess;
  guess.keys = {base_count_key(job.table_id)};
  guess.decide = [&](std::span<const Record* const> found, Changes& changes) {
    auto counts = found[0] == nullptr ? Result<Counts>(Counts()) : decode_counts(found[0]->value);
    if (!counts.ok()) return Decision::kCommit;
    counts->set(job.index_id, job.counted);
    std::string row;
    encode_counts(*counts, row);
    changes.put(base_count_key(job.table_id), std::move(row));
    return Decision::kCommit;
  };
  co_return co_await run.store(job, std::move(guess));
}

Task<Result<StepEnd>> end_fill(JobRun& run) {
  const Job& job = run.job;
  PARTITA_CO_TRY(const JobRun::Stored guessed, co_await estimate_filled(run));
  if (guessed == JobRun::Stored::kLost) co_return StepEnd::kLost;
  const Catalog::Change end = [job](TableInfo& info) -> Result<void> {
    IndexInfo* filled = index_of(info, job);
    if (filled == nullptr || filled->status != Status::kCreating) return gone(job);
    filled->status = Status::kActive;
    filled->backfilling = false;
    // Writers could not know which rows were there already.
    Catalog::start_counting(info, job.index_id);
    return {};
  };
  const Catalog::AttachedWrite last = run.attached_write(true);
  const auto ended = co_await run.catalog().change(job.table, end, &last);
  if (!ended.ok() && ended.error().kind() == ErrorKind::kConflict) co_return StepEnd::kLost;
  if (!ended.ok() && ended.error().kind() == ErrorKind::kInvalid) co_return co_await run.finish();
  if (!ended.ok()) co_return ended.error();
  run.context().wake_jobs();
  co_return StepEnd::kDone;
}

// Every write by a description with the index in it keeps its rows; a write by one without it never happens after the
// index is in the catalogue. So one pass over the items that are there is enough.
Task<Result<StepEnd>> fill_next(JobRun& run) {
  const Job& job = run.job;
  PARTITA_CO_TRY(const Table table, co_await run.catalog().look_up(job.table));
  const IndexInfo* index = index_to_fill(table, job);
  if (index == nullptr) co_return co_await run.finish();
  if (!index->backfilling) {
    const Catalog::Change begin = [job](TableInfo& info) -> Result<void> {
      IndexInfo* filled = index_of(info, job);
      if (filled == nullptr || filled->status != Status::kCreating) return gone(job);
      filled->backfilling = true;
      return {};
    };
    const bool seen = index->vector.has_value();
    const auto begun = co_await run.catalog().change(job.table, begin);
    if (!begun.ok() && begun.error().kind() != ErrorKind::kInvalid) co_return begun.error();
    if (seen && !co_await run.wait(kSeenFilling * run.options().updating_ms)) co_return StepEnd::kStopped;
    co_return StepEnd::kMore;
  }
  PARTITA_CO_TRY(const storage::Page page, co_await next_items(run, table));
  PARTITA_CO_TRY(const JobRun::Stored filled, co_await fill_page(run, table, index->id, page));
  if (filled == JobRun::Stored::kLost) co_return StepEnd::kLost;
  if (filled == JobRun::Stored::kDone && !page.more) co_return co_await end_fill(run);
  co_return StepEnd::kMore;
}

class FillIndex final : public JobType {
 public:
  std::string describe(const Job& job) const override {
    return "filling index " + std::to_string(job.index_id) + " of table " + job.table;
  }
  Task<Result<StepEnd>> step(JobRun& run) override { return fill_next(run); }
  Task<Result<std::optional<uint64_t>>> total(TableContext& context, const Job& job) const override {
    return items_of(context, job);
  }
};

}  // namespace

std::unique_ptr<JobType> fill_index() { return std::make_unique<FillIndex>(); }

}  // namespace partita::table
