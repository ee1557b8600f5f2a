#include "table/jobs/job_type.h"

namespace partita::table {

#define PARTITA_JOB(kind, letter, name) std::unique_ptr<JobType> name();
#include "table/rows/job_kinds.inc"
#undef PARTITA_JOB

std::vector<JobRow> all_job_types() {
  std::vector<JobRow> rows;
#define PARTITA_JOB(kind, letter, name) rows.push_back({JobKind::kind, #name, name()});
#include "table/rows/job_kinds.inc"
#undef PARTITA_JOB
  return rows;
}

Task<Result<StepEnd>> JobType::step(JobRun& run) { co_return co_await run.finish(); }
Task<Result<std::optional<uint64_t>>> JobType::total(TableContext& /*context*/, const Job& /*job*/) const {
  co_return std::optional<uint64_t>();
}
Task<Result<void>> JobType::find(JobSearch& /*search*/) { co_return Result<void>(); }

}  // namespace partita::table
