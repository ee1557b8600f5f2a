#include "expr/projection.h"

#include <gtest/gtest.h>

#include "expr/legacy.h"
#include "expr/test_support.h"

namespace partita::expr {
namespace {

using namespace test;

const Item& sample() {
  static const Item item = attributes({{"a", m({{"b", m({{"c", n(1)}, {"d", n(2)}})}, {"e", n(3)}})},
                                       {"l", l({n(0), m({{"x", n(1)}, {"y", n(2)}}), l({n(3), n(4)}), s("end")})},
                                       {"n", n(9)},
                                       {"a.b", s("dotted")}});
  return item;
}

std::string refused(std::string_view text, Names names = {}) {
  Placeholders placeholders = given(names, {});
  return outcome(parse_projection(text, placeholders));
}

Item projected(std::string_view text, Names names = {}) {
  Placeholders placeholders = given(names, {});
  const auto projection = parse_projection(text, placeholders);
  EXPECT_EQ(outcome(projection), "ok") << text;
  return projection.ok() ? project(*projection, sample()) : Item();
}

TEST(Projection, TakesWholeAttributes) {
  EXPECT_EQ(projected("n, nothing"), attributes({{"n", n(9)}}));
  EXPECT_EQ(projected("nothing"), Item());
  EXPECT_EQ(projected("#x", {{"#x", "a.b"}}), attributes({{"a.b", s("dotted")}}));
}

TEST(Projection, TakesPartsInTheirHierarchy) {
  EXPECT_EQ(projected("a.b.c, a.e, n"), attributes({{"a", m({{"b", m({{"c", n(1)}})}, {"e", n(3)}})}, {"n", n(9)}}));
  EXPECT_EQ(projected("a.b.z, a.e.z, n[0], l.z"), Item());
  EXPECT_EQ(projected("a.b.#x", {{"#x", "d"}}), attributes({{"a", m({{"b", m({{"d", n(2)}})}})}}));
}

TEST(Projection, ClosesTheGapsOfLists) {
  EXPECT_EQ(projected("l[3], l[0]"), attributes({{"l", l({n(0), s("end")})}}));
  EXPECT_EQ(projected("l[2][1], l[1].y, l[1].x, l[7]"),
            attributes({{"l", l({m({{"x", n(1)}, {"y", n(2)}}), l({n(4)})})}}));
  EXPECT_EQ(projected("l[1].z, l[9]"), Item());
}

TEST(Projection, RefusesBadText) {
  EXPECT_EQ(refused("!!"), R"(Invalid ProjectionExpression: Syntax error; token: "!", near: "!!")");
  EXPECT_EQ(refused(""), "Invalid ProjectionExpression: The expression can not be empty;");
  EXPECT_EQ(refused("a,"), R"(Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ",")");
  EXPECT_EQ(refused("a b"), R"(Invalid ProjectionExpression: Syntax error; token: "b", near: "a b")");
  EXPECT_EQ(refused("#a, abort"),
            "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: abort");
  EXPECT_EQ(refused("#a"),
            "Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; "
            "attribute name: #a");
  EXPECT_TRUE(refused("size(a)").starts_with("Invalid ProjectionExpression:"));
  EXPECT_TRUE(refused(":v").starts_with("Invalid ProjectionExpression: Syntax error"));
}

TEST(Projection, KeepsPathsApart) {
  const std::string prefix = "Invalid ProjectionExpression: Two document paths ";
  const std::string middle = " with each other; must remove or rewrite one of these paths; path one: ";
  EXPECT_EQ(refused("a, a"), prefix + "overlap" + middle + "[a], path two: [a]");
  EXPECT_EQ(refused("a, b, a.b"), prefix + "overlap" + middle + "[a], path two: [a, b]");
  EXPECT_EQ(refused("#x.b, a", {{"#x", "a"}}), prefix + "overlap" + middle + "[a, b], path two: [a]");
  EXPECT_EQ(refused("a.b, a[1]"), prefix + "conflict" + middle + "[a, b], path two: [a, [1]]");
  EXPECT_EQ(refused("a[1], a[2], a[1].b"), prefix + "overlap" + middle + "[a, [1]], path two: [a, [1], b]");
}

TEST(Projection, ListsWhatItNeeds) {
  Placeholders placeholders = given();
  const auto projection = parse_projection("z, a.b, a.c, m[0]", placeholders);
  EXPECT_EQ(projection->attributes(), (std::vector<std::string>{"a", "m", "z"}));
  EXPECT_EQ(projection->nested_attributes(), (std::vector<std::string>{"a", "m"}));
  EXPECT_FALSE(projection->whole_attributes());
  EXPECT_TRUE(lower_attributes_to_get({"x", "y"})->whole_attributes());
}

TEST(AttributesToGet, AreWholeNames) {
  EXPECT_EQ(project(*lower_attributes_to_get({"a.b", "n", "zzz"}), sample()),
            attributes({{"n", n(9)}, {"a.b", s("dotted")}}));
  EXPECT_EQ(outcome(lower_attributes_to_get({"a", "b", "a"})),
            "One or more parameter values were invalid: Duplicate value in attribute name: a");
}

TEST(Projection, ColumnsStandByThemselvesUnderTheirNames) {
  const Item item = attributes({{"m", m({{"k", l({s("x"), s("y")})}})}, {"n", n(1)}});
  const Projection columns =
      Projection::of_columns({{"y", {"m", {"k", 1U}}}, {"n", {"n", {}}}, {"gone", {"m", {"z"}}}});
  EXPECT_EQ(project(columns, item), attributes({{"y", s("y")}, {"n", n(1)}}));
  EXPECT_EQ(columns.attributes(), (std::vector<std::string>{"m", "n"}));
  EXPECT_FALSE(columns.whole_attributes());
  EXPECT_TRUE(Projection::of_columns({{"n", {"n", {}}}}).whole_attributes());
  EXPECT_FALSE(Projection::of_columns({{"o", {"n", {}}}}).whole_attributes());
  // Columns may lie within each other.
  const Projection both = Projection::of_columns({{"m", {"m", {}}}, {"k", {"m", {"k"}}}});
  EXPECT_EQ(project(both, item).size(), 2U);
}

}  // namespace
}  // namespace partita::expr
