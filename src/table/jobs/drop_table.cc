#include "storage/ranges.h"
#include "table/control/policy.h"
#include "table/jobs/job_type.h"
#include "table/rows/counts.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/sink_rows.h"
#include "table/rows/system_rows.h"
#include "table/vectors/vector_log.h"

namespace partita::table {

namespace {

using storage::Key;

Task<Result<StepEnd>> erase_table(JobRun& run) {
  Job& job = run.job;
  if (!job.forgotten) {  // by a version that left a table in the catalogue for a moment
    if (!co_await run.wait(run.options().deleting_ms)) co_return StepEnd::kStopped;
    PARTITA_CO_TRY(const Table table, co_await run.catalog().look_up(job.table));
    job.forgotten = true;
    if (table != nullptr && table->id == job.table_id && table->status == Status::kDeleting) {
      for (const Counting& one : table->counting) {
        auto topic = co_await run.engine().forget_log(counting_topic(table->id, one.index, one.run));
        if (!topic.ok()) co_return std::move(topic).error();
      }
      for (const IndexInfo& index : table->indexes) {
        if (index.vector) PARTITA_CO_TRY_VOID(co_await forget_vector_log(run.engine(), table->id, index.id));
      }
      const Catalog::AttachedWrite here = run.attached_write(false);
      auto forgotten = co_await run.catalog().forget(table, here);
      if (!forgotten.ok() && forgotten.error().kind() == ErrorKind::kConflict) co_return StepEnd::kLost;
      if (!forgotten.ok()) co_return std::move(forgotten).error();
    }
  }
  if (!co_await run.wait(run.options().late_ms)) co_return StepEnd::kStopped;
  for (const std::string& topic : job.topics) {
    auto gone = co_await run.engine().forget_log(topic);
    if (!gone.ok()) co_return std::move(gone).error();
  }
  std::string prefix = model::index_prefix(job.table_id, model::kBaseIndex);
  prefix.resize(sizeof(job.table_id));
  auto erased = co_await run.engine().erase_range(storage::range_of(std::move(prefix)));
  if (!erased.ok()) co_return std::move(erased).error();
  // The policies of its streams last as long as those.
  const Key policy = policy_key(job.table_id, {});
  for (storage::Range rows : {count_rows(job.table_id), storage::just(policy.bytes),
                              storage::just(second_copy(policy).bytes), sink_rows(job.table_id),
                              second_sink_rows(job.table_id), expiry_rows(job.table_id), trimmed_rows(job.table_id)}) {
    auto beside = co_await run.engine().erase_range(std::move(rows));
    if (!beside.ok()) co_return std::move(beside).error();
  }
  co_return co_await run.finish();
}

class DropTable final : public JobType {
 public:
  std::string describe(const Job& job) const override { return "dropping table " + job.table; }
  Task<Result<StepEnd>> step(JobRun& run) override { return erase_table(run); }
};

}  // namespace

std::unique_ptr<JobType> drop_table() { return std::make_unique<DropTable>(); }

}  // namespace partita::table
