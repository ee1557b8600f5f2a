// Repairs a database that has lost rows, after a salvage. Descriptions come from their second copies or from what other
// rows carry; index, expiry and count rows are rebuilt from the items; streams get records of the differences. The
// report names what is lost, by table and key.
#pragma once

#include "base/result.h"
#include "storage/engine.h"
#include "table/maintenance/repair_report.h"

namespace partita::table {

// Blocks. The store must not be in use. Errors: those of the engine.
Result<Repaired> repair_store(storage::Engine& engine, const RepairOptions& options);

}  // namespace partita::table
