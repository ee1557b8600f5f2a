// A kind of job: how it finds work, one resumable step, and how its progress is logged. "A job" in docs/architecture.md
// lists what a new kind takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exposition.h"
#include "base/result.h"
#include "base/task.h"
#include "table/jobs/job_run.h"
#include "table/rows/job_row.h"

namespace partita::table {

// When a job's begin and end are logged at level info: always; if it processed rows; never. Otherwise they are logged
// at level debug.
enum class JobLog : uint8_t { kAll, kIfRowsDone, kDebug };

// What find() is given. Only for the background thread.
class JobSearch {
 public:
  virtual TableContext& context() = 0;
  // Whether this server runs that job now.
  virtual bool runs(const storage::Key& job) const = 0;

 protected:
  ~JobSearch() = default;
};

// Each runner, so each open database, has one object of each kind. Jobs of a kind run side by side, as coroutines of
// the background thread: what one job must remember belongs into its Job. Only describe(), total() and report() are
// called from any thread.
class JobType {
 public:
  virtual ~JobType() = default;

  // "filling index 3 of table T". The log appends the job's begin, progress and end; the lines of `partita status`
  // append the number of rows done (Job::done).
  virtual std::string describe(const Job& job) const = 0;

  // Does the next part of the job. Before it returns kMore, it stores the progress with run.store(), in the transaction
  // of its own changes if it has any. When nothing is left, it returns run.finish(). It stores the progress at least
  // every second: a job whose row does not change for Options::lease_ms is taken over. Work that costs more than a few
  // reads ends with run.rest(). After an error, the runner reads the job again and calls step() again.
  //
  // A step that was cut off is repeated from the stored progress, so what it changes outside run.store() may be changed
  // twice. The table may be gone, or be a new one of the same name: compare its id with the job's.
  //
  // The default finishes the job.
  virtual Task<Result<StepEnd>> step(JobRun& run);
  // The value that Job::done will have at the job's end; absent, the default, if it is unknown. ListJobs shows it, and
  // so does the log, every ten seconds.
  virtual Task<Result<std::optional<uint64_t>>> total(TableContext& context, const Job& job) const;

  // Creates a job with put_job() for each piece of work that is due, or does the work at once. Every server that has
  // the store open calls it; the catalogue has just been read. After a job has ended, the next call must see that its
  // work is done, or it creates the job again. After an error, it is called again at the next look.
  //
  // The default does nothing, for kinds whose jobs a change of a table creates (put_jobs() in catalog/catalog.cc).
  virtual Task<Result<void>> find(JobSearch& search);
  // The pause between two calls of find(). 0: it is called at each look of the runner (Options::look_ms).
  static constexpr int64_t kOnlyAtStart = -1;
  virtual int64_t find_every_ms() const { return 0; }
  // False: the first call comes after the first pause instead of at the start.
  virtual bool finds_at_start() const { return true; }

  // Metrics of this kind, in addition to those that all kinds have (JobStatus::report()).
  virtual void report(Exposition& /*out*/, int64_t /*now_ns*/) const {}

  // Whether steps of such jobs may be done by this server.
  virtual bool runs_here() const { return true; }
  // The runner is about to stop: steps in progress end soon. Called from any thread.
  virtual void hurry() {}

  virtual JobLog log_level() const { return JobLog::kAll; }
};

struct JobRow {
  JobKind kind;
  std::string_view name;  // in metrics
  std::unique_ptr<JobType> type;

  // Whether the store has rows of that kind.
  bool is_stored() const { return table::is_stored(kind); }
};

// All kinds: rows/job_kinds.inc.
std::vector<JobRow> all_job_types(const DatabaseOptions& options = {});

}  // namespace partita::table
