// Moves a whole store to another engine: all rows and all logs, with the positions of their entries, so that what
// clients know of streams stays true. But for snapshots, where several servers may use the copy: those have none, and
// nobody could delete them.
//
// The copy says so of itself, in a row that is written first and erased last, when everything has been read back: a
// database on half a copy is never opened (Database::open). That row carries how far the copy is: in the transaction of
// the rows that were copied, and behind the entries of logs, which are the same when they are restored twice. So it
// goes on where it was.
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

// What a store holds of one table; of table 0, which is the catalogue, and of logs too.
struct CopiedPart {
  uint64_t rows = 0;  // or entries
  uint64_t bytes = 0;
  uint64_t checksum = 0;  // of keys and values; whatever their order
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
  std::string from_mark;                  // what is named again when an interrupted copy goes on ...
  std::vector<std::string> former_marks;  // ... as what older versions wrote for the same store is
  bool snapshots = true;                  // false: they are left out
  size_t page_rows = 1'000;
  size_t page_bytes = size_t{1} << 20;
  // Asked when all is compared, before the copy may be used: whether nobody else could use the stores meanwhile.
  std::function<Result<void>()> still_alone;
  // Called after each page; false: stop here, to go on another time.
  std::function<bool(const CopyProgress&)> progress;
};

// Nobody else uses the stores meanwhile: what changes in `from` is found when all is compared, but may be found so late
// that the copy has to begin anew. Errors, one sentence each: kInvalid (reason 0) for stores that cannot be copied
// from or to, kTooLarge where the one has no room for the other's logs, before anything is written, kConflict for what
// differs in the end, kUnavailable for a stop; those of the engines.
Task<Result<CopyReport>> copy_store(storage::Engine& from, storage::Engine& to, StoreCopyOptions options);

// Where the rows are that are copied, with snapshots or without.
storage::Range copied_rows(bool snapshots);

// Errors: kInvalid (reason 0), with one sentence, for a store that nothing is copied of, whatever to: so that this can
// be known before there is anything to copy to. `name` is what the sentence calls it.
Task<Result<void>> refuse_copying(storage::Engine& from, std::string name);

// Error: kInvalid (reason 0), with one sentence, for a store that is a copy and not whole yet.
Task<Result<void>> refuse_half_copy(storage::Engine& engine);

}  // namespace partita::table
