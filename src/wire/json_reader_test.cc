#include "wire/json_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/fault.h"

namespace partita::wire {
namespace {

using Kind = JsonValue::Kind;

JsonDocument parsed(std::string_view text) {
  auto document = JsonDocument::parse(text);
  PARTITA_CHECK(document.ok());
  return std::move(document).value();
}

bool refused(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  return !document.ok() && model::fault_of(document.error()) == model::Fault::kMalformedJson;
}

TEST(JsonReader, TellsKindsApart) {
  const JsonDocument document = parsed(R"({"n":null,"t":true,"f":false,"i":-7,"d":1.5,"s":"xé\n","a":[1],"o":{}})");
  const JsonValue root = document.root();
  EXPECT_EQ(root.kind(), Kind::kObject);
  EXPECT_EQ(root.size(), 8u);
  EXPECT_FALSE(root.get("n").present());
  EXPECT_TRUE(root.get("t").as_boolean());
  EXPECT_FALSE(root.get("f").as_boolean());
  EXPECT_TRUE(root.get("f").present());
  EXPECT_EQ(root.get("i").as_integer(), -7);
  EXPECT_EQ(root.get("i").as_double(), -7.0);
  EXPECT_EQ(root.get("d").as_double(), 1.5);
  EXPECT_EQ(root.get("d").as_integer(), 1);
  EXPECT_EQ(root.get("d").kind(), Kind::kDecimal);
  EXPECT_EQ(root.get("s").as_string(), "x\xc3\xa9\n");
  EXPECT_EQ(root.get("a").size(), 1u);
  EXPECT_EQ(root.get("o").size(), 0u);
  EXPECT_FALSE(root.get("missing").present());
  EXPECT_FALSE(root.get("s").get("no object").present());
}

TEST(JsonReader, WalksInTheOrderOfTheText) {
  const JsonDocument document = parsed(R"({"b":[3,[4,5],{"x":6},7],"a":{"deep":{"er":1}},"c":2})");
  std::vector<std::string> names;
  for (const auto [name, value] : document.root().members()) names.emplace_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"b", "a", "c"}));
  std::vector<Kind> kinds;
  for (const JsonValue element : document.root().get("b").elements()) kinds.push_back(element.kind());
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::kInteger, Kind::kArray, Kind::kObject, Kind::kInteger}));
  EXPECT_EQ(document.root().get("c").as_integer(), 2);
  for (const JsonValue element : document.root().elements()) FAIL() << static_cast<int>(element.kind());
  for (const auto [name, value] : JsonValue().members()) FAIL() << name;
}

TEST(JsonReader, TheLastOfTwoMembersCounts) {
  const JsonDocument document = parsed(R"({"a":1,"b":2,"a":3})");
  EXPECT_EQ(document.root().get("a").as_integer(), 3);
}

TEST(JsonReader, NumbersBeyondAnIntegerStopAtItsEnds) {
  const JsonDocument document = parsed("[18446744073709551615, 1e300, -1e300, 9007199254740993]");
  std::vector<int64_t> numbers;
  for (const JsonValue element : document.root().elements()) numbers.push_back(element.as_integer());
  EXPECT_EQ(numbers, (std::vector<int64_t>{INT64_MAX, INT64_MAX, INT64_MIN, 9007199254740993}));
}

TEST(JsonReader, RefusesWhatIsNoJson) {
  for (const char* text : {"", " ", "{", "}", "{\"a\":}", "[1,]", "{'a':1}", "nul", "\"\xff\"", "\"a", "{} {}"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(JsonReader, BoundsDepthAndLength) {
  EXPECT_FALSE(refused(std::string(500, '[') + std::string(500, ']')));
  EXPECT_TRUE(refused(std::string(10'000, '[') + std::string(10'000, ']')));
  EXPECT_TRUE(refused(std::string(10'000'000, '[')));
  const std::string longest = '"' + std::string(16 * 1024 * 1024 - 2, 'x') + '"';
  EXPECT_FALSE(refused(longest));
  EXPECT_TRUE(refused(longest + " "));
}

TEST(JsonReader, CountsLargeArrays) {
  const size_t count = 100'000;
  std::string text = "[0";
  for (size_t i = 1; i < count; ++i) text += ",0";
  EXPECT_EQ(parsed(text + "]").root().size(), count);
}

TEST(JsonReader, DocumentsLiveSideBySideAndMove) {
  JsonDocument first = parsed(R"({"a":"first"})");
  JsonDocument second = parsed(R"({"a":"second"})");
  EXPECT_EQ(first.root().get("a").as_string(), "first");
  JsonDocument moved = std::move(first);
  EXPECT_EQ(moved.root().get("a").as_string(), "first");
  moved = std::move(second);
  EXPECT_EQ(moved.root().get("a").as_string(), "second");
  const JsonDocument reused = parsed("[]");
  EXPECT_EQ(moved.root().get("a").as_string(), "second");
}

}  // namespace
}  // namespace partita::wire
