// Copies a small database into one that never had a table, in one transaction.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::table {

// Copies the tables of `from`, which no other process has open, to `to`: items, indexes, counts and streams, all or
// nothing. False, and nothing was written: `to` has or had a table, or is being seeded, or the copy would exceed
// `most_bytes` or one transaction. Errors: those of the engines.
Task<Result<bool>> clone_into(storage::Engine& from, TableContext& to, size_t most_bytes);

}  // namespace partita::table
