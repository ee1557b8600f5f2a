#include "auth/text_util.h"

#include <gtest/gtest.h>

#include <climits>

namespace partita::auth {
namespace {

TEST(Percent, ComesBackAsItWas) {
  std::string all;
  for (int c = CHAR_MIN; c <= CHAR_MAX; ++c) all.push_back(static_cast<char>(c));
  EXPECT_EQ(decode_percent(encode_percent(all)), all);
  EXPECT_EQ(encode_percent("a-Z_0.~ /%\xff"), "a-Z_0.~%20%2F%25%FF");
}

TEST(Percent, IsOfEitherCase) { EXPECT_EQ(decode_percent("%2f%2F%c3%A9"), "//\xc3\xa9"); }

TEST(Percent, StaysWhereItOnlyLooksSo) {
  for (const std::string_view text : {"%", "%4", "a%", "a%4", "%zz", "%4z", "%g4", "%%", "+"}) {
    EXPECT_EQ(decode_percent(text), text);
  }
  EXPECT_EQ(decode_percent(std::string_view("%41").substr(0, 2)), "%4");
  EXPECT_EQ(decode_percent("%%41"), "%A");
  EXPECT_EQ(decode_percent("%4%41"), "%4A");
}

}  // namespace
}  // namespace partita::auth
