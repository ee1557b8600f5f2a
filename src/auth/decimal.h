// Exact numbers for conditions, with any number of digits.
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
  // Parses for example "-12.50e3"; nullopt if it is not a finite number, or has an exponent beyond a million.
  static std::optional<Decimal> read(std::string_view text);

  std::strong_ordering operator<=>(const Decimal& other) const;
  bool operator==(const Decimal& other) const = default;

 private:
  bool negative_ = false;
  int64_t exponent_ = 0;  // of ten, with the point before the first digit
  std::string digits_;    // neither the first nor the last is 0; empty: the number is 0
};

}  // namespace partita::auth
