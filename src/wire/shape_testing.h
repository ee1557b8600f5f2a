// For tests: requests made from shapes, so that a new operation is covered by tests that were there before it.
#pragma once

#include <string>
#include <vector>

#include "wire/shape.h"

namespace partita::wire {

// A body that the shape finds nothing wrong with: every member, one element in every list and map.
std::string sample_body(const Shape& shape);

// That body once for every list and every map in it whose elements are no attribute values, with a null in the place of
// the one element; `where` says which.
struct SpoiltBody {
  std::string where;
  std::string body;
};
std::vector<SpoiltBody> bodies_with_null(const Shape& shape);

}  // namespace partita::wire
