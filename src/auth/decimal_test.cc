#include "auth/decimal.h"

#include <gtest/gtest.h>

#include <array>

namespace partita::auth {
namespace {

TEST(DecimalTest, ReadsNumbersAndNothingElse) {
  for (const char* text : {"0", "-0", "+1", "1.", ".5", "12.50", "1e3", "1E+3", "-1.5e-7", "00.10"}) {
    EXPECT_TRUE(Decimal::read(text)) << text;
  }
  for (const char* text : {"", ".", "+", "-", "e5", "1e", "1e+-5", "1.2.3", "0x1", "1 ", "inf", "nan", "1e1000001"}) {
    EXPECT_FALSE(Decimal::read(text)) << text;
  }
}

TEST(DecimalTest, ComparesExactly) {
  constexpr std::array kAscending = {"-9007199254740993",
                                     "-9007199254740992",
                                     "-1e10",
                                     "-0.2",
                                     "-0.15",
                                     "0",
                                     "1e-9",
                                     "0.1",
                                     "0.10000000000000000001",
                                     "1",
                                     "9007199254740992",
                                     "9007199254740993",
                                     "1e16"};
  for (size_t i = 0; i < kAscending.size(); ++i) {
    for (size_t j = 0; j < kAscending.size(); ++j) {
      EXPECT_EQ(*Decimal::read(kAscending[i]) <=> *Decimal::read(kAscending[j]), i <=> j)
          << kAscending[i] << " " << kAscending[j];
    }
  }
  EXPECT_EQ(Decimal::read("1e3"), Decimal::read("+01000.0"));
  EXPECT_EQ(Decimal::read("-0"), Decimal::read("0e5"));
}

}  // namespace
}  // namespace partita::auth
