// Checks a store's directory before RocksDB opens it. RocksDB treats a bad record of a log as the end of the log, a
// missing log as one that it erased itself, and a truncated MANIFEST as an older one.
//
// The committer writes a group only after the previous one is durable. So a crash leaves at most one torn record, the
// last one; any other deviation is damage.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>

#include "base/result.h"
#include "engines/rocksdb/durability_marker.h"

namespace partita::rocks {

struct DirectoryState {
  bool is_store = false;  // false: the directory has no store yet
  DurabilityRecord marker;
  std::set<uint64_t> logs;     // write-ahead logs with records that may be needed
  bool has_idle_logs = false;  // there are only logs that are not needed
  uint64_t newest_log = 0;     // the highest number of any existing log
  uint64_t log_bytes = 0;      // of all existing logs
};

// Errors: kCorrupt (one sentence: the file, and what to do) if acknowledged data is missing; kUnavailable if a file
// cannot be read. Changes only the end of the log that a killed server left: syncs its whole records, cuts off a torn
// one, and deletes newer logs without records.
Result<DirectoryState> check_directory(const std::filesystem::path& directory);

// The number of the MANIFEST that CURRENT names. Errors: kCorrupt, with one sentence, if one of the two is damaged or,
// by `marker`, too short; kUnavailable if one cannot be read. Changes nothing.
Result<uint64_t> check_manifest(const std::filesystem::path& directory, const DurabilityRecord& marker);

// The same for the store once it is open. `sequence`: the sequence number that RocksDB has recovered.
Result<void> check_sequence(const std::filesystem::path& directory, const DurabilityRecord& marker, uint64_t sequence);

// The error of a damaged store. `what`: a part of a sentence, without a full stop.
Error damaged(const std::filesystem::path& directory, const std::string& what);

}  // namespace partita::rocks
