// Values and document paths of a statement.
#pragma once

#include <string>

#include "base/result.h"
#include "expr/path.h"
#include "model/value.h"
#include "partiql/syntax.h"

namespace partita::partiql {

// A constant: a string, a number, TRUE, FALSE, NULL, a list, a set in << >>, a map in { }. DynamoDB calls the whole
// value "root", and reports the key under which something inside is wrong. Faults: those of values under "PartiQL" in
// model/faults.inc.
Result<model::AttributeValue> value_of(const Node& node);

// An attribute, or a path within it. Faults: kPartiqlPathComponent, kPartiqlListIndex, kPartiqlWildcard,
// kPartiqlUnpivot, kPartiqlPathTooDeep.
Result<expr::Path> path_of(const Node& node);

bool is_path(const Node& node);
// A constant, but not a parameter.
bool is_literal(const Node& node);

// DynamoDB's name for that kind of expression.
std::string kind_name(const Node& node);

}  // namespace partita::partiql
