// The storage contract kept in a PostgreSQL database, which any number of servers may share.
//
// Acknowledged writes are as durable as PostgreSQL's commits (`synchronous_commit`, which is never used as `off`).
// Waiting transactions of this process are merged into one commit. Transactions of several processes that conflict are
// evaluated again: kConflict after many attempts. When a connection is lost, the engine reconnects to whichever host
// accepts writes, and determines the outcome of a commit whose answer was lost; kUnknown only if that fails for long.
//
// One thread does all of this. The tables are described in docs/engines/postgres.md.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engines/postgres/postgres_options.h"
#include "storage/engine.h"
#include "storage/exclusive_engine.h"

namespace partita {

// Creates the store if it does not exist and `makes`. Blocks; for start-up. Errors, one sentence each: kInvalid (reason
// 0) for an invalid URL and for a store of a newer version, kUnavailable if the database cannot be reached or refuses.
Result<std::unique_ptr<storage::Engine>> open_postgres_engine(const PostgresOptions& options);

// The same, for exclusive use: kUnavailable if a server uses the store; none can while the engine exists. kInvalid
// (reason 0) if there is no store and `makes` is false.
Result<storage::ExclusiveEngine> open_exclusive_postgres_engine(const PostgresOptions& options);

}  // namespace partita
