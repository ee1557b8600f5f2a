// The storage contract kept in a PostgreSQL database, which any number of servers may share.
//
// What is acknowledged is as durable as PostgreSQL's own commits are (`synchronous_commit`, which is never taken as
// off). Waiting transactions of this process are merged into one commit; those of several processes meet in the
// database, where whoever comes second looks again: kConflict after many times. When a connection is lost the engine
// connects again, to whichever of several hosts takes writes, and finds out what became of a commit whose answer did
// not come; kUnknown only when nobody could tell it for long.
//
// One thread of its own does all of it. The tables are described in docs/engines/postgres.md.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engines/postgres/postgres_options.h"
#include "storage/engine.h"
#include "storage/exclusive_engine.h"

namespace partita {

// Makes the store if it is not there and `makes`. Blocks; for start-up. Errors, one sentence each: kInvalid (reason 0)
// for a URL that is none and for a store of a newer version, kUnavailable when the database cannot be reached or
// refuses.
Result<std::unique_ptr<storage::Engine>> open_postgres_engine(const PostgresOptions& options);

// The same, of a store that no server uses, and none can as long as the engine lives: kUnavailable when one does.
// kInvalid (reason 0) where there is no store and none is to be made: then nothing is.
Result<storage::ExclusiveEngine> open_exclusive_postgres_engine(const PostgresOptions& options);

}  // namespace partita
