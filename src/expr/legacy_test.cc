#include "expr/legacy.h"

#include <gtest/gtest.h>

#include "expr/test_support.h"

namespace partita::expr {
namespace {

using namespace test;
using Values = std::vector<AttributeValue>;

const std::string kInvalid = "One or more parameter values were invalid: ";

const Item& sample() {
  static const Item item = attributes({{"one", n(1)},
                                       {"cat", s("cat")},
                                       {"words", ss({"a", "b"})},
                                       {"list", l({n(1), s("x")})},
                                       {"nil", AttributeValue::null()}});
  return item;
}

LegacyCondition compared(std::string attribute, LegacyOp op, std::optional<Values> values = Values()) {
  return {std::move(attribute), op, std::move(values), std::nullopt, std::nullopt};
}

bool holds(std::vector<LegacyCondition> conditions, LegacyJoin join = LegacyJoin::kAnd) {
  const auto condition = lower_filter(conditions, join);
  EXPECT_EQ(outcome(condition), "ok");
  return condition.ok() && evaluate(*condition, sample());
}
bool holds(std::string attribute, LegacyOp op, Values values) {
  return holds({compared(std::move(attribute), op, std::move(values))});
}

TEST(LegacyOps, HaveTheirNames) {
  for (int i = 0; i <= static_cast<int>(LegacyOp::kBeginsWith); ++i) {
    const auto op = static_cast<LegacyOp>(i);
    EXPECT_EQ(parse_legacy_op(legacy_op_name(op)), op);
  }
  EXPECT_EQ(legacy_op_name(LegacyOp::kNotNull), "NOT_NULL");
  EXPECT_EQ(parse_legacy_op("eq"), std::nullopt);
}

TEST(LegacyFilter, Compares) {
  EXPECT_TRUE(holds("one", LegacyOp::kEq, {n(1)}));
  EXPECT_FALSE(holds("one", LegacyOp::kEq, {s("1")}));
  EXPECT_TRUE(holds("list", LegacyOp::kEq, {l({n(1), s("x")})}));
  EXPECT_TRUE(holds("words", LegacyOp::kNe, {ss({"a"})}));
  EXPECT_TRUE(holds("none", LegacyOp::kNe, {n(1)}));
  EXPECT_TRUE(holds("one", LegacyOp::kLt, {n(2)}));
  EXPECT_FALSE(holds("none", LegacyOp::kLe, {n(2)}));
  EXPECT_TRUE(holds("one", LegacyOp::kGe, {n(1)}));
  EXPECT_FALSE(holds("cat", LegacyOp::kGt, {n(1)}));
  EXPECT_TRUE(holds("one", LegacyOp::kBetween, {n(0), n(1)}));
  EXPECT_TRUE(holds("one", LegacyOp::kIn, {n(3), n(1)}));
  EXPECT_TRUE(holds("cat", LegacyOp::kBeginsWith, {s("c")}));
}

TEST(LegacyFilter, TestsPresenceAndContents) {
  EXPECT_TRUE(holds("nil", LegacyOp::kNotNull, {}));
  EXPECT_FALSE(holds("nil", LegacyOp::kNull, {}));
  EXPECT_TRUE(holds("none", LegacyOp::kNull, {}));
  EXPECT_TRUE(holds("words", LegacyOp::kContains, {s("a")}));
  EXPECT_TRUE(holds("list", LegacyOp::kContains, {s("x")}));
  EXPECT_TRUE(holds("cat", LegacyOp::kContains, {s("at")}));
  EXPECT_FALSE(holds("cat", LegacyOp::kNotContains, {s("at")}));
  EXPECT_TRUE(holds("words", LegacyOp::kNotContains, {s("z")}));
  EXPECT_TRUE(holds("one", LegacyOp::kNotContains, {s("z")}));
  EXPECT_FALSE(holds("none", LegacyOp::kNotContains, {s("z")}));
}

TEST(LegacyFilter, Joins) {
  const LegacyCondition yes = compared("one", LegacyOp::kEq, Values{n(1)});
  const LegacyCondition no = compared("one", LegacyOp::kEq, Values{n(2)});
  EXPECT_FALSE(holds({yes, no}));
  EXPECT_TRUE(holds({no, yes}, LegacyJoin::kOr));
  EXPECT_FALSE(holds({no, no}, LegacyJoin::kOr));
  EXPECT_TRUE(holds({}, LegacyJoin::kOr));
  // NOT_CONTAINS is two conditions inside, which OR must not tear apart.
  EXPECT_FALSE(holds({no, compared("none", LegacyOp::kNotContains, Values{s("z")})}, LegacyJoin::kOr));
}

std::string refused(LegacyOp op, Values values) {
  return outcome(lower_filter({compared("a", op, std::move(values))}, LegacyJoin::kAnd));
}

TEST(LegacyFilter, ChecksArguments) {
  const auto count = [](const char* op) {
    return kInvalid + "Invalid number of argument(s) for the " + op + " ComparisonOperator";
  };
  EXPECT_EQ(refused(LegacyOp::kEq, {}), count("EQ"));
  EXPECT_EQ(refused(LegacyOp::kEq, {s("a"), s("a")}), count("EQ"));
  EXPECT_EQ(refused(LegacyOp::kIn, {}), count("IN"));
  EXPECT_EQ(refused(LegacyOp::kBetween, {s("a")}), count("BETWEEN"));
  EXPECT_EQ(refused(LegacyOp::kNull, {s("a")}), count("NULL"));
  EXPECT_EQ(refused(LegacyOp::kNotNull, {s("a")}), count("NOT_NULL"));
  EXPECT_EQ(refused(LegacyOp::kIn, {s("a"), n(1)}),
            kInvalid + "AttributeValues inside AttributeValueList must be of same type");
  const auto type = [](const char* op, const char* name) {
    return kInvalid + "ComparisonOperator " + op + " is not valid for " + name + " AttributeValue type";
  };
  EXPECT_EQ(refused(LegacyOp::kLt, {AttributeValue::boolean(true)}), type("LT", "BOOL"));
  EXPECT_EQ(refused(LegacyOp::kIn, {l({})}), type("IN", "L"));
  EXPECT_EQ(refused(LegacyOp::kBetween, {m({}), m({})}), type("BETWEEN", "M"));
  EXPECT_EQ(refused(LegacyOp::kBeginsWith, {n(1)}), type("BEGINS_WITH", "N"));
  EXPECT_EQ(refused(LegacyOp::kContains, {ss({"x"})}), type("CONTAINS", "SS"));
  EXPECT_EQ(refused(LegacyOp::kNotContains, {l({})}), type("NOT_CONTAINS", "L"));
  EXPECT_EQ(refused(LegacyOp::kContains, {AttributeValue::boolean(true)}), "ok");
  EXPECT_EQ(refused(LegacyOp::kBetween, {n(2), n(1)}),
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound");
}

std::string expected(LegacyCondition condition) {
  condition.attribute = "a";
  return outcome(lower_expected({condition}, LegacyJoin::kAnd));
}

TEST(LegacyExpected, ChecksItsForms) {
  using Op = LegacyOp;
  EXPECT_EQ(expected({"", {}, Values{}, n(1), {}}),
            kInvalid + "Value and AttributeValueList cannot be used together for Attribute: a");
  EXPECT_EQ(expected({"", Op::kEq, Values{n(1)}, {}, true}),
            kInvalid + "Exists and ComparisonOperator cannot be used together for Attribute: a");
  EXPECT_EQ(expected({"", Op::kGt, {}, {}, {}}),
            kInvalid + "Value or AttributeValueList must be used with ComparisonOperator: GT for Attribute: a");
  EXPECT_EQ(expected({"", {}, Values{n(1)}, {}, {}}),
            kInvalid + "AttributeValueList can only be used with a ComparisonOperator for Attribute: a");
  EXPECT_EQ(expected({"", {}, {}, {}, {}}), kInvalid + "Value must be provided when Exists is null for Attribute: a");
  EXPECT_EQ(expected({"", {}, {}, {}, true}), kInvalid + "Value must be provided when Exists is true for Attribute: a");
  EXPECT_EQ(expected({"", {}, {}, n(1), false}),
            kInvalid + "Value cannot be used when Exists is false for Attribute: a");
  EXPECT_EQ(expected({"", Op::kNull, {}, {}, {}}), "ok");
}

TEST(LegacyExpected, Evaluates) {
  const auto meets = [](LegacyCondition condition) {
    return evaluate(*lower_expected({condition}, LegacyJoin::kAnd), sample());
  };
  EXPECT_TRUE(meets({"one", {}, {}, n(1), {}}));
  EXPECT_TRUE(meets({"one", {}, {}, n(1), true}));
  EXPECT_FALSE(meets({"one", {}, {}, n(2), true}));
  EXPECT_FALSE(meets({"one", {}, {}, {}, false}));
  EXPECT_TRUE(meets({"none", {}, {}, {}, false}));
  EXPECT_TRUE(meets({"one", LegacyOp::kLe, {}, n(1), {}}));
  EXPECT_TRUE(evaluate(*lower_expected({}, LegacyJoin::kOr), Item()));
}

Result<Item> updated(const Item& old, std::vector<LegacyUpdate> updates) {
  PARTITA_TRY(Update update, lower_attribute_updates(updates));
  return apply(update, &old, Item());
}

TEST(AttributeUpdates, Apply) {
  const auto item = updated(sample(), {{"one", LegacyAction::kAdd, n(4)},
                                       {"cat", LegacyAction::kDelete, std::nullopt},
                                       {"words", LegacyAction::kDelete, ss({"a", "q"})},
                                       {"list", LegacyAction::kAdd, l({n(2)})},
                                       {"nil", LegacyAction::kPut, s("new")},
                                       {"more", LegacyAction::kAdd, l({n(1)})},
                                       {"a.b", LegacyAction::kPut, n(1)}});
  ASSERT_EQ(outcome(item), "ok");
  EXPECT_EQ(*item, attributes({{"one", n(5)},
                               {"words", ss({"b"})},
                               {"list", l({n(1), s("x"), n(2)})},
                               {"nil", s("new")},
                               {"more", l({n(1)})},
                               {"a.b", n(1)}}));
}

TEST(AttributeUpdates, AreChecked) {
  EXPECT_EQ(outcome(lower_attribute_updates({{"a", LegacyAction::kPut, std::nullopt}})),
            kInvalid + "Only DELETE action is allowed when no attribute value is specified");
  EXPECT_EQ(outcome(lower_attribute_updates({{"a", LegacyAction::kDelete, n(1)}})),
            kInvalid + "DELETE action with value is not supported for the type N");
  EXPECT_EQ(outcome(lower_attribute_updates({{"a", LegacyAction::kAdd, s("x")}})),
            kInvalid + "ADD action is not supported for the type S");
  EXPECT_EQ(outcome(updated(sample(), {{"cat", LegacyAction::kAdd, n(1)}})), "Type mismatch for attribute to update");
  EXPECT_EQ(outcome(updated(sample(), {{"one", LegacyAction::kDelete, ss({"x"})}})),
            "Type mismatch for attribute to update");
}

}  // namespace
}  // namespace partita::expr
