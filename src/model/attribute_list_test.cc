#include "model/attribute_list.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace partita::model {
namespace {

using Names = std::vector<std::string>;

uint64_t digest(const Names& names) { return list_digest(names); }

// Ids are stored and clients keep them: these must never change.
TEST(AttributeListTest, DigestsAreTheSameForEver) {
  std::string both;
  append_u64(both, hash64(std::string_view("\1n\1x")));
  append_u64(both, hash64(std::string_view("\0\1n\1x", 5)));
  EXPECT_EQ(digest({"n", "x"}), hash64(both) % kAttributeListIds);
  EXPECT_EQ(digest({"n", "x"}), 3435752639728751U);
  EXPECT_EQ(digest({std::string(200, 'a')}), 3700010156986895U);
}

TEST(AttributeListTest, DigestsDependOnOrderAndOnWhereNamesEnd) {
  EXPECT_NE(digest({"a", "b"}), digest({"b", "a"}));
  EXPECT_NE(digest({"ab", "c"}), digest({"a", "bc"}));
  EXPECT_NE(digest({"a"}), digest({"a", ""}));
}

// Found by inverting hash64(), which takes a millisecond.
TEST(AttributeListTest, AnIdIsNotOneHashThatCanBeInverted) {
  EXPECT_EQ(hash64("\4a980") % kAttributeListIds, hash64("\7" "0sESc8n") % kAttributeListIds);
  EXPECT_NE(digest({"a980"}), digest({"0sESc8n"}));
}

TEST(AttributeListTest, DigestOfViewsIsThatOfStrings) {
  const std::vector<std::string_view> views{"pk", "n"};
  EXPECT_EQ(list_digest(views), digest({"pk", "n"}));
}

TEST(AttributeListTest, IdsAreBelow52BitsAndNeitherNoneNorTheEmptyList) {
  for (int i = 0; i < 1'000; ++i) {
    const uint64_t id = digest({std::to_string(i)});
    EXPECT_GT(id, kEmptyAttributeList);
    EXPECT_LT(id, kAttributeListIds);
  }
  EXPECT_EQ(digest({}), kEmptyAttributeList);
  EXPECT_NE(digest({""}), kEmptyAttributeList);
  EXPECT_EQ(next_list_id(7), 8U);
  EXPECT_EQ(next_list_id(kAttributeListIds - 1), 2U);
}

TEST(AttributeListTest, SortedIsByBytes) {
  EXPECT_TRUE(make_attribute_list(5, {"Z", "a", "\xc3\xa9"})->sorted);
  EXPECT_FALSE(make_attribute_list(5, {"a", "Z"})->sorted);
  EXPECT_TRUE(make_attribute_list(1, {})->sorted);
  EXPECT_EQ(make_attribute_list(5, {"a", "Z"})->id, 5U);
  EXPECT_EQ(make_attribute_list(5, {"a", "Z"})->names, (Names{"a", "Z"}));
}

}  // namespace
}  // namespace partita::model
