// Values and document paths out of what a statement says.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "expr/path.h"
#include "model/value.h"
#include "partiql/syntax.h"

namespace partita::partiql {

// A constant: a string, a number, TRUE, FALSE, NULL, a list, a set in << >>, a map in { }. DynamoDB calls the whole of
// it "root" and says under which key something within is wrong. Faults: those of values under "PartiQL" in
// model/faults.inc.
Result<model::AttributeValue> value_of(const Node& node);

// That Java's BigDecimal has room for the scale that the number is written with: "1e99999999999" has none. True also of
// what is no number at all.
bool has_scale(std::string_view number);
// Such a number as DynamoDB reads it: its size is looked at in 32 bits, so that 1e2147483647 comes out too small.
// Faults: kNumber....
Result<model::Number> number_of(std::string_view text);

// An attribute or what lies within it. Faults: kPartiqlPathComponent, kPartiqlListIndex, kPartiqlWildcard,
// kPartiqlUnpivot, kPartiqlPathTooDeep.
Result<expr::Path> path_of(const Node& node);

bool is_path(const Node& node);
// A constant, but not a parameter.
bool is_literal(const Node& node);

// How DynamoDB calls that kind of expression.
std::string kind_name(const Node& node);

}  // namespace partita::partiql
