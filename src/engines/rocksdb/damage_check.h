// Looks through a store's directory before RocksDB opens it, because RocksDB takes a bad record of a log for the end of
// the log, a missing log for one that it erased itself, and a shorter MANIFEST for one of an earlier moment.
//
// The committer writes a group only after the one before it is on the disk. So a crash leaves at most one torn record,
// the last; everything else that is not as it was written is damage.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>

#include "base/result.h"
#include "engines/rocksdb/durability_marker.h"

namespace partita::rocks {

struct DirectoryState {
  bool is_store = false;  // false: nothing is there yet
  DurabilityRecord marker;
  std::set<uint64_t> logs;     // write-ahead logs with records that may be needed
  bool has_idle_logs = false;  // there are others and none of these
  uint64_t newest_log = 0;     // the highest number of any log that is there
  uint64_t log_bytes = 0;      // of all logs that are there
};

// Errors: kCorrupt (one sentence: the file, and what to do) when acknowledged data is missing; kUnavailable when a file
// cannot be read. Changes nothing but this: of the log's end that a killed server left, what is whole is synced and
// what is torn is cut off, and newer logs without a record are erased.
Result<DirectoryState> check_directory(const std::filesystem::path& directory);

// The number of the MANIFEST that CURRENT names. Errors: kCorrupt, with one sentence, when one of the two is not whole
// as far as `witness` knows; kUnavailable, when one cannot be read. Changes nothing.
Result<uint64_t> check_manifest(const std::filesystem::path& directory, const DurabilityRecord& marker);

// The same for the whole store, once it is open: `sequence` is where RocksDB goes on.
Result<void> check_sequence(const std::filesystem::path& directory, const DurabilityRecord& marker, uint64_t sequence);

// The sentence of a damaged store; `what` begins small and has no full stop.
Error damaged(const std::filesystem::path& directory, const std::string& what);

}  // namespace partita::rocks
