#include "table/vectors/vector_distance.h"

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

__attribute__((target("avx2,fma"))) float rough_sum_of(__m256 eight) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

// Of as many whole eights as there are; `done` says how many floats that were.
template <bool apart>
__attribute__((target("avx2,fma"))) float rough_wide(const float* a, const float* b, size_t count, size_t& done) {
  __m256 sum[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
  for (done = 0; done + 8 <= count; done += 8) {
    const __m256 left = _mm256_loadu_ps(a + done);
    const __m256 right = _mm256_loadu_ps(b + done);
    __m256& into = sum[done / 8 % 4];
    if constexpr (apart) {
      const __m256 between = _mm256_sub_ps(left, right);
      into = _mm256_fmadd_ps(between, between, into);
    } else {
      into = _mm256_fmadd_ps(left, right, into);
    }
  }
  return rough_sum_of(_mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3])));
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

template <bool apart>
float rough(const float* a, const float* b, size_t count) {
  size_t i = 0;
  float sum = 0;
#if defined(__x86_64__)
  if (is_wide()) sum = rough_wide<apart>(a, b, count, i);
#endif
  for (; i < count; ++i) sum += apart ? (a[i] - b[i]) * (a[i] - b[i]) : a[i] * b[i];
  return sum;
}

}  // namespace

float rough_product(const float* a, const float* b, size_t count) { return rough<false>(a, b, count); }
float rough_square_apart(const float* a, const float* b, size_t count) { return rough<true>(a, b, count); }

Nearness::Nearness(api::Distance distance, std::span<const float> sought)
    : distance_(distance),
      sought_(sought),
      square_(sums_of(sought.data(), reinterpret_cast<const char*>(sought.data()), sought.size(), false).product) {}

double Nearness::score(std::string_view packed) const {
  PARTITA_CHECK(packed.size() == sought_.size_bytes());
  const Sums sums = sums_of(sought_.data(), packed.data(), sought_.size(), distance_ == api::Distance::kEuclidean);
  double score = sums.product;
  if (distance_ == api::Distance::kEuclidean) score = std::sqrt(sums.product);
  if (distance_ == api::Distance::kCosine) {
    if (square_ == 0 || sums.own_square == 0) return 1;
    const bool same = std::memcmp(sought_.data(), packed.data(), packed.size()) == 0;
    return same ? 0 : std::clamp(1 - sums.product / (std::sqrt(square_) * std::sqrt(sums.own_square)), 0.0, 2.0);
  }
  constexpr double kLargest = std::numeric_limits<float>::max();
  return std::clamp(score, -kLargest, kLargest);
}

}  // namespace partita::table
