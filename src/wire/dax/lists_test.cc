#include "wire/dax/lists.h"

#include <gtest/gtest.h>

namespace partita::wire::dax {
namespace {

using model::make_attribute_list;
using Names = std::vector<std::string_view>;

TEST(Lists, FindsByIdAndByNamesInTheirOrder) {
  KnownLists lists;
  lists.add(make_attribute_list(257, {"n", "x"}));
  lists.add(make_attribute_list(258, {"x", "n"}));
  EXPECT_EQ(lists.find(257)->names, (std::vector<std::string>{"n", "x"}));
  EXPECT_EQ(lists.find(Names{"x", "n"})->id, 258U);
  EXPECT_EQ(lists.find(Names{"n", "x"})->id, 257U);
  EXPECT_EQ(lists.find(Names{"n"}), nullptr);
  EXPECT_EQ(lists.find(Names{"n", "x", "y"}), nullptr);
  EXPECT_EQ(lists.find(259), nullptr);
}

TEST(Lists, AlwaysKnowsTheEmptyList) {
  KnownLists lists(0, 0);
  EXPECT_TRUE(lists.find(model::kEmptyAttributeList)->names.empty());
  EXPECT_EQ(lists.find(Names{})->id, model::kEmptyAttributeList);
  EXPECT_EQ(lists.recent()->id, model::kEmptyAttributeList);
  EXPECT_EQ(lists.size(), 0U);
}

TEST(Lists, KeepsTheRecentlyUsed) {
  KnownLists lists(2, 1 << 20);
  lists.add(make_attribute_list(2, {"a"}));
  lists.add(make_attribute_list(3, {"b"}));
  ASSERT_NE(lists.find(2), nullptr);
  lists.add(make_attribute_list(4, {"c"}));
  EXPECT_NE(lists.find(2), nullptr);
  EXPECT_EQ(lists.find(3), nullptr);
  EXPECT_EQ(lists.find(Names{"b"}), nullptr);
  EXPECT_EQ(lists.find(Names{"c"})->id, 4U);
}

TEST(Lists, AreBoundedInBytes) {
  KnownLists lists(1000, 10'000);
  for (uint64_t id = 2; id < 100; ++id)
    lists.add(make_attribute_list(id, {std::string(1000, 'n') + std::to_string(id)}));
  EXPECT_LT(lists.size(), 10U);
  EXPECT_GT(lists.size(), 5U);
}

TEST(Lists, AddsAListOnce) {
  KnownLists lists;
  for (int i = 0; i < 3; ++i) lists.add(make_attribute_list(2, {"a"}));
  EXPECT_EQ(lists.size(), 1U);
}

TEST(Lists, NeverEvictWhatACallHasLoaded) {
  KnownLists lists(3, 1000);
  for (uint64_t id = 2; id < 5; ++id) lists.add(make_attribute_list(id, {"old" + std::to_string(id)}));
  MissingLists missing;
  for (uint64_t id = 10; id < 20; ++id) {
    missing.add(id);
    missing.loaded.push_back(make_attribute_list(id, {"new" + std::to_string(id)}));
  }
  lists.add(missing);
  EXPECT_TRUE(missing.empty());
  for (uint64_t id = 10; id < 20; ++id) EXPECT_NE(lists.find(id), nullptr) << id;
  EXPECT_EQ(lists.find(2), nullptr);
  lists.add(make_attribute_list(30, {"next"}));
  EXPECT_LE(lists.size(), 3U);
}

TEST(Lists, MissingOnesAreDistinct) {
  MissingLists missing;
  missing.add(7);
  missing.add(8);
  missing.add(7);
  missing.add(Names{"a"});
  missing.add(Names{"a", "b"});
  missing.add(Names{"a"});
  EXPECT_EQ(missing.ids, (std::vector<uint64_t>{7, 8}));
  EXPECT_EQ(missing.names, (std::vector<std::vector<std::string>>{{"a"}, {"a", "b"}}));
}

}  // namespace
}  // namespace partita::wire::dax
