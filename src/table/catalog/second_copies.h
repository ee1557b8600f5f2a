// The second copies of the catalogue's rows (system_rows.h), and the ids that rows carry: what keeps one damaged block
// from costing more than what it holds.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"

namespace partita::table {

// Makes the second copies what the rows are. Those of an older store are not there, and where an older version changed
// the catalogue they are late.
Task<Result<void>> renew_second_copies(storage::Engine& engine);

// How many second copies are missing or differ. 0 for a store that has none yet.
Task<Result<uint64_t>> differing_second_copies(storage::Engine& engine);

// The highest table id that any row carries; 0: none does.
Task<Result<uint32_t>> highest_table_id(storage::Engine& engine);

}  // namespace partita::table
