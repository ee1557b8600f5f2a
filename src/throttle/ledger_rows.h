// The rows of the ledger in the store: docs/formats/catalogue.md. All of them are changed in transactions that compare
// the row of the members, and rewrite it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "throttle/ledger.h"

namespace partita::throttle {

// A row that is damaged, or of another version of Partita, does not stop the ledger. Instead of such a list of members
// there are kUnknownServers; such a pool is empty. The next write replaces these rows.
struct StoredLedger {
  LedgerRows rows;
  std::optional<storage::Version> version;  // of the row of the members; absent: there is none
  std::vector<BucketId> unreadable;         // pools
};

// Errors: those of the engine.
Task<Result<StoredLedger>> read_ledger(storage::Engine& engine);
// kStale: the members have changed since `seen` was read, and nothing was written. Without members, all rows of `seen`
// are erased.
Task<Result<storage::Outcome>> write_ledger(storage::Engine& engine, const StoredLedger& seen,
                                            const LedgerWrites& writes);

// For tests. Absent: no server of this version writes such bytes.
std::optional<Members> decode_members(std::string_view bytes);
std::optional<Pool> decode_pool(std::string_view bytes);

}  // namespace partita::throttle
