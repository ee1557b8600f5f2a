#include "expr/key_condition.h"

#include <gtest/gtest.h>

#include "expr/legacy.h"
#include "expr/test_support.h"

namespace partita::expr {
namespace {

using namespace test;
using model::KeySchema;
using model::Type;

KeySchema simple() { return {{{"p", Type::kS}}, {{"c", Type::kN}}}; }
KeySchema partition_only() { return {{{"p", Type::kS}}, {}}; }
KeySchema texts() { return {{{"p", Type::kS}}, {{"c", Type::kS}}}; }
KeySchema wide() {
  return {{{"h1", Type::kS}, {"h2", Type::kN}}, {{"r1", Type::kS}, {"r2", Type::kN}, {"r3", Type::kB}}};
}

Result<KeyRange> range(std::string_view text, Pairs values, const KeySchema& schema = simple()) {
  Placeholders placeholders = given(values);
  PARTITA_TRY(Condition condition, parse_key_condition(text, placeholders));
  PARTITA_TRY_VOID(check_key_condition(condition));
  return resolve(condition, schema);
}

std::string refused(std::string_view text, Pairs values = {}, const KeySchema& schema = simple()) {
  return outcome(range(text, values, schema));
}

TEST(KeyCondition, ResolvesPartitionAndSort) {
  const auto whole = range("p = :p", {{":p", s("x")}});
  EXPECT_EQ(whole->partition, (std::vector<AttributeValue>{s("x")}));
  EXPECT_TRUE(whole->sort_equals.empty());
  EXPECT_FALSE(whole->sort_range);
  const auto one = range("(c = :c) AND (:p = p)", {{":p", s("x")}, {":c", n(3)}});
  EXPECT_EQ(one->sort_equals, (std::vector<AttributeValue>{n(3)}));
  EXPECT_FALSE(one->sort_range);
}

TEST(KeyCondition, ResolvesRanges) {
  const std::pair<const char*, SortOp> cases[] = {
      {"c < :c", SortOp::kLess},          {"c <= :c", SortOp::kLessEqual},   {"c > :c", SortOp::kGreater},
      {"c >= :c", SortOp::kGreaterEqual}, {":c < c", SortOp::kGreater},      {":c <= c", SortOp::kGreaterEqual},
      {":c > c", SortOp::kLess},          {"(:c >= c)", SortOp::kLessEqual},
  };
  for (const auto& [text, op] : cases) {
    const auto found = range(std::string("p = :p AND ") + text, {{":p", s("x")}, {":c", n(3)}});
    ASSERT_EQ(outcome(found), "ok") << text;
    ASSERT_TRUE(found->sort_range) << text;
    EXPECT_EQ(found->sort_range->op, op) << text;
    EXPECT_EQ(found->sort_range->value, n(3)) << text;
  }
  const auto between = range("p = :p And c beTween :a aNd :b", {{":p", s("x")}, {":a", n(1)}, {":b", n(2)}});
  EXPECT_EQ(between->sort_range->op, SortOp::kBetween);
  EXPECT_EQ(between->sort_range->value, n(1));
  EXPECT_EQ(between->sort_range->upper, n(2));
  const auto begins = range("p = :p AND begins_with(c, :c)", {{":p", s("x")}, {":c", s("0")}}, texts());
  EXPECT_EQ(begins->sort_range->op, SortOp::kBeginsWith);
}

TEST(KeyCondition, MissesKeys) {
  EXPECT_EQ(refused("c = :v", {{":v", n(1)}}), "Query condition missed key schema element: p");
  EXPECT_EQ(refused("a = :v", {{":v", n(1)}}), "Query condition missed key schema element: p");
  EXPECT_EQ(refused("p = :p AND a < :v", {{":p", s("x")}, {":v", n(1)}}),
            "Query condition missed key schema element: c");
  EXPECT_EQ(refused("p = :p AND a < :v", {{":p", s("x")}, {":v", n(1)}}, partition_only()),
            "Query key condition not supported");
  EXPECT_EQ(refused("p < :p", {{":p", s("x")}}), "Query key condition not supported");
  EXPECT_EQ(refused("p = :p AND c < :v AND a < :v", {{":p", s("x")}, {":v", n(1)}}),
            "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)");
}

TEST(KeyCondition, RefusesOperators) {
  const std::pair<const char*, const char*> bad[] = {
      {"a > b and size(b) > c or a > c", "OR"},
      {"a in (b, size(c), d)", "IN"},
      {"attribute_exists(a)", "attribute_exists"},
      {"attribute_not_exists(a)", "attribute_not_exists"},
      {"contains(a.d, b)", "contains"},
      {"not a > b", "NOT"},
      {"a <> b", "<>"},
  };
  for (const auto& [text, op] : bad) {
    EXPECT_EQ(refused(text), std::string("Invalid operator used in KeyConditionExpression: ") + op);
  }
  EXPECT_EQ(refused("attribute_type(a, :t)", {{":t", s("S")}}),
            "Invalid operator used in KeyConditionExpression: attribute_type");
}

TEST(KeyCondition, RefusesOtherShapes) {
  const Pairs v = {{":v", s("x")}};
  EXPECT_EQ(refused("p = c"),
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
  EXPECT_EQ(refused(":v = :v", v), "Invalid condition in KeyConditionExpression: No key attribute specified");
  EXPECT_EQ(refused("size(p) = :v", v),
            "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations");
  EXPECT_EQ(refused("p.a = :v", v),
            "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes");
  EXPECT_EQ(refused("p = :v AND p = :v", v),
            "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key");
  EXPECT_EQ(
      refused(":v between p and c", v),
      "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as its first operand");
  EXPECT_EQ(
      refused("begins_with(:v, p)", v),
      "Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first "
      "operand");
  EXPECT_EQ(refused(""), "Invalid KeyConditionExpression: The expression can not be empty;");
  EXPECT_EQ(refused("p"), R"(Invalid KeyConditionExpression: Syntax error; token: "<EOF>", near: "p")");
  EXPECT_EQ(refused("dog(p, :v)", v), "Invalid KeyConditionExpression: Invalid function name; function: dog");
  EXPECT_EQ(refused("((p = :v))", v), "Invalid KeyConditionExpression: The expression has redundant parentheses;");
}

TEST(KeyCondition, ChecksValues) {
  const std::string type =
      "One or more parameter values were invalid: Condition parameter type does not match schema type";
  EXPECT_EQ(refused("p = :p", {{":p", n(1)}}), type);
  EXPECT_EQ(refused("p = :p AND c = :c", {{":p", s("x")}, {":c", s("y")}}), type);
  EXPECT_EQ(refused("p = :p AND begins_with(c, :c)", {{":p", s("x")}, {":c", s("y")}}), type);
  EXPECT_EQ(refused("p = :p AND begins_with(c, :c)", {{":p", s("x")}, {":c", n(1)}}),
            "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: "
            "begins_with, operand type: N");
  EXPECT_EQ(
      refused("p = :p", {{":p", s("")}}),
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
      "string value. Key: p");
  EXPECT_TRUE(refused("p = :p", {{":p", s(std::string(2049, 'x'))}}).find("2048") != std::string::npos);
  EXPECT_EQ(refused("p = :p", {{":p", s(std::string(2048, 'x'))}}), "ok");
  EXPECT_TRUE(refused("p = :p AND c > :c", {{":p", s("x")}, {":c", s(std::string(1025, 'x'))}}, texts()).find("1024") !=
              std::string::npos);
  EXPECT_TRUE(refused("p = :p AND c BETWEEN :a AND :b", {{":p", s("x")}, {":a", n(2)}, {":b", n(1)}})
                  .starts_with("Invalid KeyConditionExpression: The BETWEEN operator requires upper bound"));
}

TEST(KeyCondition, ResolvesSeveralAttributes) {
  const Pairs v = {{":1", s("x")}, {":2", n(2)}, {":3", s("r")}, {":4", n(4)}, {":5", b("z")}};
  const auto some = [&](std::string_view text) {
    Placeholders placeholders = given(v);
    return range(text, v, wide());
  };
  const auto all = some("r2 = :4 AND h2 = :2 AND r1 = :3 AND h1 = :1 AND r3 > :5");
  ASSERT_EQ(outcome(all), "ok");
  EXPECT_EQ(all->partition, (std::vector<AttributeValue>{s("x"), n(2)}));
  EXPECT_EQ(all->sort_equals, (std::vector<AttributeValue>{s("r"), n(4)}));
  EXPECT_EQ(all->sort_range->value, b("z"));
  EXPECT_EQ(outcome(some("h1 = :1 AND h2 = :2 AND r1 < :3")), "ok");
  EXPECT_EQ(outcome(some("h1 = :1 AND h2 = :2")), "ok");
  const auto unequal = [](const std::string& names) {
    return "HASH key attributes " + names + " must have equality conditions specified in the query";
  };
  EXPECT_EQ(outcome(some("h1 = :1")), unequal("h2"));
  EXPECT_EQ(outcome(some("h1 = :1 AND h2 > :2")), unequal("h2"));
  EXPECT_EQ(outcome(some("r1 = :1")), unequal("h1, h2"));
  const auto gap = [](const std::string& open, const std::string& after) {
    return "RANGE key attributes " + open +
           " must have equality conditions specified in the query because a condition is present on key attribute " +
           after;
  };
  EXPECT_EQ(outcome(some("h1 = :1 AND h2 = :2 AND r2 = :4")), gap("r1", "r2"));
  EXPECT_EQ(outcome(some("h1 = :1 AND h2 = :2 AND r3 = :5")), gap("r1, r2", "r3"));
  EXPECT_EQ(outcome(some("h1 = :1 AND h2 = :2 AND r1 = :3 AND r3 = :5")), gap("r2", "r3"));
  EXPECT_EQ(outcome(some("h1 = :1 AND h2 = :2 AND r1 > :3 AND r2 = :4")), gap("r1", "r2"));
  EXPECT_EQ(outcome(some("h1 = :1 AND h2 = :2 AND begins_with(r1, :3) AND r2 = :4")), gap("r1", "r2"));
}

Result<KeyRange> legacy(std::vector<LegacyCondition> conditions, const KeySchema& schema = texts()) {
  PARTITA_TRY(Condition condition, lower_key_conditions(conditions));
  return resolve(condition, schema);
}

LegacyCondition on(std::string attribute, LegacyOp op, std::vector<AttributeValue> values) {
  return {std::move(attribute), op, std::move(values), std::nullopt, std::nullopt};
}

TEST(KeyConditions, ResolveLikeExpressions) {
  const auto found = legacy({on("c", LegacyOp::kBetween, {s("a"), s("b")}), on("p", LegacyOp::kEq, {s("x")})});
  ASSERT_EQ(outcome(found), "ok");
  EXPECT_EQ(found->partition, (std::vector<AttributeValue>{s("x")}));
  EXPECT_EQ(found->sort_range->op, SortOp::kBetween);
  EXPECT_EQ(found->sort_range->upper, s("b"));
  EXPECT_EQ(legacy({on("p", LegacyOp::kEq, {s("x")}), on("c", LegacyOp::kBeginsWith, {s("y")})})->sort_range->op,
            SortOp::kBeginsWith);
}

TEST(KeyConditions, RefuseWhatIsNotIndexable) {
  const LegacyCondition key = on("p", LegacyOp::kEq, {s("x")});
  for (const LegacyOp op : {LegacyOp::kNe, LegacyOp::kContains, LegacyOp::kNotContains, LegacyOp::kIn}) {
    EXPECT_EQ(outcome(legacy({key, on("c", op, {s("y")})})),
              "Attempted conditional constraint is not an indexable operation");
  }
  for (const LegacyOp op : {LegacyOp::kNull, LegacyOp::kNotNull}) {
    EXPECT_EQ(outcome(legacy({key, on("c", op, {})})),
              "Attempted conditional constraint is not an indexable operation");
  }
  EXPECT_EQ(outcome(legacy({on("p", LegacyOp::kGt, {s("x")})})), "Query key condition not supported");
  EXPECT_EQ(outcome(legacy({})), "Conditions can be of length 1 or 2 only");
  EXPECT_EQ(outcome(legacy({key, on("c", LegacyOp::kEq, {s("y")}), on("d", LegacyOp::kEq, {s("z")})})),
            "Conditions can be of length 1 or 2 only");
  EXPECT_EQ(outcome(legacy({on("p", LegacyOp::kEq, {})})),
            "One or more parameter values were invalid: Invalid number of argument(s) for the EQ ComparisonOperator");
  EXPECT_EQ(outcome(legacy({key, on("c", LegacyOp::kBetween, {s("b"), s("a")})})),
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound");
}

}  // namespace
}  // namespace partita::expr
