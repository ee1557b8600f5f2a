#include "table/items/expiry.h"
#include "table/jobs/expiry_job.h"
#include "table/jobs/fill_rows.h"
#include "table/jobs/job_type.h"
#include "table/rows/expiry_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Key;

Task<Result<JobRun::Stored>> fill_expiry_page(JobRun& run, Table table, const storage::Page& page) {
  const auto has_row = [&](const model::Item& item) { return expiry_of(*table->ttl, item).has_value(); };
  const auto put_row = [&](const model::Item& item, const Key& key, Changes& changes) {
    put_expiry_row(*table, key, *expiry_of(*table->ttl, item), changes);
    return size_t{0};
  };
  co_return co_await fill_rows(run, table, page, has_row, put_row);
}

// As for an index: every write by a description with TTL keeps the rows, so one pass over the items that are there is
// enough.
Task<Result<StepEnd>> fill_expiry_next(JobRun& run) {
  PARTITA_CO_TRY(const Table table, co_await run.catalog().look_up(run.job.table));
  if (!expires(table, run.job)) co_return co_await run.finish();
  PARTITA_CO_TRY(const storage::Page page, co_await next_items(run, table));
  PARTITA_CO_TRY(const JobRun::Stored filled, co_await fill_expiry_page(run, table, page));
  if (filled == JobRun::Stored::kLost) co_return StepEnd::kLost;
  if (filled == JobRun::Stored::kDone && !page.more) co_return co_await run.finish();
  co_return StepEnd::kMore;
}

class FillExpiry final : public JobType {
 public:
  std::string describe(const Job& job) const override { return "finding what expires of table " + job.table; }
  Task<Result<StepEnd>> step(JobRun& run) override { return fill_expiry_next(run); }
  Task<Result<std::optional<uint64_t>>> total(TableContext& context, const Job& job) const override {
    return items_of(context, job);
  }
};

}  // namespace

std::unique_ptr<JobType> fill_expiry() { return std::make_unique<FillExpiry>(); }

}  // namespace partita::table
