// The storage contract kept by RocksDB in one directory: the default engine.
//
// Acknowledged writes are on the disk (fsync) unless `sync` is off; they survive the end of the process either way. One
// thread merges the commits of all callers into one write and one fsync. Reads that the caches of the engine or of the
// system can answer complete on the calling thread; others wait for the disk on a few threads of the engine.
//
// kConflict never happens: transactions on the same keys are serialised. If the disk fails a commit, its transactions
// end kUnknown, and later ones kUnavailable until the store has recovered; reads continue.
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

// Opens or creates the store. Only one engine in any process can have a directory open. The error is one sentence that
// tells the operator what to do: kUnavailable for a directory that is in use or cannot be written, kCorrupt for a
// damaged store, kInvalid (reason 0) for a store of another program or of a newer version. Blocks; for start-up.
// Precondition of destroying the engine: none of its calls is in progress. Destroying it writes what is still queued.
Result<std::unique_ptr<storage::Engine>> open_rocksdb_engine(const RocksdbOptions& options);

// Something between these two keys, both exclusive, could not be read. Empty: not known.
struct LostRange {
  bool of_log = false;  // of the logs of topics: keys as docs/formats/store.md has them
  std::string after;
  std::string before;
};

struct SalvageReport {
  uint64_t records = 0;             // saved
  uint64_t entries = 0;             // log entries of topics, saved
  std::vector<std::string> losses;  // one sentence each, for the operator; empty: all was readable
  std::vector<LostRange> ranges;
  // Records that were left out because a newer version may be lost: how many, and the first keys.
  uint64_t unsure_count = 0;
  std::vector<std::string> unsure;
  bool lost_erasures = false;  // erased ranges may be back
  bool lost_changes = false;   // some or all of the newest changes are missing
};

// Called with the new store before it becomes visible. An error ends the salvage.
using FinishSalvage = std::function<Result<void>(storage::Engine& engine, SalvageReport& report)>;

// Copies all readable records of a damaged store, which is not changed, into a new store, whose later versions and
// positions the old one never used. Each record is saved in its newest version or not at all. Saved records may refer
// to lost ones: `finish` repairs that. `to` must be missing or empty. Blocks. Error: kUnavailable, with one sentence.
Result<SalvageReport> salvage_rocksdb_store(const std::string& from, const std::string& to,
                                            const FinishSalvage& finish = nullptr);

}  // namespace partita
