#include "expr/placeholders.h"

#include <gtest/gtest.h>

#include "expr/condition.h"
#include "expr/test_support.h"

namespace partita::expr {
namespace {

using namespace test;

std::string made(std::optional<Placeholders::Names> names, std::optional<AttributeMap> values = std::nullopt) {
  return outcome(Placeholders::make(std::move(names), std::move(values)));
}

TEST(Placeholders, ChecksKeys) {
  using Given = Placeholders::Names;
  EXPECT_EQ(made(Given{}), "ExpressionAttributeNames must not be empty");
  EXPECT_EQ(made(Given{{"a", "x"}}), "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"");
  EXPECT_EQ(made(Given{{"#", "x"}}), "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\"");
  EXPECT_EQ(made(Given{{"#a-b", "x"}}), "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#a-b\"");
  EXPECT_EQ(made(Given{{"#a", ""}}),
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a");
  EXPECT_EQ(made(Given{{"#1_a", std::string(65535, 'x')}}), "ok");
  EXPECT_NE(made(Given{{"#1_a", std::string(65536, 'x')}}).find("65536"), std::string::npos);
  EXPECT_EQ(made(std::nullopt, AttributeMap()), "ExpressionAttributeValues must not be empty");
  EXPECT_EQ(made(std::nullopt, attributes({{"b", n(1)}})),
            "ExpressionAttributeValues contains invalid key: Syntax error; key: \"b\"");
  EXPECT_EQ(made(std::nullopt, std::nullopt), "ok");
}

TEST(Placeholders, ReportsWhatIsUnused) {
  Placeholders placeholders = given({{"#a", "x"}, {"#b", "y"}}, {{":v", n(1)}, {":w", n(2)}, {":z", n(3)}});
  EXPECT_EQ(outcome(placeholders.check_all_used()),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}");
  ASSERT_TRUE(parse_condition("#a.#b = :w", ExpressionKind::kCondition, placeholders).ok());
  EXPECT_EQ(outcome(placeholders.check_all_used()),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v, :z}");
  ASSERT_TRUE(parse_condition("a IN (:v, :z)", ExpressionKind::kFilter, placeholders).ok());
  EXPECT_EQ(outcome(placeholders.check_all_used()), "ok");
  EXPECT_EQ(outcome(Placeholders().check_all_used()), "ok");
}

}  // namespace
}  // namespace partita::expr
