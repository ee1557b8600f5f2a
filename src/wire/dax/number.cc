#include "wire/dax/number.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "model/fault.h"
#include "model/limits.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using model::Number;
using model::refuse;
using Wide = unsigned __int128;

constexpr uint64_t kBignumTag = 2;
constexpr uint64_t kNegativeBignumTag = 3;
constexpr uint64_t kFractionTag = 4;

Error no_number(CborReader& in) {
  in.fail();
  return refuse(Fault::kDaxMalformed, {"a number is malformed"});
}

// The digits of a number, with a power of ten.
struct Digits {
  Wide coefficient = 0;
  int64_t exponent = 0;
  bool negative = false;
};

// The integer of a bignum's bytes. More than these are no number of 38 digits in range.
constexpr size_t kMaxBignumBytes = 64;
constexpr size_t kWideLimbs = sizeof(Wide) / sizeof(uint32_t);

class Bignum {
 public:
  // Precondition: at most kMaxBignumBytes.
  explicit Bignum(std::string_view bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      const auto byte = static_cast<uint8_t>(bytes[bytes.size() - 1 - i]);
      limbs_[i / 4] |= uint32_t{byte} << (i % 4 * 8);
    }
  }
  void add_one() {
    for (uint32_t& limb : limbs_) {
      if (++limb != 0) return;
    }
  }
  bool is_wide() const {
    for (size_t i = kWideLimbs; i < limbs_.size(); ++i) {
      if (limbs_[i] != 0) return false;
    }
    return true;
  }
  // Precondition: is_wide().
  Wide value() const {
    Wide value = 0;
    for (size_t i = kWideLimbs; i-- > 0;) value = value << 32 | limbs_[i];
    return value;
  }
  // Returns the remainder.
  uint32_t divide_by_ten() {
    uint64_t remainder = 0;
    for (size_t i = limbs_.size(); i-- > 0;) {
      const uint64_t part = remainder << 32 | limbs_[i];
      limbs_[i] = static_cast<uint32_t>(part / 10);
      remainder = part % 10;
    }
    return static_cast<uint32_t>(remainder);
  }

 private:
  std::array<uint32_t, kMaxBignumBytes / 4 + 1> limbs_{};  // the lowest first; one more for a carry
};

Result<Digits> read_bignum(CborReader& in, bool negative, Fault too_long) {
  std::string_view bytes = in.bytes();
  if (!in.ok()) return no_number(in);
  const size_t first = bytes.find_first_not_of('\0');
  bytes.remove_prefix(first == std::string_view::npos ? bytes.size() : first);
  if (bytes.size() > kMaxBignumBytes) return refuse(too_long);
  Bignum number(bytes);
  if (negative) number.add_one();
  int64_t exponent = 0;
  for (; !number.is_wide(); ++exponent) {
    if (number.divide_by_ten() != 0) return refuse(Fault::kNumberPrecision);
  }
  return Digits{number.value(), exponent, negative};
}

// An integer or a bignum.
Result<Digits> read_digits(const CborHead& head, CborReader& in, Fault too_long) {
  if (head.major == CborMajor::kUnsigned) return Digits{head.argument, 0, false};
  if (head.major == CborMajor::kNegative) return Digits{Wide{head.argument} + 1, 0, true};
  if (head.major != CborMajor::kTag || (head.argument != kBignumTag && head.argument != kNegativeBignumTag)) {
    return no_number(in);
  }
  return read_bignum(in, head.argument == kNegativeBignumTag, too_long);
}

Result<Number> read_fraction(CborReader& in) {
  const auto parts = in.array();
  if (parts.left != 2) return no_number(in);
  const int64_t exponent = in.integer();
  const CborHead head = in.head();
  if (!in.ok()) return no_number(in);
  PARTITA_TRY(const Digits digits, read_digits(head, in, Fault::kNumberPrecision));
  int64_t sum = 0;
  if (__builtin_add_overflow(exponent, digits.exponent, &sum)) sum = exponent;
  return Number::of_parts(digits.coefficient, sum, digits.negative);
}

template <class Float>
Result<Number> shortest(Float value) {
  if (std::isnan(value)) return refuse(Fault::kNumberSyntax, {"NaN"});
  if (std::isinf(value)) return refuse(Fault::kNumberSyntax, {value < 0 ? "-Infinity" : "Infinity"});
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return Number::parse({text.data(), written.ptr});
}

constexpr Wide kMostWhole = [] {
  Wide power = 1;
  for (int i = 0; i < model::kMaxNumberDigits; ++i) power *= 10;
  return power - 1;
}();

char* write_whole(char* out, Wide magnitude, bool negative) {
  const Wide argument = negative ? magnitude - 1 : magnitude;  // CBOR counts negative integers from -1
  if (argument >> 64 == 0) {
    return write_cbor_head(out, negative ? CborMajor::kNegative : CborMajor::kUnsigned,
                           static_cast<uint64_t>(argument));
  }
  const auto high = static_cast<uint64_t>(argument >> 64);
  const size_t bytes = sizeof(uint64_t) + static_cast<size_t>(std::bit_width(high) + 7) / 8;
  out = write_cbor_head(out, CborMajor::kTag, negative ? kNegativeBignumTag : kBignumTag);
  out = write_cbor_head(out, CborMajor::kBytes, bytes);
  for (size_t i = bytes; i-- > 0;) *out++ = static_cast<char>(static_cast<uint8_t>(argument >> (8 * i)));
  return out;
}

}  // namespace

Result<Number> read_number_behind(const CborHead& head, CborReader& in) {
  if (head.major <= CborMajor::kNegative && head.argument <= static_cast<uint64_t>(INT64_MAX)) {
    const auto value = static_cast<int64_t>(head.argument);
    return Number::of(head.major == CborMajor::kNegative ? ~value : value);
  }
  if (head.major == CborMajor::kSimple) {
    if (head.is_simple(kCborDouble)) return shortest(std::bit_cast<double>(head.argument));
    if (head.is_simple(kCborFloat)) return shortest(std::bit_cast<float>(static_cast<uint32_t>(head.argument)));
    return no_number(in);
  }
  if (head.major == CborMajor::kTag && head.argument == kFractionTag) return read_fraction(in);
  PARTITA_TRY(const Digits digits, read_digits(head, in, Fault::kNumberOverflow));
  return Number::of_parts(digits.coefficient, digits.exponent, digits.negative);
}

Result<Number> read_number(CborReader& in) {
  const CborHead head = in.head();
  return read_number_behind(head, in);
}

char* write_number(char* out, const Number& number) {
  Wide magnitude = number.coefficient();
  int exponent = number.exponent();
  while (exponent > 0 && magnitude <= kMostWhole / 10) {
    magnitude *= 10;
    --exponent;
  }
  if (exponent == 0) return write_whole(out, magnitude, number.is_negative());
  out = write_cbor_head(out, CborMajor::kTag, kFractionTag);
  out = write_cbor_head(out, CborMajor::kArray, 2);
  exponent = number.exponent();
  out = exponent < 0 ? write_cbor_head(out, CborMajor::kNegative, static_cast<uint64_t>(~exponent))
                     : write_cbor_head(out, CborMajor::kUnsigned, static_cast<uint64_t>(exponent));
  return write_whole(out, number.coefficient(), number.is_negative());
}

}  // namespace partita::wire::dax
