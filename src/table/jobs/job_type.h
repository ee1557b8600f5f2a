// What a kind of job is: its name, how it is described, one resumable step, how work for it is found, and how its
// progress reads. To add one, derive from JobType in a file of its own and add a row to rows/job_kinds.inc; the runner,
// metrics and status lines need no change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/exposition.h"
#include "base/result.h"
#include "base/task.h"
#include "table/jobs/job_run.h"
#include "table/rows/job_row.h"

namespace partita::table {

// How much the log says of jobs of a kind.
enum class JobLog : uint8_t { kAll, kIfRowsDone, kDebug };

// Looking for work, on the background thread.
class JobSearch {
 public:
  virtual TableContext& context() = 0;
  // Whether this server runs that job now.
  virtual bool runs(const storage::Key& job) const = 0;

 protected:
  ~JobSearch() = default;
};

// One object for each runner. Called on the background thread, but for report().
class JobType {
 public:
  virtual ~JobType() = default;

  // "filling index 3 of table T", for the log.
  virtual std::string describe(const Job& job) const = 0;

  // One step, after which the progress is stored: a step that does not return is done again. Long enough to be worth
  // its transaction, and well within the lease.
  virtual Task<Result<StepEnd>> step(JobRun& run);
  // "120 of 3000 items so far", for the log from time to time; empty: nothing is logged.
  virtual Task<Result<std::string>> progress(JobRun& run);

  // Looks for what is due, and stores jobs for it (put_job()), or does it at once. Any number of servers may.
  virtual Task<Result<void>> find(JobSearch& search);
  // How long after the last time. 0: as often as the runner looks for jobs.
  static constexpr int64_t kOnlyAtStart = -1;
  virtual int64_t find_every_ms() const { return 0; }
  // Whether find() is called at the start.
  virtual bool finds_at_start() const { return true; }

  // Metrics of its own, beside those that every kind has. Callable from any thread.
  virtual void report(Exposition& /*out*/, int64_t /*now_ns*/) const {}

  virtual JobLog log_level() const { return JobLog::kAll; }
};

struct JobRow {
  JobKind kind;
  std::string_view name;  // in metrics
  std::unique_ptr<JobType> type;

  bool is_stored() const { return kind != JobKind{}; }
};

// All kinds: rows/job_kinds.inc.
std::vector<JobRow> all_job_types();

}  // namespace partita::table
