#include "table/jobs/job_type.h"
#include "table/jobs/store_job.h"
#include "table/vectors/vector_log.h"

namespace partita::table {

namespace {

// Any number of servers may do it at once.
Task<Result<void>> trim_logs(TableContext& context) {
  for (const Table& table : context.catalog().all()) {
    for (const IndexInfo& index : table->indexes) {
      const bool kept = index.vector && index.status != Status::kDeleting && table->status != Status::kDeleting;
      if (kept) PARTITA_CO_TRY_VOID(co_await trim_vector_log(context.engine(), table->id, index.id));
    }
  }
  co_return Result<void>();
}

class TrimVectorLogs final : public JobType {
 public:
  std::string describe(const Job& /*job*/) const override { return "trimming the logs of vector indexes"; }
  Task<Result<void>> find(JobSearch& search) override { return trim_logs(search.context()); }
  int64_t find_every_ms() const override { return kMinuteMs; }
  bool finds_at_start() const override { return false; }
};

}  // namespace

std::unique_ptr<JobType> trim_vector_logs() { return std::make_unique<TrimVectorLogs>(); }

}  // namespace partita::table
