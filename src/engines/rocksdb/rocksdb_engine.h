// The storage contract kept by RocksDB in one directory: the default engine.
//
// Everything acknowledged is on the disk (fsync) unless `sync` is off; it survives the end of the process either way.
// Commits of all callers are merged by one thread into one write and one fsync. Reads of what is in memory, in a cache
// of the engine's or of the system's, complete on the calling thread; others wait for the disk on a few threads of the
// engine's own.
//
// kConflict never happens: transactions on the same keys take turns. When the disk refuses a commit, the transactions
// of that commit end kUnknown, and every later one kUnavailable until the store has recovered; reads go on.
//
// The files are described in docs/formats/store.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/rocksdb_options.h"
#include "storage/engine.h"

namespace partita {

// Opens or makes the store. Only one engine at a time, in any process, can have a directory open. The error is one
// sentence that tells an operator what to do: kUnavailable for a directory that is in use or that cannot be written,
// kCorrupt for a damaged store, kInvalid (reason 0) for a store that is not this program's or is a newer version's.
// Blocks; for start-up. Precondition for destroying the engine: none of its calls is under way. Destroying it writes
// out what is left to write.
Result<std::unique_ptr<storage::Engine>> open_rocksdb_engine(const RocksdbOptions& options);

// Between these two keys, both excluded, something could not be read. Empty: not known.
struct LostRange {
  bool of_log = false;  // of the logs of topics: keys as docs/formats/store.md has them
  std::string after;
  std::string before;
};

struct SalvageReport {
  uint64_t records = 0;             // saved
  uint64_t entries = 0;             // of the logs of topics, saved
  std::vector<std::string> losses;  // one sentence each, for an operator; empty: all was readable
  std::vector<LostRange> ranges;
  // Records of which a newer version may be among what is lost, so that the older one was left out: how many, and the
  // keys of the first of them.
  uint64_t unsure_count = 0;
  std::vector<std::string> unsure;
  bool lost_erasures = false;  // what was erased by ranges may be back
  bool lost_changes = false;   // the newest changes are missing, or some of them
};

// Called with the new store before it is shown. An error ends the salvage.
using FinishSalvage = std::function<Result<void>(storage::Engine& engine, SalvageReport& report)>;

// Saves all that is readable of a damaged store, which is left as it is, into a new one, which goes on with versions
// and positions that the old one never gave away. Of each record that is its newest version, or nothing. What a lost
// write wrote may be known to others that are saved: `finish` puts that right. `to` must be missing or empty. Blocks.
// Error: kUnavailable, with one sentence.
Result<SalvageReport> salvage_rocksdb_store(const std::string& from, const std::string& to,
                                            const FinishSalvage& finish = nullptr);

}  // namespace partita
