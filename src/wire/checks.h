// Differences between AWS's newer and older checks of requests; see Checks in shape.h.
#pragma once

#include <string_view>

#include "base/result.h"
#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::wire {

// Whether a member that the shape requires is missing.
bool lacks_a_member(const JsonValue& body, const Shape& shape);

// Whether AWS applies the newer checks to this request. Precondition: the body has the JSON kinds of the shape.
bool meets_newer_checks(const JsonValue& body, const Shape& shape);

// "1 validation error detected: <violation>" as a kConstraints fault, for constraints that a shape cannot express.
Error constraint_violated(std::string_view violation);

// The error of a request that passed check_shape(), in the wording of the checks that apply to it. Not for errors that
// depend on the table.
Error worded(Error error, const JsonValue& body, const Shape& shape);
// The same for a request that is not JSON, and has all members that the shape requires.
Error worded(Error error, const Shape& shape);

}  // namespace partita::wire
