// Work that outlives a request, as it is kept in the store: a row for each job, made in the transaction that makes the
// work necessary and erased in the one that ends it. Any server may do it, one at a time: whoever does has written its
// claim into the row, and every step checks that claim and keeps the progress in its own transaction. So a step is
// never done twice with effect, and whoever takes the job over goes on where it was.
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
  kFillIndex = 'f',    // fills a new index from the table's items and makes it ACTIVE
  kDropIndex = 'x',    // forgets an index that is DELETING, then erases its rows
  kDropTable = 'd',    // erases the rows of a table that was deleted
  kCount = 'c',        // counts what is `counting`, and sums up count rows that change no more
  kSweepTokens = 's',  // erases tokens whose lifetime is over
  kTendStreams = 't',  // erases records of streams whose lifetime is over; closes shards and opens others
  kFillExpiry = 'l',   // makes the expiry rows of items that were there before TTL was switched on
  kDropExpiry = 'k',   // erases expiry rows once TTL is switched off
  kExpire = 'e',       // deletes items that have expired
};

struct Job {
  JobKind kind = JobKind::kCount;
  uint32_t table_id = 0;
  uint16_t index_id = 0;  // of kFillIndex and kDropIndex
  std::string table;      // its name

  uint64_t claim = 0;               // of whoever does it; 0: nobody
  std::string cursor;               // the last row that is done
  uint64_t done = 0;                // rows done so far, to be reported
  Count counted;                    // of kFillIndex: the rows that it put so far; of kCount: those that are there
  bool forgotten = false;           // drops: the catalogue knows it no more, what is left is to erase
  std::vector<std::string> topics;  // of kDropTable: logs to be forgotten with it

  // Of kCount.
  uint16_t counting = 0;  // the index that is being counted
  uint64_t run = 0;       // 0: none is; see counting_topic()
  uint64_t ended_at = 0;  // the revision from which writers do not note their changes any more; 0: they do
  storage::Position position;
};

storage::Key job_key(JobKind kind, uint32_t table_id, uint16_t index_id);
storage::Key job_key(const Job& job);
std::string job_row(const Job& job);
// Errors: kCorrupt; kInvalid (reason 0) for a job of a kind that this build does not know.
Result<Job> job_from(std::string_view key, std::string_view row);
// Stores the job unless it is there already or what is compared differs.
Task<Result<void>> put_job(storage::Engine& engine, Job job, std::vector<storage::Compare> compare);
// "filling index 3 of table T", for the operator.
std::string describe(const Job& job);
// "the job's row f of table 2, index 3", where it cannot be read.
std::string describe_row(std::string_view key);

}  // namespace partita::table
