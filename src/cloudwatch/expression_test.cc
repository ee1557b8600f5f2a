#include "cloudwatch/expression.h"

#include <gtest/gtest.h>

#include "model/fault.h"

namespace partita::cloudwatch {
namespace {

const Values kReads = {{0, 60}, {60'000, 120}};
const Values kWrites = {{0, 2}, {120'000, 4}};

// The values as "time:value", or what is wrong.
std::string result(std::string_view text) {
  const auto parsed = Expression::parse(text);
  if (!parsed.ok()) return parsed.error().args().at(1);
  const auto find = [](const std::string& id) { return MathInput{id == "m2" ? &kWrites : &kReads, 60}; };
  const auto values = parsed->evaluate(find, 0, 180'000);
  if (!values.ok()) return values.error().args().at(1);
  std::string all;
  for (const auto& [at_ms, value] : *values) {
    all += std::to_string(at_ms / 60'000) + ":" + std::to_string(value).substr(0, std::to_string(value).find('.') + 3) +
           " ";
  }
  return all;
}

TEST(ExpressionTest, Arithmetic) {
  EXPECT_EQ(result("m1"), "0:60.00 1:120.00 ");
  EXPECT_EQ(result("m1 + 2*3"), "0:66.00 1:126.00 ");
  EXPECT_EQ(result("(m1+2)*3"), "0:186.00 1:366.00 ");
  EXPECT_EQ(result("2 ^ 3 ^ 2 + 0*m1"), "0:512.00 1:512.00 ");
  EXPECT_EQ(result("-m1 - -m1"), "0:0.00 1:0.00 ");
  EXPECT_EQ(result("100 - m1 / 2 / 10"), "0:97.00 1:94.00 ");
  EXPECT_EQ(result("m1 / PERIOD(m1)"), "0:1.00 1:2.00 ");
}

TEST(ExpressionTest, OnlyTimesThatAllOperandsHave) {
  EXPECT_EQ(result("m1 + m2"), "0:62.00 ");
  EXPECT_EQ(result("m1 + FILL(m2, 0)"), "0:62.00 1:120.00 ");
  EXPECT_EQ(result("FILL(m2, 7)"), "0:2.00 1:7.00 2:4.00 ");
  EXPECT_EQ(result("m1 / (m1 - 60)"), "1:2.00 ") << "a division by zero has no value";
}

TEST(ExpressionTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(result("1 + 2"), "The result is a number and no time series.");
  EXPECT_EQ(result("SEARCH('{AWS/DynamoDB}', 'Sum')"), "The function SEARCH is not served by Partita.");
  EXPECT_EQ(result("METRICS()"), "The function METRICS is not served by Partita.");
  EXPECT_EQ(result("m1 +"), "It ends too early.");
  EXPECT_EQ(result("(m1"), "A ')' is missing.");
  EXPECT_EQ(result("m1 m2"), "Unexpected 'm'.");
  EXPECT_EQ(result("M1"), "An id begins with a lower-case letter.");
  EXPECT_EQ(result("FILL(m1, REPEAT)"), "FILL with another filler than a number is not served by Partita.");
  EXPECT_EQ(result("FILL(m1, m2)"), "FILL with another filler than a number is not served by Partita.");
  EXPECT_EQ(result("SELECT MAX(x) FROM y"), "Metrics Insights (SELECT) is not served by Partita.");
  EXPECT_EQ(result(" select m1"), "Metrics Insights (SELECT) is not served by Partita.");
  EXPECT_EQ(result("select"), "0:60.00 1:120.00 ") << "an id";
  EXPECT_EQ(result("m1 > 5"), "Comparisons are not served by Partita.");
  EXPECT_EQ(result("m1 % 2"), "Unexpected '%'.");
  EXPECT_EQ(result("m1 \u00e9"), "Unexpected '\u00e9'.") << "a whole character";
  EXPECT_EQ(result(std::string(1'000, '(') + "m1"), "It is nested too deeply.");
  EXPECT_EQ(result(std::string(1'000, '-') + "m1"), "It is nested too deeply.");
}

TEST(ExpressionTest, IdsAreListedOnce) {
  EXPECT_EQ(Expression::parse("m1 + e_2 * m1 / PERIOD(m3)")->size(), 7);
  EXPECT_EQ(Expression::parse("m1 + e_2 * m1 / PERIOD(m3)")->ids(), (std::vector<std::string>{"m1", "e_2", "m3"}));
}

}  // namespace
}  // namespace partita::cloudwatch
