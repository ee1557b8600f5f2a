// Numbers as Java's BigDecimal reads them, which is how DynamoDB reads those of PartiQL, and words those of its older
// checks.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/number.h"

namespace partita::model {

// That Java's BigDecimal has room for the scale that the number is written with: "1e99999999999" has none. True also of
// what is no number at all.
bool has_scale(std::string_view number);
// Such a number: its size is looked at in 32 bits, so that 1e2147483647 comes out too small. Faults: those of
// Number::parse().
Result<Number> read_as_java(std::string_view text);

}  // namespace partita::model
