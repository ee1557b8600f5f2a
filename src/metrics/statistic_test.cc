#include "metrics/statistic.h"

#include <gtest/gtest.h>

namespace partita::metrics {
namespace {

Statistics of(double samples, double sum, double least, double most) { return {samples, sum, least, most}; }

TEST(StatisticTest, NamesAreThoseOfCloudWatch) {
  const Statistics some = of(4, 10, 1, 5);
  EXPECT_EQ(value_of(some, *statistic_named("SampleCount")), 4);
  EXPECT_EQ(value_of(some, *statistic_named("Sum")), 10);
  EXPECT_EQ(value_of(some, *statistic_named("Average")), 2.5);
  EXPECT_EQ(value_of(some, *statistic_named("Minimum")), 1);
  EXPECT_EQ(value_of(some, *statistic_named("Maximum")), 5);
  for (const std::string_view name : {"sum", "p", "p101", "p-1", "p9x", "tm99", "IQM", ""}) {
    EXPECT_FALSE(statistic_named(name)) << name;
  }
  EXPECT_DOUBLE_EQ(statistic_named("p99.9")->part, 0.999);
}

TEST(StatisticTest, PercentilesStayWithinTheirBucketAndTheExtremes) {
  Statistics times = of(100, 100, 0.02, 9);
  times.buckets[1] = 90;  // from 16.4 to 65.5 µs
  times.buckets[5] = 10;  // from 4.2 to 16.8 ms
  EXPECT_GT(times.quantile(0.5), 0.02);
  EXPECT_LE(times.quantile(0.5), 0.066);
  EXPECT_GT(times.quantile(0.99), 4.1);
  EXPECT_LE(times.quantile(0.99), 9);
  EXPECT_EQ(times.quantile(1), 9);
}

TEST(StatisticTest, SumsKeepTheExtremes) {
  Statistics sum;
  sum.add(of(1, 4, 4, 4));
  sum.add(Statistics());
  sum.add(of(2, 3, 1, 2));
  EXPECT_EQ(sum.samples, 3);
  EXPECT_EQ(sum.sum, 7);
  EXPECT_EQ(sum.least, 1);
  EXPECT_EQ(sum.most, 4);
}

TEST(StatisticTest, PeriodsBeginAtTheStartOfTheRange) {
  const std::vector<MinuteStatistics> minutes = {{102, of(1, 1, 1, 1)}, {103, of(1, 2, 2, 2)}, {107, of(1, 4, 4, 4)}};
  const auto periods = by_period(minutes, 101, 5);
  ASSERT_EQ(periods.size(), 2);
  EXPECT_EQ(periods[0].at_ms, 101 * kMsPerMinute);
  EXPECT_EQ(periods[0].statistics.sum, 3);
  EXPECT_EQ(periods[1].at_ms, 106 * kMsPerMinute);
  EXPECT_EQ(periods[1].statistics.sum, 4);
}

TEST(StatisticTest, SeriesByTheirDimensions) {
  using Dimensions = std::vector<Dimension>;
  const auto scope = [](const Dimensions& dimensions) {
    const auto series = series_of(dimensions);
    return series ? std::optional(series->scope) : std::nullopt;
  };
  EXPECT_EQ(scope({}), Scope::kAccount);
  EXPECT_EQ(scope({{"TableName", "t"}}), Scope::kTable);
  EXPECT_EQ(scope({{"GlobalSecondaryIndexName", "i"}, {"TableName", "t"}}), Scope::kIndex);
  EXPECT_EQ(scope({{"TableName", "t"}, {"Operation", "GetItem"}}), Scope::kTableOperation);
  EXPECT_EQ(scope({{"Operation", "GetItem"}}), Scope::kOperation);
  EXPECT_EQ(scope({{"GlobalSecondaryIndexName", "i"}}), std::nullopt);
  EXPECT_EQ(scope({{"TableName", "t"}, {"TableName", "u"}}), std::nullopt);
  EXPECT_EQ(scope({{"TableName", "t"}, {"StreamLabel", "l"}}), std::nullopt);
  for (const Dimensions& one :
       {Dimensions{}, Dimensions{{"TableName", "t"}}, Dimensions{{"TableName", "t"}, {"GlobalSecondaryIndexName", "i"}},
        Dimensions{{"Operation", "GetItem"}}}) {
    EXPECT_EQ(dimensions_of(*series_of(one)), one);
  }
}

}  // namespace
}  // namespace partita::metrics
