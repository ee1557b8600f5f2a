// Numbers as Java's BigDecimal parses them. DynamoDB parses the numbers of PartiQL in this way, and its older checks
// word their errors accordingly.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/number.h"

namespace partita::model {

// Whether Java's BigDecimal can represent the scale that the number is written with. For "1e99999999999" it cannot.
// True also for text that is not a number.
bool has_scale(std::string_view number);
// Parses such a number. Its exponent is computed in 32 bits, so that 1e2147483647 is reported as too small. Faults:
// those of Number::parse().
Result<Number> read_as_java(std::string_view text);

}  // namespace partita::model
