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
#include "storage/engine.h"
#include "storage/exclusive_engine.h"

namespace partita {

// What a network may do to a commit.
enum class CommitFault : uint8_t {
  kNothing,
  kCommit,  // is lost on its way
  kAnswer,  // is lost on its way back
  kLate,    // it comes only when everybody has long stopped waiting for it
};

// Of the stores that it makes, and the newest that it opens.
inline constexpr unsigned kFoundationdbFormat = 1;

struct FoundationdbOptions {
  // "FILE" or "FILE?prefix=NAME": the cluster file, and what the names of all rows begin with ("partita").
  std::string place;
  size_t lanes = 4;     // commits under way at once
  size_t merged = 256;  // the most transactions in one of them
  bool makes = true;    // a store where there is none
  // How often it says that it uses the store. Who was silent for three of these is taken for gone.
  std::chrono::milliseconds heartbeat{2'000};
  // For tests: asked before each commit, by any thread. Nothing: no commit is cut.
  std::function<CommitFault()> commit_fault;
};

// Makes the store if it is not there and `makes`. Blocks; for start-up. Errors, one sentence each: kInvalid (reason 0)
// for a cluster file or a prefix that is none and for a store of a newer version, kUnavailable when FoundationDB's
// client library is missing and when the cluster does not answer.
Result<std::unique_ptr<storage::Engine>> open_foundationdb_engine(const FoundationdbOptions& options);

// The same, of a store that no server uses, and none can change as long as the engine lives: kUnavailable when one
// does. kInvalid (reason 0) where there is no store and none is to be made: then nothing is.
Result<storage::ExclusiveEngine> open_exclusive_foundationdb_engine(const FoundationdbOptions& options);

}  // namespace partita
