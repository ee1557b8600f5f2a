#include "model/number.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/fault.h"

namespace partita::model {
namespace {

Number number(std::string_view text) {
  auto parsed = Number::parse(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : Number();
}

Fault fault(const Result<Number>& result) { return result.ok() ? Fault::kCount : fault_of(result.error()); }

const std::string kLargest = "9.9999999999999999999999999999999999999E+125";

TEST(NumberTest, ReadsEveryNotation) {
  const std::pair<const char*, const char*> kCases[] = {
      {"1", "1"},         {"+1", "1"},     {"-1.5e3", "-1500"}, {".5", "0.5"},      {"5.", "5"},
      {"1E+5", "100000"}, {"007", "7"},    {"-0", "0"},         {"0.000", "0"},     {"0e125", "0"},
      {"1.10", "1.1"},    {"100e-2", "1"}, {"1e3", "1000"},     {"-.25E1", "-2.5"}, {"0.001", "0.001"},
  };
  for (const auto& [text, canonical] : kCases) EXPECT_EQ(number(text).to_string(), canonical) << text;
}

TEST(NumberTest, JudgesZeroByItsExponent) {
  EXPECT_TRUE(number("0e-130").is_zero());
  EXPECT_EQ(fault(Number::parse("0e126")), Fault::kNumberOverflow);
  EXPECT_EQ(fault(Number::parse("0e-131")), Fault::kNumberUnderflow);
}

TEST(NumberTest, WritesDigitsOutWithoutExponent) {
  EXPECT_EQ(number("1E125").to_string(), "1" + std::string(125, '0'));
  EXPECT_EQ(number("1E-130").to_string(), "0." + std::string(129, '0') + "1");
  EXPECT_EQ(number(kLargest).to_string(), std::string(38, '9') + std::string(88, '0'));
}

TEST(NumberTest, RefusesWhatIsNoNumber) {
  EXPECT_EQ(fault(Number::parse("")), Fault::kNumberEmpty);
  for (const char* text : {"-", "+", ".", "e5", "1e", "1e+", "1.2.3", "++5", " 5", "5 ", "1_000", "NaN", "Infinity",
                           "0x10", "1,5", "1+2", "-e1", "1e1.5"}) {
    const auto parsed = Number::parse(text);
    ASSERT_EQ(fault(parsed), Fault::kNumberSyntax) << text;
    EXPECT_EQ(parsed.error().args(), std::vector<std::string>{text});
  }
}

TEST(NumberTest, CountsOnlySignificantDigits) {
  const std::string digits(38, '7');
  EXPECT_EQ(number("000" + digits + "000").to_string(), digits + "000");
  EXPECT_EQ(number("0.000" + digits + "0000").to_string(), "0.000" + digits);
  EXPECT_EQ(fault(Number::parse(digits + "1")), Fault::kNumberPrecision);
  EXPECT_EQ(fault(Number::parse("1" + std::string(37, '0') + ".1")), Fault::kNumberPrecision);
  EXPECT_EQ(number("1" + std::string(1000, '0') + "e-1000").to_string(), "1");
  EXPECT_EQ(number("0." + std::string(1000, '0') + "1e1001").to_string(), "1");
}

TEST(NumberTest, KeepsToTheRange) {
  EXPECT_EQ(fault(Number::parse("1e126")), Fault::kNumberOverflow);
  EXPECT_EQ(fault(Number::parse("-1e126")), Fault::kNumberOverflow);
  EXPECT_EQ(fault(Number::parse("1e-131")), Fault::kNumberUnderflow);
  EXPECT_EQ(fault(Number::parse("1e9223372036854775807")), Fault::kNumberOverflow);
  EXPECT_EQ(fault(Number::parse("1e-9223372036854775808")), Fault::kNumberUnderflow);
  for (const char* beyond : {"1e9223372036854775808", "1e-9223372036854775809", "1e99999999999999999999999"}) {
    EXPECT_EQ(fault(Number::parse(beyond)), Fault::kNumberSyntax) << beyond;
  }
  for (const char* zero : {"0e125", "0.0e126", "0.000e128", "00e-130", "-0.0e-129"}) {
    EXPECT_EQ(number(zero), Number()) << zero;
  }
  EXPECT_EQ(fault(Number::parse("0.0e127")), Fault::kNumberOverflow);
  EXPECT_EQ(fault(Number::parse("0.0e-130")), Fault::kNumberUnderflow);
  EXPECT_EQ(number("1.5e-130").to_string(), "0." + std::string(129, '0') + "15");
}

TEST(NumberTest, AddsExactlyOrNotAtAll) {
  EXPECT_EQ(number("0.1").add(number("0.2"))->to_string(), "0.3");
  EXPECT_EQ(number("1e38").subtract(number("1"))->to_string(), std::string(38, '9'));
  EXPECT_EQ(number(std::string(38, '9')).add(number("1"))->to_string(), "1" + std::string(38, '0'));
  EXPECT_EQ(*number("5").subtract(number("5")), Number());
  EXPECT_EQ(fault(number("1e38").add(number("1"))), Fault::kNumberOverflow);
  EXPECT_EQ(fault(number("1e39").subtract(number("1"))), Fault::kNumberOverflow);
  EXPECT_EQ(fault(number("1e125").add(number("1e-130"))), Fault::kNumberOverflow);
  EXPECT_EQ(fault(number("9e125").add(number("1e125"))), Fault::kNumberOverflow);
  EXPECT_EQ(fault(number("1.1e-130").subtract(number("1e-130"))), Fault::kNumberUnderflow);
  EXPECT_EQ(number("1e-130").add(Number())->to_string(), number("1e-130").to_string());
}

TEST(NumberTest, Compares) {
  const char* kAscending[] = {"-1e125", "-10", "-9.99", "-1e-130", "0", "1e-130", "0.5", "9.99", "10", "10.1", "1e125"};
  for (size_t i = 0; i < std::size(kAscending); ++i) {
    for (size_t j = 0; j < std::size(kAscending); ++j) {
      EXPECT_EQ(number(kAscending[i]) <=> number(kAscending[j]), i <=> j) << kAscending[i] << " " << kAscending[j];
    }
  }
  EXPECT_EQ(number("1.50"), number("15e-1"));
  EXPECT_EQ(number("-0"), Number());
  EXPECT_EQ(number("2").negated(), number("-2"));
  EXPECT_EQ(Number().negated(), Number());
}

TEST(NumberTest, ConvertsToAndFromMachineNumbers) {
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{1200}, std::numeric_limits<int64_t>::max(),
                              std::numeric_limits<int64_t>::min()}) {
    EXPECT_EQ(Number::of(value).to_string(), std::to_string(value));
    EXPECT_EQ(Number::of(value).to_int64(), value);
  }
  EXPECT_EQ(number("9223372036854775808").to_int64(), std::nullopt);
  EXPECT_EQ(number("-9223372036854775809").to_int64(), std::nullopt);
  EXPECT_EQ(number("1e19").to_int64(), std::nullopt);
  EXPECT_EQ(number("1.5").to_int64(), std::nullopt);
  EXPECT_EQ(number("-1.5").to_double(), -1.5);
  EXPECT_EQ(number("1e125").to_double(), 1e125);
  EXPECT_EQ(number("123456789012345678901234567890e-130").to_double(), 123456789012345678901234567890e-130);
}

TEST(NumberTest, IsMadeOfParts) {
  constexpr unsigned __int128 kMost = ~static_cast<unsigned __int128>(0);
  EXPECT_EQ(*Number::of_parts(150, -2, true), *Number::parse("-1.5"));
  EXPECT_EQ(*Number::of_parts(0, 125, true), Number());
  EXPECT_EQ(*Number::of_parts(kMost / 10 * 10 / 10000 * 10000, -100, false),
            *Number::parse("34028236692093846346337460743176821e-96"));
  const Number number = *Number::parse("-1200");
  EXPECT_TRUE(number.coefficient() == 12 && number.exponent() == 2 && number.is_negative());
  const auto fault = [](const Result<Number>& result) { return fault_of(result.error()); };
  EXPECT_EQ(fault(Number::of_parts(kMost, 0, false)), Fault::kNumberPrecision);
  EXPECT_EQ(fault(Number::of_parts(1, 126, false)), Fault::kNumberOverflow);
  EXPECT_EQ(fault(Number::of_parts(10, INT64_MAX, false)), Fault::kNumberOverflow);
  EXPECT_EQ(fault(Number::of_parts(1, -131, false)), Fault::kNumberUnderflow);
  EXPECT_EQ(fault(Number::of_parts(1, INT64_MIN, true)), Fault::kNumberUnderflow);
  EXPECT_EQ(fault(Number::of_parts(0, 126, false)), Fault::kNumberOverflow);
}

TEST(NumberTest, WeighsWhatDynamoDbCharges) {
  const std::pair<const char*, size_t> kCases[] = {
      {"0", 1},   {"-0", 1},     {"1", 2},       {"42", 2},    {"-42", 3},   {"1000", 2},  {"101", 3},
      {"1.5", 3}, {"1000.5", 4}, {"0.00123", 3}, {"123.4", 4}, {"1e125", 2}, {"1e-130", 2}};
  for (const auto& [text, bytes] : kCases) EXPECT_EQ(number(text).size_bytes(), bytes) << text;
  EXPECT_EQ(number(kLargest).size_bytes(), 20u);
}

TEST(NumberTest, EncodesKeysAsDocumented) {
  const auto encoded = [](std::string_view text) {
    std::string bytes;
    number(text).encode(bytes);
    return bytes;
  };
  EXPECT_EQ(encoded("0"), "\x20");
  EXPECT_EQ(encoded("1"), "\x30\x82\x14");
  EXPECT_EQ(encoded("-1"), "\x10\x7d\xeb");
  EXPECT_EQ(encoded("1234.5"), std::string("\x30\x85\x19\x45\x64", 5));
  EXPECT_EQ(encoded(kLargest).size(), 21u);
}

TEST(NumberTest, DecodesOnlyWhatItEncodes) {
  // Every mark, exponent and two mantissa bytes: what decodes at all encodes back to the same bytes.
  size_t valid = 0;
  for (int mark = 0; mark < 256; ++mark) {
    for (int first = 0; first < 256; ++first) {
      for (int second = 0; second < 256; ++second) {
        const std::string bytes = {static_cast<char>(mark), '\x40', static_cast<char>(first),
                                   static_cast<char>(second)};
        std::string_view rest = bytes;
        const auto decoded = Number::decode(rest);
        if (!decoded) {
          ASSERT_EQ(rest, bytes);
          continue;
        }
        ++valid;
        std::string again;
        decoded->encode(again);
        ASSERT_EQ(again + std::string(rest), bytes);
      }
    }
  }
  EXPECT_GT(valid, 1000u);
  std::string_view nothing;
  EXPECT_FALSE(Number::decode(nothing));
}

TEST(NumberTest, CompactFormRefusesWhatIsNotCanonical) {
  const auto whole = [](std::string_view bytes) { return Number::from_compact(bytes); };
  EXPECT_EQ(whole(""), Number());
  EXPECT_EQ(whole({"\xa7\x00\x07", 3}), Number::of(7));
  EXPECT_FALSE(whole({"\xa7\x00\x0a", 3}));      // 10 is 1E1
  EXPECT_FALSE(whole({"\xa7\x00\x07\x00", 4}));  // a longer 7
  EXPECT_FALSE(whole({"\xa7\x00", 2}));
  EXPECT_FALSE(whole({"\x00\x00\x07", 3}));  // 7E-167
  EXPECT_FALSE(whole("\xa7\x02\x07"));       // 7E256
  EXPECT_FALSE(whole(std::string("\xa7\x00", 2) + std::string(16, '\xff')));
  EXPECT_FALSE(whole(std::string(19, '\x01')));
}

}  // namespace
}  // namespace partita::model
