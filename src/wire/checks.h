// What sets the newer of AWS's checks of requests apart from the older; see Checks in shape.h.
#pragma once

#include "base/result.h"
#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::wire {

// True when a member that the shape requires is not there.
bool lacks_a_member(const JsonValue& body, const Shape& shape);

// Whether this request meets the newer checks. Precondition: the body has the JSON kinds of the shape.
bool meets_newer_checks(const JsonValue& body, const Shape& shape);

// The fault of a request that passed check_shape(), in the words of the checks that it meets. Not for what is found
// with the table at hand.
Error worded(Error error, const JsonValue& body, const Shape& shape);

}  // namespace partita::wire
