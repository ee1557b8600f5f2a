// Translates SET and REMOVE clauses to the update type that all expressions use.
#pragma once

#include <vector>

#include "base/result.h"
#include "expr/update.h"
#include "partiql/conditions.h"
#include "partiql/syntax.h"

namespace partita::partiql {

// Precondition: there are parameters for every `?` of the changes, and none of them is an INSERT. Faults: "PartiQL" in
// model/faults.inc. The size of the written values is not checked here: unlike UpdateItem, a statement is limited only
// by the resulting item.
Result<expr::Update> update_of(const std::vector<UpdateClause>& changes, const Parameters& parameters);

}  // namespace partita::partiql
