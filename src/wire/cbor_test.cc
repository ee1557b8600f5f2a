#include "wire/cbor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "wire/hex_testing.h"

namespace partita::wire {
namespace {

// RFC 8949, appendix A.
struct Integer {
  int64_t value;
  std::string_view hex;
};
constexpr Integer kIntegers[] = {
    {0, "00"},
    {23, "17"},
    {24, "1818"},
    {100, "1864"},
    {255, "18ff"},
    {256, "190100"},
    {65535, "19ffff"},
    {65536, "1a00010000"},
    {1'000'000, "1a000f4240"},
    {4'294'967'296, "1b0000000100000000"},
    {INT64_MAX, "1b7fffffffffffffff"},
    {-1, "20"},
    {-24, "37"},
    {-25, "3818"},
    {-100, "3863"},
    {-1000, "3903e7"},
    {INT64_MIN, "3b7fffffffffffffff"},
};

TEST(CborWriterTest, WritesTheShortestIntegers) {
  for (const auto& [value, hex] : kIntegers) {
    CborWriter out(0);
    out.integer(value);
    EXPECT_EQ(to_hex(out.view()), hex);
  }
}

TEST(CborReaderTest, ReadsIntegers) {
  for (const auto& [value, hex] : kIntegers) {
    const std::string bytes = from_hex(hex);
    CborReader in(bytes);
    EXPECT_EQ(in.integer(), value);
    EXPECT_TRUE(in.finished()) << hex;
    for (size_t size = 0; size < bytes.size(); ++size) {
      CborReader cut(std::string_view(bytes).substr(0, size));
      EXPECT_EQ(cut.integer(), 0);
      EXPECT_FALSE(cut.ok());
    }
  }
  for (const std::string_view hex : {"1b8000000000000000", "3bffffffffffffffff", "60", "1c", "1f", "ff", "f6"}) {
    const std::string bytes = from_hex(hex);
    CborReader in(bytes);
    in.integer();
    EXPECT_FALSE(in.ok()) << hex;
  }
}

TEST(CborReaderTest, ReadsFloats) {
  struct Float {
    double value;
    std::string_view hex;
  };
  for (const auto& [value, hex] : {Float{1.5, "f93e00"}, Float{65504, "f97bff"}, Float{5.960464477539063e-8, "f90001"},
                                   Float{-4, "f9c400"}, Float{100000, "fa47c35000"}, Float{1.1, "fb3ff199999999999a"},
                                   Float{INFINITY, "f97c00"}, Float{-INFINITY, "faff800000"}}) {
    const std::string bytes = from_hex(hex);
    CborReader in(bytes);
    EXPECT_EQ(in.number(), value);
    EXPECT_TRUE(in.finished()) << hex;
  }
  const std::string nan = from_hex("f97e00");
  EXPECT_TRUE(std::isnan(CborReader(nan).number()));
  const std::string integer = from_hex("01");
  CborReader in(integer);
  in.number();
  EXPECT_FALSE(in.ok());
}

TEST(CborReaderTest, ReadsMembersOfBothLengths) {
  for (const std::string_view hex : {"83f5016161", "9ff5016161ff"}) {
    const std::string bytes = from_hex(hex);
    CborReader in(bytes);
    auto members = in.array();
    EXPECT_EQ(members.indefinite(), hex.starts_with("9f"));
    ASSERT_TRUE(in.next(members));
    EXPECT_TRUE(in.boolean());
    ASSERT_TRUE(in.next(members));
    EXPECT_EQ(in.integer(), 1);
    ASSERT_TRUE(in.next(members));
    EXPECT_EQ(in.text(), "a");
    EXPECT_FALSE(in.next(members));
    EXPECT_TRUE(in.finished());
  }
  const std::string map = from_hex("bf0142abcdff");
  CborReader in(map);
  auto members = in.map();
  ASSERT_TRUE(in.next(members));
  EXPECT_EQ(in.integer(), 1);
  EXPECT_EQ(in.bytes(), "\xab\xcd");
  EXPECT_FALSE(in.next(members));
  EXPECT_TRUE(in.finished());
}

TEST(CborReaderTest, AFailureEndsEveryLoop) {
  for (const std::string_view hex : {"9f01", "8301", "9bffffffffffffffff", "9b7fffffffffffffff0101", "a10101ff"}) {
    const std::string bytes = from_hex(hex);
    CborReader in(bytes);
    int rounds = 0;
    for (auto members = in.array(); in.next(members); ++rounds) in.integer();
    EXPECT_LE(rounds, 2);
    EXPECT_FALSE(in.ok()) << hex;
    EXPECT_EQ(in.text(), "");
    EXPECT_EQ(in.map().left, 0u);
    EXPECT_FALSE(in.take_null());
    EXPECT_TRUE(in.head().is_simple(kCborBreak));
  }
  const std::string bytes = from_hex("a2010203");  // too few bytes for two members
  CborReader in(bytes);
  EXPECT_EQ(in.map().left, 0u);
  EXPECT_FALSE(in.ok());
}

TEST(CborReaderTest, TakesNullOnlyWhereItIs) {
  const std::string bytes = from_hex("f6f701");
  CborReader in(bytes);
  EXPECT_TRUE(in.take_null());
  EXPECT_TRUE(in.take_null());
  EXPECT_FALSE(in.take_null());
  EXPECT_EQ(in.integer(), 1);
}

TEST(CborReaderTest, SkipsWholeItems) {
  for (const std::string_view hex :
       {"00", "1818", "6161", "42abcd", "80", "83010203", "9f01ff", "a1016161", "bf0102ff", "bfff", "c48221196ab3",
        "d90cf9816161", "f6", "fb3ff199999999999a", "9f9f81a10181f6ffff", "f8ff"}) {
    const std::string item = from_hex(hex);
    const std::string bytes = item + "\x01";
    CborReader in(bytes);
    EXPECT_EQ(to_hex(in.skip()), hex);
    EXPECT_EQ(in.integer(), 1);
    EXPECT_TRUE(in.finished());
    for (size_t size = 0; size < item.size(); ++size) {
      CborReader cut(std::string_view(item).substr(0, size));
      EXPECT_EQ(cut.skip(), "");
      EXPECT_FALSE(cut.ok()) << hex << " cut to " << size;
    }
  }
}

TEST(CborReaderTest, SkipsNothingThatIsMalformed) {
  for (const std::string_view hex : {"ff", "81ff", "bf01ff", "a1ff", "c1ff", "7f6161ff", "1c", "df",
                                     "9bffffffffffffffff", "bb8000000000000000", "a201", "62616", "dfff"}) {
    const std::string bytes = from_hex(hex);
    CborReader in(bytes);
    EXPECT_EQ(in.skip(), "");
    EXPECT_FALSE(in.ok()) << hex;
  }
}

TEST(CborReaderTest, SkipsToABoundedDepth) {
  const auto nested = [](size_t levels) { return std::string(levels, '\x81') + std::string(1, '\0'); };
  const std::string deepest = nested(CborReader::kMaxSkippedDepth);
  EXPECT_EQ(CborReader(deepest).skip().size(), deepest.size());
  const std::string deeper = nested(CborReader::kMaxSkippedDepth + 1);
  CborReader in(deeper);
  in.skip();
  EXPECT_FALSE(in.ok());
}

TEST(CborWriterTest, WritesItemsOfAllKinds) {
  CborWriter out(0);
  out.begin_map();
  out.text("a");
  out.array(2);
  out.boolean(true);
  out.boolean(false);
  out.bytes("\xab");
  out.null();
  out.end();
  out.begin_array();
  out.tag(3321);
  out.map(0);
  out.number(1.1);
  out.raw("\x17");
  out.end();
  EXPECT_EQ(to_hex(out.view()), "bf616182f5f441abf6ff9fd90cf9a0fb3ff199999999999a17ff");
  const size_t size = out.size();
  out.text("more");
  out.cut(size);
  EXPECT_EQ(std::move(out).take().size(), size);
}

TEST(CborWriterTest, WritesStringsOfAllSizes) {
  for (const size_t size : {0, 23, 24, 255, 256, 65535, 65536}) {
    CborWriter out;
    out.text(std::string(size, 'x'));
    out.integer(-1);
    const std::string bytes = std::move(out).take();
    EXPECT_EQ(bytes.size(), cbor_head_size(size) + size + 1);
    CborReader in(bytes);
    EXPECT_EQ(in.text(), std::string(size, 'x'));
    EXPECT_EQ(in.integer(), -1);
    EXPECT_TRUE(in.finished());
  }
}

TEST(CborWriterTest, MeasuresByteStringsAtTheirEnd) {
  CborWriter small;
  const auto open = small.begin_bytes();
  small.integer(1);
  small.end_bytes(open);
  EXPECT_EQ(to_hex(small.view()), "59000101");

  for (const size_t size : {0, 65'530, 65'535, 65'536, 200'000}) {
    CborWriter out(0);
    out.integer(1);
    const auto outer = out.begin_bytes();
    const auto inner = out.begin_bytes();
    out.raw(std::string(size, 'x'));
    out.end_bytes(inner);
    out.integer(2);
    out.end_bytes(outer);
    out.integer(3);
    CborReader in(out.view());
    EXPECT_EQ(in.integer(), 1);
    CborReader content(in.bytes());
    EXPECT_EQ(content.bytes(), std::string(size, 'x'));
    EXPECT_EQ(content.integer(), 2);
    EXPECT_TRUE(content.finished());
    EXPECT_EQ(in.integer(), 3);
    EXPECT_TRUE(in.finished());
  }
}

}  // namespace
}  // namespace partita::wire
