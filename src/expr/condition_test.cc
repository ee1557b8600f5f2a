#include "expr/condition.h"

#include <gtest/gtest.h>

#include "expr/test_support.h"

namespace partita::expr {
namespace {

using namespace test;

const Item& sample() {
  static const Item item = attributes({{"one", n(1)},
                                       {"two", n(2)},
                                       {"cat", s("cat")},
                                       {"bin", b("\x80z")},
                                       {"yes", AttributeValue::boolean(true)},
                                       {"nil", AttributeValue::null()},
                                       {"lst", l({n(2), s("dog"), l({n(3)}), ss({"x", "y"})})},
                                       {"doc", m({{"x", n(1)}, {"y", l({n(-1), n(2)})}})},
                                       {"words", ss({"a", "b"})},
                                       {"numbers", ns({1, 2, 4})},
                                       {"bytes", bs({"q"})}});
  return item;
}

bool holds(std::string_view text, Pairs values = {}) {
  Placeholders placeholders = given(values);
  const auto condition = parse_condition(text, ExpressionKind::kCondition, placeholders);
  EXPECT_EQ(outcome(condition), "ok") << text;
  return condition.ok() && evaluate(*condition, sample());
}

TEST(Condition, ComparesEqualTypesOnly) {
  EXPECT_TRUE(holds("one = :v", {{":v", n("1.0")}}));
  EXPECT_FALSE(holds("one = :v", {{":v", s("1")}}));
  EXPECT_TRUE(holds("one <> :v", {{":v", s("1")}}));
  EXPECT_TRUE(holds("words = :v", {{":v", ss({"b", "a"})}}));
  EXPECT_TRUE(holds("lst = :v", {{":v", l({n(2), s("dog"), l({n(3)}), ss({"y", "x"})})}}));
  EXPECT_FALSE(holds("lst = :v", {{":v", l({n(2)})}}));
  EXPECT_TRUE(holds("nil = :v AND yes = :t", {{":v", AttributeValue::null()}, {":t", AttributeValue::boolean(true)}}));
}

TEST(Condition, TreatsMissingAsUnequalToAll) {
  EXPECT_FALSE(holds("gone = :v", {{":v", n(1)}}));
  EXPECT_FALSE(holds("gone = nothing"));
  EXPECT_TRUE(holds("gone <> nothing"));
  EXPECT_TRUE(holds("gone <> :v", {{":v", n(1)}}));
  for (const char* op : {"<", "<=", ">", ">="}) {
    EXPECT_FALSE(holds(std::string("gone ") + op + " nothing"));
    EXPECT_FALSE(holds(std::string("gone ") + op + " one"));
    EXPECT_TRUE(holds(std::string("NOT gone ") + op + " one"));
  }
  EXPECT_FALSE(holds("gone BETWEEN one AND two"));
  EXPECT_FALSE(holds("gone IN (one, nothing)"));
}

TEST(Condition, OrdersScalars) {
  EXPECT_TRUE(holds("one < two AND two > one AND one <= one2 OR one <= two"));
  EXPECT_TRUE(holds("cat < :v", {{":v", s("dog")}}));
  EXPECT_TRUE(holds("cat >= :v", {{":v", s("cat")}}));
  EXPECT_TRUE(holds("bin > :v", {{":v", b("\x7f\xff")}}));
  EXPECT_FALSE(holds("one < :v", {{":v", s("2")}}));
  EXPECT_FALSE(holds("lst < :v", {{":v", n(100)}}));
  EXPECT_FALSE(holds("yes >= nil"));
  EXPECT_TRUE(holds("one BETWEEN :a AND two", {{":a", n("-1e3")}}));
  EXPECT_TRUE(holds(":a BETWEEN one AND two", {{":a", n("1.5")}}));
  EXPECT_FALSE(holds("one BETWEEN two AND :a", {{":a", n(0)}}));
  EXPECT_FALSE(holds("one BETWEEN lst AND words"));
}

TEST(Condition, FindsCandidates) {
  EXPECT_TRUE(holds("one IN (:a, two, :b)", {{":a", s("1")}, {":b", n(1)}}));
  EXPECT_FALSE(holds("one IN (two, cat)"));
  EXPECT_TRUE(holds("doc.y[1] IN (two)"));
}

TEST(Condition, FollowsPaths) {
  EXPECT_TRUE(holds("doc.x < doc.y[1]"));
  EXPECT_FALSE(holds("doc.x < doc.y[0]"));
  EXPECT_FALSE(holds("doc.z < doc.y[100]"));
  EXPECT_TRUE(holds("attribute_exists(doc.y[1]) AND attribute_not_exists(doc.y[2])"));
  EXPECT_TRUE(holds("attribute_not_exists(doc[0]) AND attribute_not_exists(lst.x) AND attribute_not_exists(one.x)"));
}

TEST(Condition, AppliesFunctions) {
  EXPECT_TRUE(holds("attribute_type(words, :t)", {{":t", s("SS")}}));
  EXPECT_FALSE(holds("attribute_type(gone, :t)", {{":t", s("S")}}));
  EXPECT_TRUE(holds("attribute_type(:t, :t)", {{":t", s("S")}}));
  EXPECT_TRUE(holds("begins_with(cat, :v)", {{":v", s("ca")}}));
  EXPECT_TRUE(holds("begins_with(:v, cat)", {{":v", s("catalogue")}}));
  EXPECT_FALSE(holds("begins_with(bin, :v)", {{":v", s("\x80")}}));
  EXPECT_TRUE(holds("begins_with(bin, :v)", {{":v", b("\x80")}}));
  EXPECT_FALSE(holds("begins_with(one, cat)"));
  EXPECT_FALSE(holds("begins_with(gone, cat)"));
}

TEST(Condition, Contains) {
  EXPECT_TRUE(holds("contains(cat, :v)", {{":v", s("at")}}));
  EXPECT_TRUE(holds("contains(cat, :v)", {{":v", s("")}}));
  EXPECT_TRUE(holds("contains(bin, :v)", {{":v", b("z")}}));
  EXPECT_FALSE(holds("contains(cat, :v)", {{":v", b("at")}}));
  EXPECT_TRUE(holds("contains(words, :v)", {{":v", s("b")}}));
  EXPECT_FALSE(holds("contains(words, :v)", {{":v", n(1)}}));
  EXPECT_TRUE(holds("contains(numbers, two)"));
  EXPECT_TRUE(holds("contains(bytes, :v)", {{":v", b("q")}}));
  EXPECT_TRUE(holds("contains(lst, :v)", {{":v", l({n(3)})}}));
  EXPECT_TRUE(holds("contains(lst, :v)", {{":v", ss({"y", "x"})}}));
  EXPECT_FALSE(holds("contains(lst, :v)", {{":v", n(3)}}));
  EXPECT_FALSE(holds("contains(doc, :v)", {{":v", s("x")}}));
  EXPECT_FALSE(holds("contains(gone, :v)", {{":v", s("x")}}));
}

TEST(Condition, Sizes) {
  const std::pair<const char*, int> sizes[] = {{"cat", 3},   {"bin", 2},     {"lst", 4},   {"doc", 2},
                                               {"words", 2}, {"numbers", 3}, {"bytes", 1}, {"doc.y", 2}};
  for (const auto& [path, size] : sizes) {
    EXPECT_TRUE(holds(std::string("size(") + path + ") = :n", {{":n", n(size)}})) << path;
  }
  EXPECT_FALSE(holds("size(one) = one"));
  EXPECT_FALSE(holds("size(gone) >= :n", {{":n", n(0)}}));
  EXPECT_FALSE(holds("size(cat) = :n", {{":n", s("3")}}));
  EXPECT_TRUE(holds("size(:v) = two", {{":v", s("ab")}}));
  EXPECT_TRUE(holds("size(:v) = two", {{":v", s("\xf0\x9f\x98\x80")}}));  // in UTF-16 units
  EXPECT_TRUE(holds("size(cat) BETWEEN two AND size(lst)"));
  EXPECT_TRUE(holds("two IN (size(cat), size(words))"));
}

TEST(Condition, BindsNotTighterThanAndTighterThanOr) {
  const Pairs values = {{":t", n(1)}, {":f", n(9)}};
  EXPECT_TRUE(holds("one = :t OR one = :t AND one = :f", values));
  EXPECT_FALSE(holds("(one = :t OR one = :t) AND one = :f", values));
  EXPECT_TRUE(holds("NOT one = :f AND one = :t", values));
  EXPECT_FALSE(holds("NOT (one = :f OR one = :t)", values));
  EXPECT_TRUE(holds("NOT NOT one = :t AND NOT one BETWEEN :f AND :f", values));
  EXPECT_TRUE(holds("nOt one = :f aNd one = :t oR one = :f", values));
}

TEST(Condition, MissingItemIsEmpty) {
  Placeholders gone = given();
  const auto absent = parse_condition("attribute_not_exists(pk)", ExpressionKind::kCondition, gone);
  const auto present = parse_condition("attribute_exists(pk)", ExpressionKind::kCondition, gone);
  EXPECT_TRUE(evaluate(*absent, Item()));
  EXPECT_FALSE(evaluate(*present, Item()));
  EXPECT_TRUE(evaluate(Condition(), Item()));
}

TEST(Condition, ListsItsAttributes) {
  Placeholders placeholders = given({{"#x", "z"}}, {});
  const auto condition =
      parse_condition("a.b = c OR NOT (size(#x) < a AND contains(d[1], c))", ExpressionKind::kFilter, placeholders);
  EXPECT_EQ(condition->attributes(), (std::vector<std::string>{"a", "c", "z", "d"}));
  EXPECT_EQ(condition->nested_attributes(), (std::vector<std::string>{"a", "d"}));
}

TEST(Condition, OutlivesItsPlaceholders) {
  std::optional<Placeholders> placeholders = given({{":v", s("cat")}});
  const auto condition = parse_condition("cat = :v", ExpressionKind::kFilter, *placeholders);
  placeholders.reset();
  EXPECT_TRUE(evaluate(*condition, sample()));
}

TEST(Condition, ATruthIsComparedWithValuesAndOtherTruths) {
  const auto exists = [](const char* name) {
    ConditionNode node;
    node.op = ConditionOp::kAttributeExists;
    node.operands.emplace_back().path.attribute = name;
    return node;
  };
  const auto operand = [](model::AttributeValue value) {
    Operand made;
    made.value = std::make_shared<const model::AttributeValue>(std::move(value));
    return made;
  };
  model::Item item;
  item.set("yes", model::AttributeValue::boolean(true));
  ConditionNode node;
  node.op = ConditionOp::kTruthIsIn;
  node.children.push_back(exists("yes"));
  EXPECT_FALSE(evaluate(Condition(node), item));
  node.operands = {operand(model::AttributeValue::boolean(false)), operand(model::AttributeValue::string("true"))};
  EXPECT_FALSE(evaluate(Condition(node), item));
  EXPECT_TRUE(evaluate(Condition(node), model::Item()));
  node.children.push_back(exists("no"));
  EXPECT_FALSE(evaluate(Condition(node), item));
  node.operands.emplace_back().path.attribute = "yes";
  EXPECT_TRUE(evaluate(Condition(node), item));
  EXPECT_EQ(Condition(node).attributes(), (std::vector<std::string>{"yes", "no"}));
}

}  // namespace
}  // namespace partita::expr
