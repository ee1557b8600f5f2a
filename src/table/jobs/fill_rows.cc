#include "table/jobs/fill_rows.h"

#include <optional>
#include <utility>

#include "storage/ranges.h"
#include "table/rows/counts.h"
#include "table/rows/item_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr size_t kItemsAtOnce = 50;  // in one transaction
constexpr int64_t kRests = 3;        // a quarter of a core at most, and compaction of what is put comes on top

}  // namespace

Task<Result<std::optional<uint64_t>>> items_of(TableContext& context, const Job& job) {
  PARTITA_CO_TRY(const StoredCounts counts, co_await read_counts(context.engine(), job.table_id));
  co_return std::optional(static_cast<uint64_t>(counts.total.of(model::kBaseIndex).items));
}

Task<Result<storage::Page>> next_items(JobRun& run, Table table) {
  storage::Range range = storage::range_of(model::index_prefix(table->id, model::kBaseIndex));
  if (!run.job.cursor.empty()) range = storage::behind(run.job.cursor, std::move(range));
  co_return co_await run.engine().scan(range, storage::Direction::kAscending, JobRun::kPageRows, JobRun::kPageBytes);
}

Task<Result<JobRun::Stored>> fill_rows(JobRun& run, Table table, const storage::Page& page, HasRow has_row,
                                       PutRow put_row) {
  Job& job = run.job;
  for (size_t i = 0; i < page.size();) {
    const int64_t began_ns = run.clock().monotonic_ns();
    StepWrites batch;
    batch.compare = {{table_key(table->name), table->version}};
    Job after = job;
    for (; i < page.size() && batch.keys.size() < kItemsAtOnce; ++i) {
      const std::optional<model::Item> item = item_in(*table, page[i].value);
      if (item && has_row(*item)) batch.keys.push_back(item_key(*table, *item));
      after.cursor = page[i].key;
      ++after.done;
    }
    const std::vector<Key> keys = batch.keys;
    batch.decide = [&](std::span<const Record* const> found, Changes& changes) {
      after.counted = job.counted;
      for (size_t k = 0; k < keys.size(); ++k) {
        const auto item = found[k] == nullptr ? std::nullopt : item_in(*table, found[k]->value);
        if (!item || !has_row(*item)) continue;
        after.counted.bytes += static_cast<int64_t>(put_row(*item, keys[k], changes));
        ++after.counted.items;
      }
      return Decision::kCommit;
    };
    PARTITA_CO_TRY(const JobRun::Stored stepped, co_await run.store(after, std::move(batch)));
    if (stepped != JobRun::Stored::kDone) co_return stepped;
    job = std::move(after);
    co_await run.rest(began_ns, kRests);
  }
  co_return JobRun::Stored::kDone;
}

}  // namespace partita::table
