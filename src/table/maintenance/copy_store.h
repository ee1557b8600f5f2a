// Copies a whole store to another engine: all rows and logs, with the positions of log entries, so that stream sequence
// numbers stay valid. Rows of servers (is_of_servers()) are left out, and snapshots if several servers may use the
// copy, since these do not support them.
//
// A mark row is written first and erased last, after the copy has been read back. Database::open refuses a store with
// the mark. It also holds the progress, so that an interrupted copy resumes: it is updated in the transaction of the
// copied rows, and after log entries, which may be restored twice.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"

namespace partita::table {

// The size of one table in a store. Table 0 is the catalogue.
struct CopiedPart {
  uint64_t rows = 0;  // or entries
  uint64_t bytes = 0;
  uint64_t checksum = 0;  // of keys and values, independent of their order
  bool operator==(const CopiedPart&) const = default;
};

struct CopyReport {
  std::map<uint32_t, CopiedPart> tables;  // by id
  CopiedPart logs;
  uint64_t left_out = 0;  // snapshots
  bool resumed = false;
};

struct CopyProgress {
  bool verifying = false;
  uint64_t rows = 0;  // and entries, so far
  uint64_t bytes = 0;
};

struct StoreCopyOptions {
  std::string from_name;                  // for sentences
  std::string from_mark;                  // identifies the source when a copy resumes
  std::vector<std::string> former_marks;  // the same, as older versions wrote it
  bool snapshots = true;                  // false: they are left out
  size_t page_rows = 1'000;
  size_t page_bytes = size_t{1} << 20;
  // Called after the comparison, before the copy becomes usable: an error if another process may have used the stores.
  std::function<Result<void>()> still_alone;
  // Called after each page. False: stop; the copy can be resumed.
  std::function<bool(const CopyProgress&)> progress;
};

// The stores must not be in use: the final comparison finds a change of `from`, and the copy must then start over.
// Errors, one sentence each: kInvalid (reason 0) for stores that cannot be copied from or to; kTooLarge if log entries
// exceed the limits of `to`, before anything is written; kConflict for a difference; kUnavailable after a stop; those
// of the engines.
Task<Result<CopyReport>> copy_store(storage::Engine& from, storage::Engine& to, StoreCopyOptions options);

// The range of the rows to copy.
storage::Range copied_rows(bool snapshots);

// Error: kInvalid (reason 0), with one sentence, for a store that cannot be copied to any other. `name`: the store's
// name in the sentence.
Task<Result<void>> refuse_copying(storage::Engine& from, std::string name);

// Error: kInvalid (reason 0), with one sentence, for an incomplete copy.
Task<Result<void>> refuse_half_copy(storage::Engine& engine);

}  // namespace partita::table
