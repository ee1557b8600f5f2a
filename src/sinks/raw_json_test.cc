#include "sinks/raw_json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace partita::sinks {
namespace {

std::vector<std::string> elements_of(std::string_view array) {
  std::vector<std::string> found;
  RawElements elements(array);
  while (const auto element = elements.next()) found.emplace_back(*element);
  return found;
}

TEST(RawJson, FindsMembersAsTheyAreWritten) {
  const std::string text =
      R"( { "a" : [1, "]"], "b\"":{"c":2}, "c" : 0.12345678901234567890123456789012345678 ,"d":"}\\" })";
  EXPECT_EQ(raw_member(text, "a"), R"([1, "]"])");
  EXPECT_EQ(raw_member(text, "c"), "0.12345678901234567890123456789012345678");
  EXPECT_EQ(raw_member(text, "d"), R"("}\\")");
  EXPECT_EQ(raw_member(text, "b"), std::nullopt);
  EXPECT_EQ(raw_member("{}", "a"), std::nullopt);
  EXPECT_EQ(raw_member("[1]", "a"), std::nullopt);
}

TEST(RawJson, TakesElementsInTheirOrder) {
  EXPECT_EQ(elements_of(R"([ {"a":[1]} , "x,]", 3,[ ] ])"),
            (std::vector<std::string>{R"({"a":[1]})", R"("x,]")", "3", "[ ]"}));
  EXPECT_TRUE(elements_of("[]").empty());
  EXPECT_TRUE(elements_of("[ ]").empty());
  EXPECT_TRUE(elements_of("{}").empty());
}

TEST(RawJson, IsSafeWithAnyBytes) {
  const std::string text = R"({"docs":[{"found":true,"_source":{"a":"\\\"","b":[1,{"c":null}]}},{"found":false}]})";
  for (size_t size = 0; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    EXPECT_EQ(raw_member(cut, "docs"), size + 1 < text.size() ? std::nullopt : raw_member(text, "docs")) << cut;
    elements_of(cut.substr(std::min<size_t>(size, 8)));
  }
  EXPECT_EQ(raw_member(std::string(1'000'000, '{'), "a"), std::nullopt);
  EXPECT_EQ(raw_member("{\"a\":]", "a"), std::nullopt);
  EXPECT_TRUE(elements_of(std::string(1'000'000, '[')).empty());
}

}  // namespace
}  // namespace partita::sinks
