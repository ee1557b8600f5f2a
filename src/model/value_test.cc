#include "model/value.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace partita::model {
namespace {

using Value = AttributeValue;

Value number(int64_t value) { return Value::number(Number::of(value)); }

std::string letter(SeededRandom& random) { return {static_cast<char>('a' + random.below(12))}; }

// A few names, so that many of them meet.
AttributeMap some_map(SeededRandom& random) {
  AttributeMap map;
  for (uint64_t i = random.below(8); i > 0; --i) map.set(letter(random), number(static_cast<int64_t>(random.below(9))));
  return map;
}

TEST(AttributeMapTest, WholeStepsAreManySmallOnes) {
  SeededRandom random(7);
  for (int round = 0; round < 2'000; ++round) {
    const AttributeMap start = some_map(random);
    std::vector<AttributeMap::Entry> entries;
    AttributeMap set;
    for (uint64_t i = random.below(8); i > 0; --i) {
      entries.push_back({letter(random), number(static_cast<int64_t>(i))});
      set.set(entries.back().name, entries.back().value);
    }
    const AttributeMap made = AttributeMap::of(entries);
    EXPECT_EQ(made, set);

    AttributeMap merged = start;
    merged.merge(made);
    AttributeMap one_by_one = start;
    for (const auto& [name, value] : set) one_by_one.set(name, value);
    EXPECT_EQ(merged, one_by_one);

    std::vector<std::string_view> names;
    for (const auto& [name, value] : set) names.push_back(name);
    AttributeMap erased = start;
    erased.erase_all(names);
    one_by_one = start;
    for (const auto& [name, value] : set) one_by_one.erase(name);
    EXPECT_EQ(erased, one_by_one);
  }
}

TEST(AttributeMapTest, KeepsNamesSortedWhateverTheOrder) {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("n" + std::to_string(i));
  names.push_back("");
  names.push_back("\xff");
  SeededRandom random(1);
  for (size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[random.below(i)]);
  AttributeMap map;
  for (const std::string& name : names) EXPECT_EQ(map.set(name, Value::string(name)), Value::string(name));
  EXPECT_EQ(map.size(), names.size());
  EXPECT_TRUE(std::is_sorted(map.begin(), map.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const std::string& name : names) {
    ASSERT_TRUE(map.contains(name));
    EXPECT_EQ(*map.find(name), Value::string(name));
  }
  EXPECT_EQ(map.find("absent"), nullptr);
}

TEST(AttributeMapTest, ReplacesAndErases) {
  AttributeMap map;
  map.set("b", number(1));
  map.set("a", number(2));
  map.set("b", number(3));
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(*map.find("b"), number(3));
  EXPECT_TRUE(map.erase("a"));
  EXPECT_FALSE(map.erase("a"));
  EXPECT_FALSE(map.erase("z"));
  EXPECT_EQ(map.size(), 1u);
}

TEST(AttributeMapTest, EqualityIgnoresTheOrderOfInsertion) {
  AttributeMap one;
  one.set("a", number(1));
  one.set("b", number(2));
  AttributeMap other;
  other.set("b", number(2));
  other.set("a", number(1));
  EXPECT_EQ(one, other);
  EXPECT_EQ(Value::map(one), Value::map(other));
  other.set("a", number(7));
  EXPECT_NE(one, other);
}

TEST(AttributeValueTest, TypesAndNamesFollowTheAlternatives) {
  const std::pair<Value, std::string_view> kCases[] = {
      {Value::string("x"), "S"},       {number(1), "N"},
      {Value::binary("x"), "B"},       {Value::boolean(true), "BOOL"},
      {Value::null(), "NULL"},         {Value::map({}), "M"},
      {Value::list({}), "L"},          {Value::string_set({"x"}), "SS"},
      {Value::number_set({{}}), "NS"}, {Value::binary_set({"x"}), "BS"}};
  for (size_t i = 0; i < std::size(kCases); ++i) {
    EXPECT_EQ(static_cast<size_t>(kCases[i].first.type()), i);
    EXPECT_EQ(type_name(kCases[i].first.type()), kCases[i].second);
    EXPECT_EQ(kCases[i].first.is_set(), i >= 7);
    for (size_t j = 0; j < std::size(kCases); ++j) EXPECT_EQ(kCases[i].first == kCases[j].first, i == j);
  }
}

TEST(AttributeValueTest, SetsAreSortedAndDistinct) {
  EXPECT_EQ(Value::string_set({"b", "a", "b"}).as_string_set(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Value::binary_set({"\xff", std::string(1, '\0')}).as_binary_set(),
            (std::vector<std::string>{std::string(1, '\0'), "\xff"}));
  EXPECT_EQ(Value::number_set({Number::of(10), Number::of(9), Number::of(-1), Number::of(9)}),
            Value::number_set({Number::of(-1), Number::of(9), Number::of(10)}));
}

TEST(AttributeValueTest, ComparesScalars) {
  EXPECT_EQ(compare_scalars(number(9), number(10)), std::strong_ordering::less);
  EXPECT_EQ(compare_scalars(Value::string("9"), Value::string("10")), std::strong_ordering::greater);
  EXPECT_EQ(compare_scalars(Value::string("z"), Value::string("\xc3\xa9")), std::strong_ordering::less);
  EXPECT_EQ(compare_scalars(Value::binary("a"), Value::binary(std::string("a\0", 2))), std::strong_ordering::less);
  EXPECT_EQ(compare_scalars(Value::binary("\xff"), Value::binary("\xff")), std::strong_ordering::equal);
}

TEST(AttributeValueTest, MeasuresNesting) {
  EXPECT_EQ(nesting_depth(Value::string_set({"a"})), 0);
  EXPECT_EQ(nesting_depth(Value::list({})), 1);
  AttributeMap map;
  map.set("list", Value::list({number(1), Value::list({})}));
  EXPECT_EQ(nesting_depth(Value::map(map)), 3);
}

}  // namespace
}  // namespace partita::model
