// Looks whether what a store holds fits together: every index row has its item and every item its index rows, counts
// are what is counted, items that expire have their rows, streams end with what their tables hold, and the catalogue
// knows all of it.
//
// Of a store it is the database without a name; namespaces (namespaces.h) are looked at one by one, and snapshots not.
//
// It knows from the items what else there has to be, and compares sums of hashes; only where these differ it looks for
// each row. What a job has not done yet is not missed.
#pragma once

#include <vector>

#include "base/result.h"
#include "storage/engine.h"
#include "table/maintenance/verify_report.h"

namespace partita::table {

// The catalogue first, then the tables by name. Blocks; nobody may write to the store meanwhile. Errors: those of the
// engine, kInvalid (reason 0) for a store that is a copy and not whole yet, kUnavailable for a stop.
Result<std::vector<Verified>> verify_store(storage::Engine& engine, const VerifyOptions& options);

}  // namespace partita::table
