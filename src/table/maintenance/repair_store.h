// Puts right what a salvage leaves: a database of which rows are missing that others know of. The catalogue is
// completed from its second copies, or from what rows carry; index, expiry and count rows are made to fit the items;
// streams end with what their tables hold; and what is lost is told by table and key.
#pragma once

#include "base/result.h"
#include "storage/engine.h"
#include "table/maintenance/repair_report.h"

namespace partita::table {

// Blocks; nobody else uses the store. Errors: those of the engine.
Result<Repaired> repair_store(storage::Engine& engine, const RepairOptions& options);

}  // namespace partita::table
