#include "wire/dax/lex_decimal.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "model/fault.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using namespace std::string_literals;
using model::Number;

std::string lex_of(const Number& number) {
  std::array<char, kMaxLexDecimalBytes> room;
  return {room.data(), write_lex_decimal(room.data(), number)};
}

struct LexVector {
  std::string_view text;
  std::string_view hex;
};
constexpr LexVector kLexVectors[] = {
    {"0", "80"},
    {"1", "c11c0000"},
    {"3", "c14e0000"},
    {"1.5", "c1288010"},
    {"12345", "c521dce004"},
    {"-7", "3e4dfff0"},
    {"-4.5", "3e8c7fe0"},
    {"-0.001", "41e3fff0"},
    {"1E125", "fe8000007e1c0000"},
    {"1E-130", "817fffff7f1c0000"},
};

TEST(LexDecimalTest, WritesAndReadsTheFormsOfClients) {
  for (const auto& [text, hex] : kLexVectors) {
    const Number number = Number::parse(text).value();
    EXPECT_EQ(to_hex(lex_of(number)), hex) << text;
    EXPECT_EQ(read_lex_decimal(from_hex(hex)).value(), number) << text;
  }
}

TEST(LexDecimalTest, KeepsNumbersOfAnyCountOfDigits) {
  for (size_t count = 1; count <= 38; ++count) {
    const std::string zeros(count - 1, '0');
    for (const std::string& text : {"1" + zeros, "-1" + zeros + "e-40", std::string(count, '9')}) {
      const Number number = Number::parse(text).value();
      EXPECT_EQ(read_lex_decimal(lex_of(number)).value(), number) << text;
    }
    if (count == 1) continue;
    const Number between = Number::parse("7" + zeros.substr(1) + "1").value();
    EXPECT_LT(lex_of(Number::parse("7" + zeros).value()), lex_of(between));
    EXPECT_EQ(read_lex_decimal(lex_of(between.negated())).value(), between.negated());
  }
}

TEST(LexDecimalTest, WritesWhatIsStored) {
  std::array<char, kMaxLexDecimalBytes> room;
  const auto lex_of_stored = [&](std::string_view stored) -> std::string {
    char* const end = write_lex_decimal(room.data(), stored);
    return end == nullptr ? "none" : std::string(room.data(), end);
  };
  std::array<char, Number::kMaxCompactBytes> compact;
  for (int digits = -1200; digits <= 1200; ++digits) {
    for (const int exponent : {0, 1, 3, 57, 58, 59, 60, 61, 62, 120, -1, -2, -62, -63, -64, -65, -66, -130}) {
      if (digits == 0 && exponent != 0) continue;
      const Number number = Number::parse(std::to_string(digits) + "e" + std::to_string(exponent)).value();
      const std::string_view stored(compact.data(), number.write_compact(compact.data()));
      EXPECT_EQ(to_hex(lex_of_stored(stored)), to_hex(lex_of(number))) << digits << "e" << exponent;
    }
  }
  const std::string one = "\xa7\0\x01"s;
  EXPECT_EQ(to_hex(lex_of_stored(one)), "c11c0000");
  for (const std::string& damaged : {"\xa7\0\x0a"s, "\xa7\0\0"s, "\xa7\0\x01\0"s, "\xa7\0"s, "\xa7"s, "\xa7\xff\x01"s,
                                     "\0\0\x01"s, one + std::string(16, 'x')}) {
    EXPECT_EQ(lex_of_stored(damaged), "none") << to_hex(damaged);
  }
}

TEST(LexDecimalTest, ReadsFormsWithTrailingZeros) {
  EXPECT_EQ(read_lex_decimal(from_hex("c14e0010")).value(), Number::of(3)) << "3.0";
  EXPECT_EQ(read_lex_decimal(from_hex("fe800000011c0000")).value(), Number::of(1)) << "a long exponent";
  // 1, then zeros without end: 10 bits 112, 40 times 12, the terminator.
  std::string bits = "0001110000";
  for (int i = 0; i < 40'001; ++i) bits += "0000001100";
  bits += "0000000010";
  while (bits.size() % 8 != 0) bits += '0';
  std::string bytes = "\xc1";
  for (size_t i = 0; i < bits.size(); i += 8) {
    bytes.push_back(static_cast<char>(std::stoi(bits.substr(i, 8), nullptr, 2)));
  }
  EXPECT_EQ(read_lex_decimal(bytes).value(), Number::of(1));
}

TEST(LexDecimalTest, OrderOfBytesIsOrderOfNumbers) {
  constexpr std::string_view kAscending[] = {"-9.9999999999999999999999999999999999999E125",
                                             "-1E125",
                                             "-1E62",
                                             "-1E61",
                                             "-1E60",
                                             "-1234.5",
                                             "-1234",
                                             "-999",
                                             "-7.01",
                                             "-7",
                                             "-6.99",
                                             "-1",
                                             "-0.1",
                                             "-1E-62",
                                             "-1E-63",
                                             "-1E-64",
                                             "-1E-130",
                                             "0",
                                             "1E-130",
                                             "1E-64",
                                             "1E-63",
                                             "1E-62",
                                             "0.1",
                                             "1",
                                             "1.001",
                                             "7",
                                             "7.000000000000000000001",
                                             "999",
                                             "1000",
                                             "1234.5",
                                             "1E60",
                                             "1E61",
                                             "1E62",
                                             "1E125",
                                             "9.9999999999999999999999999999999999999E125"};
  std::string previous;
  for (const std::string_view text : kAscending) {
    const Number number = Number::parse(text).value();
    const std::string bytes = lex_of(number);
    EXPECT_LT(previous, bytes) << text;
    EXPECT_EQ(read_lex_decimal(bytes).value(), number);
    previous = bytes;
  }
}

TEST(LexDecimalTest, RefusesWhatIsNoNumber) {
  for (const std::string_view hex :
       {"", "00", "7f", "ff", "8000", "c1", "c11c", "c11c00", "c10000", "c11c000000", "c11c0001", "c1288000",
        "c1030000", "c1fd0000", "c1070000", "fe80", "fe8000007e", "3e", "3eb20000"}) {
    const auto number = read_lex_decimal(from_hex(hex));
    ASSERT_FALSE(number.ok()) << hex;
    EXPECT_EQ(model::fault_of(number.error()), Fault::kKeySchemaMismatch) << hex;
  }
  for (const auto& [text, hex] : kLexVectors) {
    const std::string bytes = from_hex(hex);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(read_lex_decimal(std::string_view(bytes).substr(0, size)).ok()) << text << " cut to " << size;
    }
  }
}

TEST(LexDecimalTest, RefusesNumbersOutOfRange) {
  EXPECT_EQ(model::fault_of(read_lex_decimal(from_hex("fe8000007f1c0000")).error()), Fault::kNumberOverflow);
  EXPECT_EQ(model::fault_of(read_lex_decimal(from_hex("feffffffff1c0000")).error()), Fault::kNumberOverflow);
  EXPECT_EQ(model::fault_of(read_lex_decimal(from_hex("817fffff7e1c0000")).error()), Fault::kNumberUnderflow);
  // 39 digits: 13 groups of 111 and the terminator of a whole group.
  std::string bits;
  for (int i = 0; i < 13; ++i) bits += "0001111011";
  bits += "0000000010";
  while (bits.size() % 8 != 0) bits += '0';
  std::string bytes = "\xc1";
  for (size_t i = 0; i < bits.size(); i += 8) {
    bytes.push_back(static_cast<char>(std::stoi(bits.substr(i, 8), nullptr, 2)));
  }
  EXPECT_EQ(model::fault_of(read_lex_decimal(bytes).error()), Fault::kNumberPrecision);
}

}  // namespace
}  // namespace partita::wire::dax
