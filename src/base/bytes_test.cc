#include "base/bytes.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

TEST(Bytes, IntegersOrderAsBytesAndComeBack) {
  std::string small, large;
  append_u64(small, 255);
  append_u64(large, 256);
  EXPECT_LT(small, large);
  std::string_view in = large;
  EXPECT_EQ(take_u64(in), 256u);
  EXPECT_TRUE(in.empty());
  EXPECT_EQ(take_u8(in), std::nullopt);
}

TEST(Bytes, VarintsComeBackAndTruncatedOnesDoNot) {
  for (uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{300}, ~uint64_t{0}}) {
    std::string out;
    append_varint(out, value);
    std::string_view in = out;
    EXPECT_EQ(take_varint(in), value);
    EXPECT_TRUE(in.empty());
    std::string_view cut = std::string_view(out).substr(0, out.size() - 1);
    EXPECT_EQ(take_varint(cut), std::nullopt);
  }
}

TEST(Bytes, Base64MatchesTheRfcAndRefusesTheRest) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
  for (auto [plain, encoded] : cases) {
    std::string out;
    append_base64(out, plain);
    EXPECT_EQ(out, encoded);
    EXPECT_EQ(decode_base64(encoded), plain);
  }
  for (std::string_view bad : {"Z", "Zg", "Zg=", "Zg=a", "Z===", "Zh==", "Zm9=", "Zm 8", "=Zg="}) {
    EXPECT_EQ(decode_base64(bad), std::nullopt) << bad;
  }
}

TEST(Bytes, Utf8RefusesOverlongSurrogatesAndCutSequences) {
  for (std::string_view good : {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) EXPECT_TRUE(is_utf8(good));
  for (std::string_view bad :
       {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3", "\xff"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
}

TEST(Bytes, PrefixEndIsTheFirstStringBehindThePrefix) {
  EXPECT_EQ(prefix_end("ab"), "ac");
  EXPECT_EQ(prefix_end(std::string("a\xff\xff")), "b");
  EXPECT_EQ(prefix_end(std::string("\xff\xff")), std::nullopt);
}

TEST(Bytes, Crc32IsTheStandardOne) { EXPECT_EQ(crc32("123456789"), 0xcbf43926u); }

TEST(Bytes, AUtf8PrefixHasWholeCharacters) {
  const std::string_view text = "a\xc3\xa9\xf0\x9f\x98\x80z";
  EXPECT_EQ(utf8_prefix(text, text.size()), text);
  EXPECT_EQ(utf8_prefix(text, 7), text.substr(0, 7));
  for (const size_t most : {3, 4, 5, 6}) EXPECT_EQ(utf8_prefix(text, most), text.substr(0, 3)) << most;
  EXPECT_EQ(utf8_prefix(text, 2), "a");
  EXPECT_EQ(utf8_prefix("\x80\x80", 1), "");
}

TEST(Bytes, CountsUtf16Units) {
  EXPECT_EQ(utf16_length(""), 0u);
  EXPECT_EQ(utf16_length("abc"), 3u);
  EXPECT_EQ(utf16_length("\xc3\xa9\xe6\xbc\xa2"), 2u);
  EXPECT_EQ(utf16_length("\xf0\x9f\x98\x80"), 2u);
}

}  // namespace
}  // namespace partita
