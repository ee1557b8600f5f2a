// Encodes a batch for the function that commits it.
#pragma once

#include "engines/postgres/parameters.h"
#include "storage/batch.h"

namespace partita::postgres {

// Adds the parameters of PreparedStatement::kCommit after the mark and its count. `by_itself`: see RowOp.
void add_commit(Parameters& parameters, const storage::Batch& batch, bool by_itself);

}  // namespace partita::postgres
