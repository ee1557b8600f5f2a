// Checks the consistency of a database: items against index and expiry rows, counts, the end of each stream, and all
// of it against the catalogue. Work that a job has still to do is no fault.
//
// `engine` is one database: each namespace (namespaces.h) is checked through an engine of its own. Snapshots are not
// checked. Sums of hashes are compared first, single rows only if the sums differ.
#pragma once

#include <vector>

#include "base/result.h"
#include "storage/engine.h"
#include "table/maintenance/verify_report.h"

namespace partita::table {

// The catalogue first, then the tables by name. Blocks. The store must not be written to meanwhile. Errors: those of
// the engine, kInvalid (reason 0) for an incomplete copy, kUnavailable after a stop.
Result<std::vector<Verified>> verify_store(storage::Engine& engine, const VerifyOptions& options);

}  // namespace partita::table
