// Numbers of conditions, compared exactly however many digits they have.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita::auth {

// Immutable.
class Decimal {
 public:
  // Such as "-12.50e3"; nothing for what is no finite number, or has an exponent beyond a million.
  static std::optional<Decimal> read(std::string_view text);

  std::strong_ordering operator<=>(const Decimal& other) const;
  bool operator==(const Decimal& other) const = default;

 private:
  bool negative_ = false;
  int64_t exponent_ = 0;  // of the point, before the first digit
  std::string digits_;    // neither the first nor the last is 0; empty: the number is 0
};

}  // namespace partita::auth
