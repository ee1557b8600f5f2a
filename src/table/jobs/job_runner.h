// Runs the jobs of the store, side by side with each other and with those of other servers, and looks for new ones from
// time to time: its own, or those of a server that died. A job whose row has not changed for `lease_ms` is taken over.
// That time is measured on this server's monotonic clock, from when it saw the row, so clocks need not agree. On a
// store that no other process uses (DatabaseOptions::exclusive), what a former process left claimed is taken over at
// once.
//
// It knows no kind of job by name: see job_type.h.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/catalog/table_context.h"
#include "table/jobs/job_run.h"
#include "table/jobs/job_status.h"
#include "table/jobs/job_type.h"
#include "table/rows/job_row.h"

namespace partita::table {

class JobRunner final : private JobSearch {
 public:
  // The context outlives it.
  explicit JobRunner(TableContext& context);
  // Interrupts the jobs where they are and releases them.
  ~JobRunner();

  // Once. Error: kUnavailable, if the system makes no thread.
  Result<void> start();
  // There may be something to do: looks at once. Callable from any thread.
  void wake();
  // All jobs, by any server, with their progress. Callable from any thread.
  Task<Result<std::vector<Job>>> all();
  const JobStatus& status() const { return status_; }
  // The jobs of status(), and how much each has to do. Callable from any thread.
  Task<Result<std::vector<JobProgress>>> progress();

  // Looks for work now. Only for the background thread.
  Task<void> look();

 private:
  // When this server first saw a row as it is.
  struct FirstSeen {
    storage::Version version;
    int64_t since_ns;
  };

  TableContext& context() override { return context_; }
  bool runs(const storage::Key& job) const override { return mine_.contains(job.bytes); }

  Task<void> watch();
  Task<void> find_work();
  Task<Result<void>> look_for_jobs();
  void complain(std::string_view what, const Error& error);
  void complain_of_row(std::string_view key);
  bool is_free(const std::string& key, const Job& job, storage::Version version);
  JobType& type_of(JobKind kind);

  Task<void> work(Job job, storage::Version seen);
  Task<Result<bool>> claim(const Job& job, storage::Version seen);
  Task<Result<StepEnd>> take_steps(JobRun& run);
  Task<Result<void>> tell_progress(JobRun& run, int64_t& told_ns);
  // What the store says of the job. False: another server has it.
  Task<Result<bool>> reload(Job& job);
  Task<void> release(Job job);

  TableContext& context_;
  storage::Engine& engine_;
  const Clock& clock_;
  Background& background_;
  const std::vector<JobRow> types_;
  JobStatus status_{types_};

  // Of the background thread alone.
  std::set<std::string> mine_;              // keys of the jobs that this server runs
  std::map<std::string, FirstSeen> seen_;   // of the others
  std::map<JobKind, int64_t> find_due_ns_;  // when each kind looks for work again
  LogThrottle complaints_{10'000};
  LogThrottle damages_{60'000};
};

}  // namespace partita::table
