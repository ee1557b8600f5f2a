#include "table/vector_distance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace partita::table {

namespace {

struct Sums {
  double product = 0;     // of both, or the square of their difference
  double own_square = 0;  // of the packed one
};

float take(const char* packed, size_t i) {
  float value = 0;
  std::memcpy(&value, packed + i * sizeof(float), sizeof(float));
  return value;
}

Sums sums_of_tail(const float* sought, const char* packed, size_t from, size_t count, bool apart) {
  Sums sums;
  for (size_t i = from; i < count; ++i) {
    const double theirs = take(packed, i);
    const double both = apart ? sought[i] - theirs : theirs;
    sums.product += apart ? both * both : sought[i] * theirs;
    sums.own_square += theirs * theirs;
  }
  return sums;
}

Sums plain_sums(const float* sought, const char* packed, size_t count, bool apart) {
  return sums_of_tail(sought, packed, 0, count, apart);
}

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) double sum_of(__m256d four) {
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

// Eight floats at a time, in two chains of each sum.
__attribute__((target("avx2,fma"))) Sums wide_sums(const float* sought, const char* packed, size_t count, bool apart) {
  __m256d product[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  __m256d square[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  const auto* theirs = reinterpret_cast<const float*>(packed);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int half = 0; half < 2; ++half) {
      const __m256d a = _mm256_cvtps_pd(_mm_loadu_ps(sought + i + 4 * half));
      const __m256d b = _mm256_cvtps_pd(_mm_loadu_ps(theirs + i + 4 * half));
      const __m256d left = apart ? _mm256_sub_pd(a, b) : a;
      product[half] = _mm256_fmadd_pd(left, apart ? left : b, product[half]);
      square[half] = _mm256_fmadd_pd(b, b, square[half]);
    }
  }
  Sums sums = sums_of_tail(sought, packed, i, count, apart);
  sums.product += sum_of(_mm256_add_pd(product[0], product[1]));
  sums.own_square += sum_of(_mm256_add_pd(square[0], square[1]));
  return sums;
}

bool is_wide() {
  static const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return wide;
}

#endif

Sums sums_of(const float* sought, const char* packed, size_t count, bool apart) {
#if defined(__x86_64__)
  if (is_wide()) return wide_sums(sought, packed, count, apart);
#endif
  return plain_sums(sought, packed, count, apart);
}

}  // namespace

Nearness::Nearness(Distance distance, std::span<const float> sought)
    : distance_(distance),
      sought_(sought),
      square_(sums_of(sought.data(), reinterpret_cast<const char*>(sought.data()), sought.size(), false).product) {}

double Nearness::score(std::string_view packed) const {
  PARTITA_CHECK(packed.size() == sought_.size_bytes());
  const Sums sums = sums_of(sought_.data(), packed.data(), sought_.size(), distance_ == Distance::kEuclidean);
  double score = sums.product;
  if (distance_ == Distance::kEuclidean) score = std::sqrt(sums.product);
  if (distance_ == Distance::kCosine) {
    if (square_ == 0 || sums.own_square == 0) return 1;
    const bool same = std::memcmp(sought_.data(), packed.data(), packed.size()) == 0;
    return same ? 0 : std::clamp(1 - sums.product / (std::sqrt(square_) * std::sqrt(sums.own_square)), 0.0, 2.0);
  }
  constexpr double kLargest = std::numeric_limits<float>::max();
  return std::clamp(score, -kLargest, kLargest);
}

}  // namespace partita::table
