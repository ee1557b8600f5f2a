// A small database put into another one that never had a table, by one transaction.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::table {

// Puts the tables of `from`, which nobody has open, into `to`: items, indexes, counts and streams, all or nothing.
// False, and nothing happened: `to` has, or had, a table, or is being seeded, or it would be more than `most_bytes` or
// than one transaction takes. Errors: those of the engines.
Task<Result<bool>> clone_into(storage::Engine& from, TableContext& to, size_t most_bytes);

}  // namespace partita::table
