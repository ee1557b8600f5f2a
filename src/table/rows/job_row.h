// Jobs as the store holds them: work that outlives a request. The transaction that makes a job necessary writes its
// row; the one that ends it erases the row. One server at a time runs a job: it writes its claim into the row, and
// every step checks the claim and stores the progress in its own transaction. No step therefore takes effect twice, and
// a server that takes the job over resumes it.
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
#define PARTITA_JOB_ABOVE PARTITA_JOB
#include "table/rows/job_kinds.inc"
#undef PARTITA_JOB_ABOVE
#undef PARTITA_JOB
};
// Whether the store has rows of that kind.
constexpr bool is_stored(JobKind kind) { return static_cast<char>(kind) >= ' '; }

// `cursor` and `done` serve every kind. A kind that must remember more adds a member here, in job_row() and job_from(),
// and in docs/formats/catalogue.md. A row without a member, as older versions wrote it, gets its default.
struct Job {
  // The key: there is at most one job of a kind for each table and index.
  JobKind kind = JobKind::kCount;
  uint32_t table_id = 0;  // 0: the whole store
  uint16_t index_id = 0;  // of kFillIndex and kDropIndex; of kCarry: the number of the sink

  std::string table;                // its name; the table label of metrics
  uint64_t claim = 0;               // of the server that runs it; 0: none
  std::string cursor;               // the key of the last row that is done
  uint64_t done = 0;                // rows done so far, for the log, `partita status` and metrics
  Count counted;                    // of kFillIndex: the rows put so far; of kCount: the rows counted so far
  bool forgotten = false;           // of kDropIndex and kDropTable: the catalogue no longer has it, but its rows remain
  std::vector<std::string> topics;  // of kDropTable: logs to be forgotten with the table

  std::string carried;  // of kCarry: the progress of the sink (src/sinks/progress.h)

  // Of kCount.
  uint16_t counting = 0;  // the index that is being counted
  uint64_t run = 0;       // 0: none is; see counting_topic()
  uint64_t ended_at = 0;  // the revision from which writers no longer log their changes; 0: they still do
  storage::Position position;
};

storage::Key job_key(JobKind kind, uint32_t table_id, uint16_t index_id);
storage::Key job_key(const Job& job);
std::string job_row(const Job& job);
// Errors: kCorrupt; kInvalid (reason 0) for a job of a kind that this build does not know.
Result<Job> job_from(std::string_view key, std::string_view row);
// Stores the job, unless the store has a job with its key or a compared key differs.
Task<Result<void>> put_job(storage::Engine& engine, Job job, std::vector<storage::Compare> compare);
// "the job's row f of table 2, index 3", where it cannot be read.
std::string describe_row(std::string_view key);

}  // namespace partita::table
