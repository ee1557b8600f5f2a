// For tests: requests derived from shapes, so that existing tests cover new operations.
#pragma once

#include <string>
#include <vector>

#include "wire/shape.h"

namespace partita::wire {

// A body that passes the check of the shape: every member, one element in every list and map.
std::string sample_body(const Shape& shape);

// That body once for every list and every map in it whose elements are not attribute values, with a null in place of
// the element. `where` says which.
struct SpoiltBody {
  std::string where;
  std::string body;
};
std::vector<SpoiltBody> bodies_with_null(const Shape& shape);

}  // namespace partita::wire
