#include <algorithm>

#include "storage/ranges.h"
#include "table/jobs/index_job.h"
#include "table/jobs/job_type.h"
#include "table/rows/vector_rows.h"
#include "table/vectors/vector_log.h"

namespace partita::table {

namespace {

// Takes the index out of the catalogue, then erases its rows.
Task<Result<StepEnd>> erase_index(JobRun& run) {
  Job& job = run.job;
  if (!job.forgotten) {
    if (!co_await run.wait(run.options().deleting_ms)) co_return StepEnd::kStopped;
    job.forgotten = true;
    const Catalog::Change forget = [job](TableInfo& info) -> Result<void> {
      const IndexInfo* dropped = index_of(info, job);
      if (dropped == nullptr || dropped->status != Status::kDeleting) return gone(job);
      std::erase_if(info.indexes, [&](const IndexInfo& index) { return index.id == job.index_id; });
      note_vectors(info);
      return {};
    };
    const Catalog::AttachedWrite here = run.attached_write(false);
    const auto forgotten = co_await run.catalog().change(job.table, forget, &here);
    if (!forgotten.ok() && forgotten.error().kind() == ErrorKind::kConflict) co_return StepEnd::kLost;
    if (!forgotten.ok() && forgotten.error().kind() != ErrorKind::kInvalid) co_return forgotten.error();
  }
  if (!co_await run.wait(run.options().late_ms)) co_return StepEnd::kStopped;
  auto erased = co_await run.engine().erase_range(storage::range_of(model::index_prefix(job.table_id, job.index_id)));
  if (!erased.ok()) co_return std::move(erased).error();
  PARTITA_CO_TRY_VOID(co_await forget_vector_log(run.engine(), job.table_id, job.index_id));
  co_return co_await run.finish();
}

class DropIndex final : public JobType {
 public:
  std::string describe(const Job& job) const override {
    return "dropping index " + std::to_string(job.index_id) + " of table " + job.table;
  }
  Task<Result<StepEnd>> step(JobRun& run) override { return erase_index(run); }
};

}  // namespace

std::unique_ptr<JobType> drop_index() { return std::make_unique<DropIndex>(); }

}  // namespace partita::table
