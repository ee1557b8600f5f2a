#include "metrics/evaluation.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace partita::metrics {
namespace {

// The datapoints of AWS's tables, the oldest first: 0 is below the threshold, X above, - missing.
std::string state_of(std::string_view points, int64_t periods, int64_t to_alarm, MissingData missing) {
  std::vector<std::optional<Datapoint>> newest_first;
  for (auto at = points.rbegin(); at != points.rend(); ++at) {
    newest_first.push_back(*at == '-' ? std::nullopt : std::optional(Datapoint{0, *at == 'X' ? 10.0 : 0.0}));
  }
  const AlarmRule rule{periods, to_alarm, 5, Comparison::kAbove, missing};
  const auto state = evaluate(rule, newest_first).state;
  if (!state) return "stays";
  return *state == AlarmState::kOk ? "OK" : *state == AlarmState::kAlarm ? "ALARM" : "INSUFFICIENT_DATA";
}

std::vector<std::string> states_of(std::string_view points, int64_t periods, int64_t to_alarm) {
  std::vector<std::string> states;
  for (const MissingData missing :
       {MissingData::kMissing, MissingData::kIgnore, MissingData::kBreaching, MissingData::kNotBreaching}) {
    states.push_back(state_of(points, periods, to_alarm, missing));
  }
  return states;
}

using States = std::vector<std::string>;

// "How alarm state is evaluated when data is missing", CloudWatch's user guide: EvaluationPeriods and DatapointsToAlarm
// are 3.
TEST(EvaluationTest, ThreeOfThreeAsInTheUserGuide) {
  EXPECT_EQ(states_of("0-X-X", 3, 3), (States{"OK", "OK", "OK", "OK"}));
  EXPECT_EQ(states_of("----0", 3, 3), (States{"OK", "OK", "OK", "OK"}));
  EXPECT_EQ(states_of("-----", 3, 3), (States{"INSUFFICIENT_DATA", "stays", "ALARM", "OK"}));
  EXPECT_EQ(states_of("0XX-X", 3, 3), (States{"ALARM", "ALARM", "ALARM", "ALARM"}));
  EXPECT_EQ(states_of("--X--", 3, 3), (States{"ALARM", "stays", "ALARM", "OK"}));
}

// The same, DatapointsToAlarm is 2.
TEST(EvaluationTest, TwoOfThreeAsInTheUserGuide) {
  EXPECT_EQ(states_of("0-X-X", 3, 2), (States{"ALARM", "ALARM", "ALARM", "ALARM"}));
  EXPECT_EQ(states_of("00X0X", 3, 2), (States{"ALARM", "ALARM", "ALARM", "ALARM"}));
  EXPECT_EQ(states_of("0-X--", 3, 2), (States{"OK", "OK", "ALARM", "OK"}));
  EXPECT_EQ(states_of("----0", 3, 2), (States{"OK", "OK", "ALARM", "OK"}));
  EXPECT_EQ(states_of("---X-", 3, 2), (States{"ALARM", "stays", "ALARM", "OK"}));
}

TEST(EvaluationTest, ANewBreachAloneIsTooYoungForAnAlarm) {
  EXPECT_EQ(state_of("----X", 3, 3, MissingData::kMissing), "stays");
  EXPECT_EQ(state_of("---XX", 3, 2, MissingData::kMissing), "ALARM");
}

TEST(EvaluationTest, EachComparisonAtTheThreshold) {
  const auto breaches_at = [](Comparison comparison, double value) {
    return breaches({1, 1, 5, comparison, MissingData::kMissing}, value);
  };
  EXPECT_TRUE(breaches_at(Comparison::kAtLeast, 5));
  EXPECT_FALSE(breaches_at(Comparison::kAbove, 5));
  EXPECT_FALSE(breaches_at(Comparison::kBelow, 5));
  EXPECT_TRUE(breaches_at(Comparison::kAtMost, 5));
  EXPECT_TRUE(breaches_at(Comparison::kBelow, 4));
  EXPECT_FALSE(breaches_at(Comparison::kAtLeast, 4));
}

}  // namespace
}  // namespace partita::metrics
