#include "base/hex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <string_view>

namespace partita {
namespace {

TEST(HexDigit, IsOneOfTwentyTwoCharacters) {
  constexpr std::string_view kLower = "0123456789abcdef";
  constexpr std::string_view kUpper = "0123456789ABCDEF";
  for (int c = CHAR_MIN; c <= CHAR_MAX; ++c) {
    const size_t value = std::min(kLower.find(static_cast<char>(c)), kUpper.find(static_cast<char>(c)));
    const auto digit = hex_digit(static_cast<char>(c));
    EXPECT_EQ(digit.has_value(), value != std::string_view::npos) << c;
    EXPECT_EQ(digit.value_or(0), value == std::string_view::npos ? 0 : value) << c;
  }
}

}  // namespace
}  // namespace partita
