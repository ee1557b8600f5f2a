// How near two vectors are, as DynamoDB scores it: of 32-bit floats, added up as doubles, and never beyond the floats.
#pragma once

#include <span>
#include <string_view>

#include "table/rows/vector_schema.h"

namespace partita::table {

// One vector that many are held against.
class Nearness {
 public:
  // `sought` outlives it.
  Nearness(api::Distance distance, std::span<const float> sought);

  // The score of a packed vector (vectors.h) of as many floats. kCosine: 0 to 2, and 1 where one of them is zero.
  double score(std::string_view packed) const;
  // Whether the first score is the better one.
  bool is_better(double one, double other) const {
    return distance_ == api::Distance::kDotProduct ? one > other : one < other;
  }

 private:
  api::Distance distance_;
  std::span<const float> sought_;
  double square_;  // of its length
};

// Added up as floats, for who only wants to know about: the product of two vectors, and the square of their distance.
float rough_product(const float* a, const float* b, size_t count);
float rough_square_apart(const float* a, const float* b, size_t count);

}  // namespace partita::table
