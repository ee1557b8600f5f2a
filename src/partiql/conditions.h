// What a WHERE clause says, as the one condition that everything is evaluated as.
#pragma once

#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/condition_checks.h"
#include "expr/placeholders.h"
#include "partiql/syntax.h"

namespace partita::partiql {

// The request's Parameters, in order.
using Parameters = std::vector<expr::ValuePtr>;

// IN stays kIn, and a comparison has its path on the left when the other side is none. Precondition: there are
// parameters for all that the clause has. Faults: "PartiQL" in model/faults.inc.
Result<expr::ConditionNode> condition_of(const Node& where, const Parameters& parameters);

// A parameter or a literal.
bool is_constant(const Node& node);
Result<expr::ValuePtr> constant_of(const Node& node, const Parameters& parameters);

// What is wrong with operands, in PartiQL's words.
Error refuse_operands(expr::OperandProblem problem);

}  // namespace partita::partiql
