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

#include <memory>
#include <string>

#include "base/result.h"
#include "engines/rocksdb/rocksdb_options.h"
#include "storage/engine.h"
#include "storage/salvage.h"

namespace partita {

// Opens or creates the store. Only one engine in any process can have a directory open. The error is one sentence that
// tells the operator what to do: kUnavailable for a directory that is in use or cannot be written, kCorrupt for a
// damaged store, kInvalid (reason 0) for a store of another program or of a newer version. Blocks; for start-up.
// Precondition of destroying the engine: none of its calls is in progress. Destroying it writes what is still queued.
Result<std::unique_ptr<storage::Engine>> open_rocksdb_engine(const RocksdbOptions& options);

// As storage::Salvage.
Result<storage::SalvageReport> salvage_rocksdb_store(const std::string& from, const std::string& to,
                                                     const storage::FinishSalvage& finish = nullptr);

}  // namespace partita
