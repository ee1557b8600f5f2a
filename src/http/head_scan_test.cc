#include "http/head_scan.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace partita::http {
namespace {

bool of_token(unsigned char c) {
  return std::isalnum(c) != 0 ||
         (c != 0 && std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos);
}

TEST(HeadScan, FindsTheEndOfATokenAndOfPlainText) {
  for (size_t length = 0; length < 40; ++length) {
    for (size_t place = 0; place < length; ++place) {
      for (int c = 0; c < 256; ++c) {
        std::string text(length, 'x');
        text[place] = static_cast<char>(c);
        ASSERT_EQ(token_size(text), of_token(static_cast<unsigned char>(c)) ? length : place) << c;
        ASSERT_EQ(plain_size(text), c < 0x20 || c == 0x7f ? place : length) << c;
      }
    }
  }
}

TEST(HeadScan, KnowsNamesInWhateverCase) {
  for (size_t i = 0; i < kOnce.size(); ++i) {
    std::string name(kOnce[i]);
    EXPECT_EQ(place_in_once(name), i);
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    EXPECT_EQ(place_in_once(name), i);
    EXPECT_TRUE(same_name(name, kOnce[i]));
    for (char& c : name) {
      const char kept = std::exchange(c, '_');
      EXPECT_EQ(place_in_once(name), kOnce.size());
      EXPECT_FALSE(same_name(name, kOnce[i]));
      c = kept;
    }
    EXPECT_EQ(place_in_once(name + "x"), kOnce.size());
    EXPECT_EQ(place_in_once(name.substr(1)), kOnce.size());
  }
  EXPECT_EQ(place_in_once(""), kOnce.size());
  EXPECT_FALSE(same_name("cookies", "cookie"));
  EXPECT_TRUE(same_name("TE", "te"));
  EXPECT_FALSE(same_name("TF", "te"));
}

}  // namespace
}  // namespace partita::http
