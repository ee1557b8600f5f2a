#include "sinks/carry_job.h"

#include <map>
#include <new>
#include <stop_token>
#include <string>
#include <utility>

#include "base/workers.h"
#include "sinks/carriage.h"
#include "sinks/sink_meters.h"
#include "storage/range_cursor.h"
#include "table/rows/job_row.h"
#include "table/rows/system_rows.h"

namespace partita::sinks {

namespace {

using table::Job;
using table::JobRun;
using table::StepEnd;

constexpr int64_t kFindMs = 10'000;
constexpr size_t kMostThreads = 16;  // each carries one sink at a time

class CarryJob final : public table::JobType {
 public:
  explicit CarryJob(FindDestination find) : find_(std::move(find)) {}

  std::string describe(const Job& job) const override;
  Task<Result<StepEnd>> step(JobRun& run) override;
  Task<Result<void>> find(table::JobSearch& search) override;
  int64_t find_every_ms() const override { return kFindMs; }
  void report(Exposition& out, int64_t /*now_ns*/) const override { meters_.report(out); }
  bool runs_here() const override { return !gave_up_; }
  void hurry() override { stop_.request_stop(); }
  table::JobLog log_level() const override { return table::JobLog::kDebug; }

 private:
  const FindDestination find_;
  SinkMeters meters_;
  std::stop_source stop_;
  bool gave_up_ = false;  // a sink; until others have had the time to take it
  Workers workers_{kMostThreads};
  // By the job's claim, of the background thread alone.
  std::map<uint64_t, std::unique_ptr<Carriage>> carriages_;
};

std::string CarryJob::describe(const Job& job) const {
  const auto progress = progress_from(job.carried);
  const std::string sink = progress.ok() && !progress->sink.empty() ? progress->sink : std::to_string(job.index_id);
  const bool fills = progress.ok() && progress->filling;
  return (fills ? "filling sink " : "carrying sink ") + sink + " of table " + job.table;
}

Task<Result<StepEnd>> CarryJob::step(JobRun& run) {
  const uint64_t claim = run.job.claim;
  std::unique_ptr<Carriage>& carriage = carriages_[claim];
  if (carriage == nullptr) {
    carriage = std::make_unique<Carriage>(CarriageTools{workers_, meters_, find_, stop_.get_token()}, run);
  }
  Carriage& one = *carriage;
  Result<StepEnd> end = Error(ErrorKind::kUnavailable, "there is no memory for it");
  try {
    end = co_await one.step(run);
  } catch (const std::bad_alloc&) {
    // The carriage begins again from what is stored.
  }
  if (end.ok() && *end == StepEnd::kStopped) gave_up_ = true;
  if (!end.ok() || *end != StepEnd::kMore) carriages_.erase(claim);
  co_return end;
}

// Sinks without a job, such as those of a store that was salvaged.
Task<Result<void>> CarryJob::find(table::JobSearch& search) {
  gave_up_ = false;
  storage::Engine& engine = search.context().engine();
  storage::RangeCursor cursor(engine, table::system_rows(table::SystemRow::kSink));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) co_return Result<void>();
    const auto sink = table::sink_from(cursor.row().value);
    if (!sink.ok()) continue;
    Job job;
    job.kind = table::JobKind::kCarry;
    job.table_id = sink->table_id;
    job.index_id = sink->number;
    job.table = sink->table;
    if (search.runs(table::job_key(job))) continue;
    Progress progress;
    progress.sink = sink->name;
    job.carried = encode(progress);
    std::vector<storage::Compare> none;
    PARTITA_CO_TRY_VOID(co_await table::put_job(engine, std::move(job), std::move(none)));
  }
}

}  // namespace

std::unique_ptr<table::JobType> make_carry_job(FindDestination find) {
  return std::make_unique<CarryJob>(std::move(find));
}

std::unique_ptr<table::JobType> make_job(table::JobKind kind) {
  return kind == table::JobKind::kCarry ? make_carry_job() : nullptr;
}

}  // namespace partita::sinks
