#include <string>
#include <utility>

#include "table/jobs/job_type.h"

namespace partita::table {

#define PARTITA_JOB(kind, letter, name) std::unique_ptr<JobType> name();
#define PARTITA_JOB_ABOVE(kind, letter, name)
#include "table/rows/job_kinds.inc"
#undef PARTITA_JOB_ABOVE
#undef PARTITA_JOB

namespace {

// Where nobody does the jobs of a kind, they are only listed.
class LeftToOthers final : public JobType {
 public:
  explicit LeftToOthers(std::string name) : name_(std::move(name)) {}
  std::string describe(const Job& job) const override {
    return name_ + ' ' + std::to_string(job.index_id) + " of table " + job.table;
  }
  bool runs_here() const override { return false; }

 private:
  const std::string name_;
};

std::unique_ptr<JobType> made_above(const DatabaseOptions& options, JobKind kind, const char* name) {
  std::unique_ptr<JobType> made = options.make_job ? options.make_job(kind) : nullptr;
  return made != nullptr ? std::move(made) : std::make_unique<LeftToOthers>(name);
}

}  // namespace

std::vector<JobRow> all_job_types(const DatabaseOptions& options) {
  std::vector<JobRow> rows;
#define PARTITA_JOB_ABOVE(kind, letter, name) \
  rows.push_back({JobKind::kind, #name, made_above(options, JobKind::kind, #name)});
#define PARTITA_JOB(kind, letter, name) rows.push_back({JobKind::kind, #name, name()});
#include "table/rows/job_kinds.inc"
#undef PARTITA_JOB
#undef PARTITA_JOB_ABOVE
  return rows;
}

Task<Result<StepEnd>> JobType::step(JobRun& run) { co_return co_await run.finish(); }
Task<Result<std::optional<uint64_t>>> JobType::total(TableContext& /*context*/, const Job& /*job*/) const {
  co_return std::optional<uint64_t>();
}
Task<Result<void>> JobType::find(JobSearch& /*search*/) { co_return Result<void>(); }

}  // namespace partita::table
