// What the SET and REMOVE clauses of a statement say, as the one update that everything is changed with.
#pragma once

#include <vector>

#include "base/result.h"
#include "expr/update.h"
#include "partiql/conditions.h"
#include "partiql/syntax.h"

namespace partita::partiql {

// Precondition: there are parameters for all that the changes have, and none of them is an INSERT. Faults: "PartiQL" in
// model/faults.inc. What the changes write is not measured here: unlike UpdateItem, a statement is limited by the
// finished item alone.
Result<expr::Update> update_of(const std::vector<Change>& changes, const Parameters& parameters);

}  // namespace partita::partiql
