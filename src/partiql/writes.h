// What an INSERT, UPDATE, DELETE or EXISTS does, as the action that PutItem, UpdateItem and DeleteItem are too.
#pragma once

#include "base/result.h"
#include "partiql/statement.h"
#include "table/write.h"

namespace partita::partiql {

// An INSERT finds nothing there, an UPDATE something, a DELETE with a condition either nothing or what meets it; so
// says the action's condition.
// Precondition: check_table(), and it is no SELECT. Faults: kPartiqlKeyIncomplete, kPartiqlKeyTwice, kPartiqlKeyType,
// kPartiqlKeyAbsent, kPartiqlExistsForm, kPartiqlExistsIndex.
Result<table::WriteAction> write_of(const Statement& statement, const table::TableInfo& table);

}  // namespace partita::partiql
