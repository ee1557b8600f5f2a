#include "cloudwatch/label.h"

#include <gtest/gtest.h>

#include "wire/error_body.h"

namespace partita::cloudwatch {
namespace {

class LabelTest : public testing::Test {
 protected:
  std::string of(std::string_view label) const {
    const auto made = label_of(label, facts_);
    return made.ok() ? *made : wire::message_of(made.error());
  }

  MetricName name_{"AWS/DynamoDB", "ConsumedReadCapacityUnits", {{"TableName", "Votes"}}};
  Values values_{{0, 10}, {60'000, 0}, {120'000, 30.5}};
  LabelFacts facts_{"reads", &name_, "Sum", 60, "eu-west-1", "123456789012", &values_};
};

TEST_F(LabelTest, PropertiesOfTheMetric) {
  EXPECT_EQ(of("${PROP('Dim.TableName')}: ${LABEL}"), "Votes: reads");
  EXPECT_EQ(of("${PROP('Namespace')} ${PROP('MetricName')} ${PROP('Stat')} ${PROP('Period')}"),
            "AWS/DynamoDB ConsumedReadCapacityUnits Sum 60");
  EXPECT_EQ(of("${PROP('Region')} ${PROP('AccountId')}"), "eu-west-1 123456789012");
  EXPECT_EQ(of("[${PROP('Dim.Operation')}]"), "[--]");
  EXPECT_EQ(of("no $values here, ${LABEL"), "no $values here, ${LABEL");
  EXPECT_EQ(of(""), "");
}

TEST_F(LabelTest, ValuesOfTheTimeRange) {
  EXPECT_EQ(of("${MIN} ${MAX} ${AVG} ${SUM} ${FIRST} ${LAST}"), "0 30.5 13.5 40.5 10 30.5");
  EXPECT_EQ(of("${DATAPOINT_COUNT} ${MIN_MAX_RANGE} ${FIRST_LAST_RANGE}"), "3 30.5 20.5");
  values_.clear();
  EXPECT_EQ(of("${MAX} ${DATAPOINT_COUNT}"), "-- 0");
}

TEST_F(LabelTest, ExpressionsHaveNoMetric) {
  facts_.name = nullptr;
  facts_.statistic = {};
  EXPECT_EQ(of("${LABEL} ${PROP('Dim.TableName')} ${PROP('MetricName')} ${PROP('Stat')} ${MAX}"),
            "reads -- -- -- 30.5");
}

TEST_F(LabelTest, OthersAreRefusedByName) {
  EXPECT_EQ(of("${MAX_TIME}"), "The parameter Label must not have ${MAX_TIME}: Partita does not serve it.");
  EXPECT_EQ(of("${PROP('Colour')}"), "The parameter Label must not have ${PROP('Colour')}: Partita does not serve it.");
  EXPECT_EQ(of("${PROP('}"), "The parameter Label must not have ${PROP('}: Partita does not serve it.");
}

}  // namespace
}  // namespace partita::cloudwatch
