// Scores of pairs of vectors, as DynamoDB defines them. Vectors have 32-bit floats, sums are doubles, and a score is
// limited to the range of 32-bit floats.
#pragma once

#include <span>
#include <string_view>

#include "table/rows/vector_schema.h"

namespace partita::table {

// Compares vectors with one that is sought. Callable from any thread.
class Nearness {
 public:
  // `sought` outlives it.
  Nearness(api::Distance distance, std::span<const float> sought);

  // The score of a packed vector (rows/vector_rows.h) with the same number of floats. kCosine: 0 to 2, and 1 if one of
  // the two vectors is zero.
  double score(std::string_view packed) const;
  // Whether the first score is the better one.
  bool is_better(double one, double other) const {
    return distance_ == api::Distance::kDotProduct ? one > other : one < other;
  }

 private:
  api::Distance distance_;
  std::span<const float> sought_;
  double square_;  // of the length of `sought_`
};

// Approximations with sums of floats: the dot product of two vectors, and the square of their distance.
float rough_product(const float* a, const float* b, size_t count);
float rough_square_apart(const float* a, const float* b, size_t count);

}  // namespace partita::table
