// What a batch writes and relies on, as PostgreSQL is told.
#pragma once

#include "engines/postgres/parameters.h"
#include "storage/batch.h"

namespace partita::postgres {

// Those of Statement::kCommit behind the mark and its count. `by_itself`: see Change.
void add_commit(Parameters& parameters, const storage::Batch& batch, bool by_itself);

}  // namespace partita::postgres
