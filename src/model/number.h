// A DynamoDB number: a decimal of up to 38 significant digits, exact. Zero, or a magnitude from 1E-130 to
// 9.9999999999999999999999999999999999999E+125 (DynamoDB developer guide, "Data types").
//
//   Result<Number> n = Number::parse("1.50e3");
//   n->to_string()            // "1500"
//
// A value type, 32 bytes, always canonical: no trailing zeros in the coefficient, one zero. Equal numbers have equal
// members. Every function is callable from any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::model {

class Number {
 public:
  Number() = default;  // zero
  static Number of(int64_t value);
  // (negative ? -1 : 1) * coefficient * 10^exponent, in any form. Faults: kNumberPrecision, kNumberOverflow,
  // kNumberUnderflow, as parse() has them for the same digits.
  static Result<Number> of_parts(unsigned __int128 coefficient, int64_t exponent, bool negative);

  // Accepts what DynamoDB accepts: an optional sign, digits with an optional point, an optional exponent; leading and
  // trailing zeros do not count as digits. Faults: kNumberEmpty, kNumberSyntax, kNumberPrecision, kNumberOverflow,
  // kNumberUnderflow.
  static Result<Number> parse(std::string_view text);

  // Canonical, as DynamoDB returns it: "1000", "-0.001", "0"; digits written out, never an exponent.
  std::string to_string() const;
  static constexpr size_t kMaxTextBytes = 170;  // a sign, "0.", 129 zeros and 38 digits
  char* write_to(char* out) const;              // returns the end

  // Exact, or a fault: kNumberUnderflow, or kNumberOverflow, also if the exact result needs more than 38 digits.
  Result<Number> add(const Number& other) const;
  Result<Number> subtract(const Number& other) const;
  Number negated() const;

  bool is_zero() const { return coefficient_ == 0; }
  bool is_negative() const { return negative_; }
  // The parts of the canonical form: the coefficient, 0 or not divisible by 10, and the power of ten of its last digit.
  unsigned __int128 coefficient() const { return coefficient_; }
  int exponent() const { return exponent_; }
  // The value if it is a whole number in range.
  std::optional<int64_t> to_int64() const;
  // The nearest double, for scores and approximations only.
  double to_double() const;
  // The nearest float, infinite if the number is out of range.
  float to_float() const;

  std::strong_ordering operator<=>(const Number& other) const;
  bool operator==(const Number& other) const = default;

  // The number's part of an item's size in bytes: 1 + half its digits before the point + half its digits after it, each
  // rounded up and without leading and trailing zeros, and 1 more for a minus sign. Examples: 1 for zero, 2 for 1000, 3
  // for 1.5 and -42. Source: Dynoxide (github.com/nubo-db/dynoxide, types.rs), which measured it byte for byte against
  // DynamoDB's 400 KB limit; the developer guide says only "approximately".
  size_t size_bytes() const;

  // Appends a self-delimiting encoding whose byte order is number order, at most 22 bytes: docs/formats/numbers.md.
  void encode(std::string& out) const;
  // Takes one encoded number from the front of `in`; nullopt, and `in` unchanged, if the bytes are not an encoding.
  static std::optional<Number> decode(std::string_view& in);

  // The fastest form, neither ordered nor self-delimiting, empty for zero: docs/formats/numbers.md. Returns the end.
  // `out` needs room for kMaxCompactBytes.
  static constexpr size_t kMaxCompactBytes = 18;
  char* write_compact(char* out) const;
  // The number that `bytes` as a whole encode; nullopt if they encode none.
  static std::optional<Number> from_compact(std::string_view bytes);

 private:
  Number(unsigned __int128 coefficient, int exponent, bool negative);
  template <class Unsigned>
  static std::optional<Number> from_parts(Unsigned coefficient, int exponent, bool negative);
  static constexpr int kLowestExponent = -167;  // of the 38th digit of a number that starts at 1E-130

  // value = (negative ? -1 : 1) * coefficient * 10^exponent
  unsigned __int128 coefficient_ = 0;
  int16_t exponent_ = 0;
  bool negative_ = false;
};

}  // namespace partita::model
