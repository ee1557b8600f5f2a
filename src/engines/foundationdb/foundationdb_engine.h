// The storage contract kept in a FoundationDB cluster, which any number of servers may share.
//
// Acknowledged writes are as durable as FoundationDB's commits: on the disks of as many machines as its redundancy mode
// says. Transactions are FoundationDB's, strictly serialisable; waiting ones of this process are merged into one. If
// the answer to a commit is lost, the engine determines its outcome; kUnknown only if that fails for long.
//
// Threads: FoundationDB's network thread, two that evaluate transactions, and one that renews the session's lease. The
// rows are described in rows.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "engines/foundationdb/foundationdb_options.h"
#include "storage/engine.h"
#include "storage/exclusive_engine.h"

namespace partita {

// Creates the store if it does not exist and `makes`. Blocks; for start-up. Errors, one sentence each: kInvalid (reason
// 0) for an invalid cluster file or prefix and for a store of a newer version, kUnavailable if FoundationDB's client
// library is missing or the cluster does not answer.
Result<std::unique_ptr<storage::Engine>> open_foundationdb_engine(const FoundationdbOptions& options);

// The same, for exclusive use: kUnavailable if a server uses the store; none can change it while the engine exists.
// kInvalid (reason 0) if there is no store and `makes` is false.
Result<storage::ExclusiveEngine> open_exclusive_foundationdb_engine(const FoundationdbOptions& options);

}  // namespace partita
