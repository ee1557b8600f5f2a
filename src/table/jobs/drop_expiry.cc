#include "table/jobs/job_type.h"
#include "table/rows/expiry_rows.h"

namespace partita::table {

namespace {

// Only rows of runs that are over now: TTL may be switched on again at any time, which begins a later run.
Task<Result<StepEnd>> erase_expiry_rows(JobRun& run) {
  const Job& job = run.job;
  PARTITA_CO_TRY(const Table table, co_await run.catalog().look_up(job.table));
  if (table != nullptr && table->id == job.table_id) {
    const uint64_t last = table->ttl ? table->ttl->run - 1 : table->revision;
    auto erased = co_await run.engine().erase_range(expiry_rows_upto(table->id, last));
    if (!erased.ok()) co_return std::move(erased).error();
  }
  co_return co_await run.finish();
}

class DropExpiry final : public JobType {
 public:
  std::string describe(const Job& job) const override { return "dropping the expiry rows of table " + job.table; }
  Task<Result<StepEnd>> step(JobRun& run) override { return erase_expiry_rows(run); }
};

}  // namespace

std::unique_ptr<JobType> drop_expiry() { return std::make_unique<DropExpiry>(); }

}  // namespace partita::table
