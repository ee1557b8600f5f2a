#include "sinks/carry_job.h"

#include <map>
#include <new>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "base/workers.h"
#include "sinks/carriage.h"
#include "sinks/change_carriage.h"
#include "sinks/kinesis_streaming.h"
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
constexpr size_t kMostThreads = 128;  // each carries one sink at a time, or waits for an engine that hangs
// Each waits for the other end of one slice, so there is one for every slice, whatever the others wait for.
constexpr size_t kMostChangeThreads = kMostChangeSinks * table::kSinkSlices;

class CarryJob final : public table::JobType {
 public:
  CarryJob(FindDestination find, FindChangeDestination find_changes, std::string region)
      : find_(std::move(find)), find_changes_(std::move(find_changes)), region_(std::move(region)) {}

  std::string describe(const Job& job) const override;
  Task<Result<StepEnd>> step(JobRun& run) override;
  Task<Result<void>> find(table::JobSearch& search) override;
  int64_t find_every_ms() const override { return kFindMs; }
  void report(Exposition& out, int64_t /*now_ns*/) const override { meters_.report(out); }
  bool runs_here() const override { return !gave_up_; }
  void hurry() override { stop_.request_stop(); }
  table::JobLog log_level() const override { return table::JobLog::kDebug; }

 private:
  Task<Result<std::unique_ptr<SinkCarriage>>> begin(JobRun& run);

  const FindDestination find_;
  const FindChangeDestination find_changes_;
  const std::string region_;
  SinkMeters meters_;
  std::stop_source stop_;
  bool gave_up_ = false;  // a sink; until others have had the time to take it
  Workers workers_{kMostThreads};
  Workers change_workers_{kMostChangeThreads};
  // By the job's claim, of the background thread alone.
  std::map<uint64_t, std::unique_ptr<SinkCarriage>> carriages_;
};

std::string CarryJob::describe(const Job& job) const {
  const auto progress = progress_from(job.carried);
  const std::string sink = progress.ok() && !progress->sink.empty() ? progress->sink : std::to_string(job.index_id);
  const bool fills = progress.ok() && progress->filling;
  std::string text = (fills ? "filling sink " : "carrying sink ") + sink + " of table " + job.table;
  const auto figures = meters_.find(job.table, sink);
  const bool stands = figures && (figures->state == SinkState::kFailed || figures->state == SinkState::kPaused);
  return stands ? text + " (" + std::string(name_of(figures->state)) + ")" : text;
}

// Either kind removes what is left of a sink without a row.
Task<Result<std::unique_ptr<SinkCarriage>>> CarryJob::begin(JobRun& run) {
  const std::vector<storage::Key> keys{table::sink_row_key(run.job.table_id, run.job.index_id)};
  PARTITA_CO_TRY(const auto records, co_await run.engine().read(keys));
  bool changes = false;
  if (records[0]) {
    PARTITA_CO_TRY(const table::Sink sink, table::sink_from(records[0]->value));
    changes = sink.changes;
  }
  std::unique_ptr<SinkCarriage> made;
  if (changes) {
    ChangeCarriageTools tools{change_workers_, meters_, find_changes_, region_, stop_.get_token()};
    made = std::make_unique<ChangeCarriage>(std::move(tools), run);
  } else {
    CarriageTools tools{workers_, meters_, find_, stop_.get_token()};
    made = std::make_unique<Carriage>(std::move(tools), run);
  }
  co_return made;
}

Task<Result<StepEnd>> CarryJob::step(JobRun& run) {
  const uint64_t claim = run.job.claim;
  if (!carriages_.contains(claim)) {
    PARTITA_CO_TRY(carriages_[claim], co_await begin(run));
  }
  SinkCarriage& one = *carriages_.at(claim);
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

// Sinks without a job, such as those of a store that was salvaged; and Kinesis streams that could not be used.
Task<Result<void>> CarryJob::find(table::JobSearch& search) {
  gave_up_ = false;
  std::set<std::string> streaming;
  storage::Engine& engine = search.context().engine();
  storage::RangeCursor cursor(engine, table::system_rows(table::SystemRow::kSink));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    const auto sink = table::sink_from(cursor.row().value);
    if (!sink.ok()) continue;
    if (sink->owner == kKinesisOwner) streaming.insert(sink->table);
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
  for (const std::string& name : streaming) {
    const auto settled = co_await settle_kinesis(search.context(), name);
    // The table may have been deleted.
    if (!settled.ok() && settled.error().kind() != ErrorKind::kInvalid) co_return settled.error();
  }
  co_return Result<void>();
}

}  // namespace

std::unique_ptr<table::JobType> make_carry_job(FindDestination find, FindChangeDestination find_changes,
                                               std::string region) {
  return std::make_unique<CarryJob>(std::move(find), std::move(find_changes), std::move(region));
}

std::function<std::unique_ptr<table::JobType>(table::JobKind)> job_maker(std::string region, KinesisDefaults kinesis) {
  if (region.empty()) region = kUsualRegion;
  const FindChangeDestination find_changes = find_with_kinesis(std::move(kinesis));
  return [region, find_changes](table::JobKind kind) {
    return kind == table::JobKind::kCarry ? make_carry_job(find_destination, find_changes, region) : nullptr;
  };
}

}  // namespace partita::sinks
