// Translates an INSERT, UPDATE, DELETE or EXISTS to the action that PutItem, UpdateItem and DeleteItem use too.
#pragma once

#include "base/result.h"
#include "partiql/statement.h"
#include "table/items/write.h"

namespace partita::partiql {

// The action's condition requires that an INSERT finds no item, an UPDATE finds one, and a DELETE with a condition
// finds none or one that meets it. Precondition: check_table(), and it is not a SELECT. Faults: kPartiqlKeyIncomplete,
// kPartiqlKeyTwice, kPartiqlKeyType, kPartiqlKeyAbsent, kPartiqlExistsForm, kPartiqlExistsIndex.
Result<api::WriteAction> write_of(const Statement& statement, const table::TableInfo& table);

}  // namespace partita::partiql
