// The storage contract kept in a FoundationDB cluster, which any number of servers may share.
//
// What is acknowledged is as durable as FoundationDB's commits are: on the disks of as many machines as its redundancy
// says. Transactions are its own, strictly serialisable; waiting ones of this process are merged into one. When the
// answer of a commit is lost the engine finds out what became of it: kUnknown only when nobody could tell it for long.
//
// All of it is done by FoundationDB's one thread, two that evaluate, and one that says now and then that it is there.
// The rows are described in rows.h.
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

// Makes the store if it is not there and `makes`. Blocks; for start-up. Errors, one sentence each: kInvalid (reason 0)
// for a cluster file or a prefix that is none and for a store of a newer version, kUnavailable when FoundationDB's
// client library is missing and when the cluster does not answer.
Result<std::unique_ptr<storage::Engine>> open_foundationdb_engine(const FoundationdbOptions& options);

// The same, of a store that no server uses, and none can change as long as the engine lives: kUnavailable when one
// does. kInvalid (reason 0) where there is no store and none is to be made: then nothing is.
Result<storage::ExclusiveEngine> open_exclusive_foundationdb_engine(const FoundationdbOptions& options);

}  // namespace partita
