#include "table/jobs/store_job.h"

namespace partita::table {

Task<Result<void>> want_if_any(JobSearch& search, JobKind kind, SystemRow rows) {
  storage::Engine& engine = search.context().engine();
  auto scanned = co_await engine.scan(system_rows(rows), storage::Direction::kAscending, 1, 1);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  if (page.empty()) co_return Result<void>();
  Job job;
  job.kind = kind;
  co_return co_await put_job(engine, std::move(job), {});
}

}  // namespace partita::table
