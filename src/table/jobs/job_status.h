// The jobs of the store as this server last saw them, for its operator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/exposition.h"
#include "base/mutex.h"
#include "storage/engine.h"
#include "table/jobs/job_type.h"
#include "table/rows/job_row.h"

namespace partita::table {

struct JobProgress {
  Job job;
  std::string_view kind;                  // static storage
  std::string description;                // "filling index 3 of table T"
  std::optional<uint64_t> total;          // rows; absent: nobody knows
  std::optional<double> rows_per_second;  // of the last seconds; absent: it was seen only once
  bool mine = false;                      // this server runs it
  int64_t untouched_ns = 0;               // since progress was stored
};

// Callable from any thread.
class JobStatus {
 public:
  // The rows outlive it.
  explicit JobStatus(const std::vector<JobRow>& types) : types_(types) {}

  // All jobs as the store has them, by any server; `mine`: the keys of those that this server runs.
  void saw_jobs(const storage::Page& rows, const std::set<std::string>& mine, int64_t now_ns);
  // This server runs the job from now on. Its end is seen at the next look.
  void began(const std::string& key);

  // The metrics of all jobs, and those of each kind's JobType::report().
  void report(Exposition& out, int64_t now_ns) const;
  // "filling index 3 of table T: 120 rows" for each job that is known here.
  std::vector<std::string> lines() const;
  // The same jobs, without their totals.
  std::vector<JobProgress> progress(int64_t now_ns) const;

 private:
  struct Seen {
    Job job;
    storage::Version version{};
    int64_t since_ns = 0;  // when it was first seen so
    bool mine = false;
    // What the rate is measured from.
    int64_t mark_ns = 0;
    uint64_t mark_done = 0;
    std::optional<double> rows_per_second;
  };

  static Seen seen_again(const Seen& before, Seen now, int64_t now_ns);

  const JobRow& type_of(JobKind kind) const;

  const std::vector<JobRow>& types_;
  mutable Mutex mutex_;
  std::map<std::string, Seen> jobs_ PARTITA_GUARDED_BY(mutex_);  // by their keys
};

}  // namespace partita::table
