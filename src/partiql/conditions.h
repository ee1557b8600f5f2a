// Translates a WHERE clause to the condition type that all expressions use.
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

// IN stays kIn. A comparison has its path on the left if the other side is not a path. Precondition: there are
// parameters for every `?` of the clause. Faults: "PartiQL" in model/faults.inc.
Result<expr::ConditionNode> condition_of(const Node& where, const Parameters& parameters);

// A parameter or a literal.
bool is_constant(const Node& node);
Result<expr::ValuePtr> constant_of(const Node& node, const Parameters& parameters);

// The error for wrong operands, in PartiQL's wording.
Error refuse_operands(expr::OperandProblem problem);

}  // namespace partita::partiql
