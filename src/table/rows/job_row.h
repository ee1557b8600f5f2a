// Jobs as the store holds them: work that outlives a request. A row for each job is written in the transaction that
// makes the work necessary and erased in the one that ends it. Any server may run a job, one at a time: it writes its
// claim into the row, and every step checks the claim and stores the progress in its own transaction. So no step takes
// effect twice, and a server that takes the job over resumes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/rows/counts.h"

namespace partita::table {

enum class JobKind : char {
#define PARTITA_JOB(kind, letter, name) kind = letter,
#include "table/rows/job_kinds.inc"
#undef PARTITA_JOB
};

struct Job {
  JobKind kind = JobKind::kCount;
  uint32_t table_id = 0;
  uint16_t index_id = 0;  // of kFillIndex and kDropIndex
  std::string table;      // its name

  uint64_t claim = 0;               // of the server that runs it; 0: none
  std::string cursor;               // the last row that is done
  uint64_t done = 0;                // rows done so far, to be reported
  Count counted;                    // of kFillIndex: the rows that it put so far; of kCount: those that are there
  bool forgotten = false;           // drops: no longer in the catalogue; its rows are left to erase
  std::vector<std::string> topics;  // of kDropTable: logs to be forgotten with it

  // Of kCount.
  uint16_t counting = 0;  // the index that is being counted
  uint64_t run = 0;       // 0: none is; see counting_topic()
  uint64_t ended_at = 0;  // the revision from which writers no longer note their changes; 0: they do
  storage::Position position;
};

storage::Key job_key(JobKind kind, uint32_t table_id, uint16_t index_id);
storage::Key job_key(const Job& job);
std::string job_row(const Job& job);
// Errors: kCorrupt; kInvalid (reason 0) for a job of a kind that this build does not know.
Result<Job> job_from(std::string_view key, std::string_view row);
// Stores the job unless it is there already or what is compared differs.
Task<Result<void>> put_job(storage::Engine& engine, Job job, std::vector<storage::Compare> compare);
// "the job's row f of table 2, index 3", where it cannot be read.
std::string describe_row(std::string_view key);

}  // namespace partita::table
