#include "wire/dax/number.h"

#include <gtest/gtest.h>

#include <string>

#include "model/fault.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using model::Number;

Result<Number> number_from(std::string_view hex) {
  const std::string bytes = from_hex(hex);
  CborReader in(bytes);
  auto number = read_number(in);
  EXPECT_TRUE(in.finished()) << hex;
  return number;
}

std::string number_hex(std::string_view text) {
  CborWriter out;
  write_number(out, Number::parse(text).value());
  return to_hex(out.view());
}

TEST(DaxNumberTest, WritesTheShortestForm) {
  EXPECT_EQ(number_hex("0"), "00");
  EXPECT_EQ(number_hex("-10"), "29");
  EXPECT_EQ(number_hex("1000"), "1903e8");
  EXPECT_EQ(number_hex("1.5"), "c482200f");
  EXPECT_EQ(number_hex("-1.50"), "c482202e");
  EXPECT_EQ(number_hex("18446744073709551615"), "1bffffffffffffffff");
  EXPECT_EQ(number_hex("18446744073709551616"), "c249010000000000000000");
  EXPECT_EQ(number_hex("-18446744073709551616"), "3bffffffffffffffff");
  EXPECT_EQ(number_hex("-18446744073709551617"), "c349010000000000000000");
  EXPECT_EQ(number_hex("1e37"),
            "c250"
            "0785ee10d5da46d900f436a000000000");
  EXPECT_EQ(number_hex("1e38"), "c482182601");
  EXPECT_EQ(number_hex("1e-130"), "c482388101");
  EXPECT_EQ(number_hex("-9.9999999999999999999999999999999999999e125"), "c4821858c3504b3b4ca85a86c47a098a223ffffffffe");
}

TEST(DaxNumberTest, ReadsWhatItWrites) {
  for (const std::string_view text :
       {"0", "1", "-1", "23", "24", "-25", "18446744073709551616", "-18446744073709551617", "1.5", "-0.001", "1e125",
        "1e-130", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
        "9.9999999999999999999999999999999999999e125", "1.2345678901234567890123456789012345678e-130", "12e36"}) {
    const Number number = Number::parse(text).value();
    CborWriter out;
    write_number(out, number);
    EXPECT_LE(out.size(), kMaxNumberBytes);
    CborReader in(out.view());
    EXPECT_EQ(read_number(in).value(), number) << text;
    EXPECT_TRUE(in.finished());
  }
}

TEST(DaxNumberTest, ReadsEveryForm) {
  struct NumberForm {
    std::string_view hex;
    std::string_view text;
  };
  for (const auto& [hex, text] : {
           NumberForm{"c482211896", "1.5"},          // 150 * 10^-2, of Python
           NumberForm{"fb3ff8000000000000", "1.5"},  // of Node
           NumberForm{"fb3fb999999999999a", "0.1"},  // the shortest decimal
           NumberForm{"fa3dcccccd", "0.1"},
           NumberForm{"fb8000000000000000", "0"},  // -0
           NumberForm{"c240", "0"},                // a bignum of no bytes
           NumberForm{"c249000000000000000005", "5"},
           NumberForm{"c340", "-1"},
           NumberForm{"c4820ac24105", "50000000000"},  // a mantissa that is a bignum
           NumberForm{"c48200c34105", "-6"},
           NumberForm{"1bffffffffffffffff", "18446744073709551615"},
           NumberForm{"3bffffffffffffffff", "-18446744073709551616"},
       }) {
    const auto number = number_from(hex);
    ASSERT_TRUE(number.ok()) << hex;
    EXPECT_EQ(number->to_string(), text) << hex;
  }
}

// The bytes of 10^125 as a bignum.
std::string ten_to_125() {
  std::string bytes(1, '\1');
  for (int i = 0; i < 125; ++i) {
    unsigned carry = 0;
    for (size_t at = bytes.size(); at-- > 0;) {
      const unsigned product = static_cast<uint8_t>(bytes[at]) * 10U + carry;
      bytes[at] = static_cast<char>(product & 0xff);
      carry = product >> 8;
    }
    if (carry != 0) bytes.insert(0, 1, static_cast<char>(carry));
  }
  return bytes;
}

TEST(DaxNumberTest, ReadsBignumsThatEndInZeros) {
  CborWriter out;
  out.tag(2);
  out.bytes(std::string(100, '\0') + ten_to_125());
  CborReader in(out.view());
  EXPECT_EQ(read_number(in).value(), Number::parse("1e125").value());
}

Fault number_fault(std::string_view hex) { return model::fault_of(number_from(hex).error()); }

TEST(DaxNumberTest, RefusesNumbersOutOfRange) {
  EXPECT_EQ(number_fault("c482187e01"), Fault::kNumberOverflow);   // 1E126
  EXPECT_EQ(number_fault("c482388201"), Fault::kNumberUnderflow);  // 1E-131
  EXPECT_EQ(number_fault("c4821b7fffffffffffffff01"), Fault::kNumberOverflow);
  EXPECT_EQ(number_fault("c4823b7fffffffffffffff01"), Fault::kNumberUnderflow);
  EXPECT_EQ(number_fault("c482187e00"), Fault::kNumberOverflow);  // 0E126
  EXPECT_EQ(number_fault("c250ffffffffffffffffffffffffffffffff"), Fault::kNumberPrecision);
  EXPECT_EQ(number_fault("c350ffffffffffffffffffffffffffffffff"), Fault::kNumberPrecision);  // -2^128
  EXPECT_EQ(number_fault("fb7e37e43c8800759c"), Fault::kNumberOverflow);                     // 1E300
  EXPECT_EQ(number_fault("fb0000000000000001"), Fault::kNumberUnderflow);                    // 5E-324
  for (const std::string_view hex : {"fb7ff0000000000000", "fbfff0000000000000", "fb7ff8000000000000", "fa7f800000"}) {
    EXPECT_EQ(number_fault(hex), Fault::kNumberSyntax) << hex;
  }
  EXPECT_EQ(number_from("fbfff0000000000000").error().args(), std::vector<std::string>{"-Infinity"});
  CborWriter out;
  out.tag(2);
  out.bytes(std::string(100'000, '\xff'));
  CborReader in(out.view());
  EXPECT_EQ(model::fault_of(read_number(in).error()), Fault::kNumberOverflow);
}

TEST(DaxNumberTest, RefusesWhatIsNoNumber) {
  for (const std::string_view hex : {"",
                                     "60",
                                     "40",
                                     "80",
                                     "f6",
                                     "f4",
                                     "f93e00",
                                     "c201",
                                     "c2",
                                     "c4",
                                     "c401",
                                     "c48100",
                                     "c483000000",
                                     "c4820060",
                                     "c4826000",
                                     "c482c2410100",
                                     "c48200c4820001",
                                     "c4820f",
                                     "c101",
                                     "c2c101",
                                     "c25f4101ff",
                                     "c49f0001ff",
                                     "c4821bffffffffffffffff01",
                                     "c48200fb3ff8000000000000"}) {
    const std::string bytes = from_hex(hex);
    CborReader in(bytes);
    EXPECT_EQ(model::fault_of(read_number(in).error()), Fault::kDaxMalformed) << hex;
    EXPECT_FALSE(in.ok());
  }
}

}  // namespace
}  // namespace partita::wire::dax
