#include "wire/alarm_text.h"

#include <gtest/gtest.h>

namespace partita::wire {
namespace {

constexpr int64_t kAt = 1'764'169'440'000;  // 2025-11-26T15:04:00Z

TEST(AlarmTextTest, DoublesAsInJava) {
  EXPECT_EQ(java_double(0), "0.0");
  EXPECT_EQ(java_double(99), "99.0");
  EXPECT_EQ(java_double(-0.25), "-0.25");
  EXPECT_EQ(java_double(1e7), "1.0E7");
  EXPECT_EQ(java_double(1.5e-7), "1.5E-7");
}

// The texts are those of notifications in CloudWatch's user guide.
TEST(AlarmTextTest, ReasonsOfAlarms) {
  AlarmCrossing crossing{.alarm = true,
                         .breaching = 1,
                         .points = {{kAt, 99.0}},
                         .comparison = "GreaterThanOrEqualToThreshold",
                         .threshold = 95};
  EXPECT_EQ(
      alarm_reason(crossing),
      "Threshold Crossed: 1 out of the last 1 datapoints [99.0 (26/11/25 15:04:00)] was greater than or equal to the "
      "threshold (95.0) (minimum 1 datapoint for OK -> ALARM transition).");
  crossing = {.breaching = 0,
              .points = {{kAt, 1.0}, {kAt - 60'000, 2.0}},
              .comparison = "GreaterThanThreshold",
              .threshold = 95,
              .minimum = 2};
  EXPECT_EQ(
      alarm_reason(crossing),
      "Threshold Crossed: 2 out of the last 2 datapoints [1.0 (26/11/25 15:04:00), 2.0 (26/11/25 15:03:00)] were not "
      "greater than the threshold (95.0) (minimum 2 datapoints for ALARM -> OK transition).");
  AlarmCrossing without_points;
  without_points.alarm = without_points.filled_breaching = true;
  without_points.filled = 3;
  EXPECT_EQ(alarm_reason(without_points),
            "Threshold Crossed: no datapoints were received for 3 periods and 3 missing datapoints were treated as "
            "[Breaching].");
  EXPECT_EQ(insufficient_data_reason(1), "Insufficient Data: 1 datapoint was unknown.");
  EXPECT_EQ(insufficient_data_reason(2), "Insufficient Data: 2 datapoints were unknown.");
}

TEST(AlarmTextTest, OnlyTheNewestDatapointsAreShown) {
  AlarmCrossing crossing;
  crossing.alarm = true;
  crossing.breaching = 1'440;
  crossing.comparison = "GreaterThanOrEqualToThreshold";
  AlarmReasonData data;
  data.statistic = "Sum";
  for (int64_t i = 0; i < 1'440; ++i) crossing.points.emplace_back(kAt - i * 60'000, -1.2345678901234567e-300);
  data.points = crossing.points;
  const std::string reason = alarm_reason(crossing);
  EXPECT_TRUE(reason.starts_with("Threshold Crossed: 1440 out of the last 1440 datapoints [")) << reason;
  EXPECT_TRUE(reason.contains("(26/11/25 14:55:00), ...] were greater")) << reason;
  EXPECT_LE(reason.size(), 1'023);
  EXPECT_LE(alarm_reason_data(data).size(), 4'000);
}

TEST(AlarmTextTest, DataIsJson) {
  EXPECT_EQ(alarm_updated_data({"OK", "a \"b\"", ""}, {"ALARM", "c", R"({"x":1})"}),
            R"({"version":"1.0","oldState":{"stateValue":"OK","stateReason":"a \"b\""},)"
            R"("newState":{"stateValue":"ALARM","stateReason":"c","stateReasonData":{"x":1}}})");
  EXPECT_EQ(alarm_reason_data(
                {.now_ms = kAt + 60'000, .statistic = "Sum", .period_s = 60, .threshold = 5, .points = {{kAt, 7}}}),
            R"({"version":"1.0","queryDate":"2025-11-26T15:05:00.000+0000","startDate":"2025-11-26T15:04:00.000+0000",)"
            R"("statistic":"Sum","period":60,"recentDatapoints":[7.0],"threshold":5.0,)"
            R"("evaluatedDatapoints":[{"timestamp":"2025-11-26T15:04:00.000+0000","value":7.0}]})");
}

}  // namespace
}  // namespace partita::wire
