#include <gtest/gtest.h>

#include "cloudwatch/calls.h"
#include "engines/memory/memory_engine.h"
#include "model/key.h"
#include "wire/error_body.h"

namespace partita::cloudwatch {
namespace {

using table::InsightRule;
using table::InsightRuleKind;

constexpr int64_t kMinute = int64_t{490'000} * 60;  // since 1970
constexpr int64_t kBegan = kMinute * metrics::kMsPerMinute + 30'000;

std::string key(std::string partition, int64_t sort) {
  std::string bytes;
  model::append_key_value(model::AttributeValue::string(std::move(partition)), bytes);
  model::append_key_value(model::AttributeValue::number(model::Number::of(sort)), bytes);
  return bytes;
}

// A table with a sort key, whose four rules have one minute of counts.
class InsightRulesTest : public testing::Test {
 protected:
  InsightRulesTest() {
    const model::KeySchema keys{{{"pk", model::Type::kS}}, {{"sk", model::Type::kN}}};
    for (const auto& [name, kind] :
         {std::pair("DynamoDBContributorInsights-PKC-Votes-1", InsightRuleKind::kAccessedPartitions),
          std::pair("DynamoDBContributorInsights-PKT-Votes-1", InsightRuleKind::kThrottledPartitions),
          std::pair("DynamoDBContributorInsights-SKC-Votes-1", InsightRuleKind::kAccessedItems),
          std::pair("DynamoDBContributorInsights-SKT-Votes-1", InsightRuleKind::kThrottledItems)}) {
      rules_.push_back({name, kind, 7, 0, keys, kBegan});
    }
    metrics::InsightRecorder recorder(1);
    const metrics::InsightSubject of{7, 0, InsightRuleKind::kAccessedItems};
    std::vector<metrics::InsightMinute> first{{of, 9, 3, {{key("a", 1), 6}, {key("b", -2), 3}}}};
    EXPECT_TRUE(wait_for(recorder.record(*engine_, std::move(first), kMinute)).ok());
    std::vector<metrics::InsightMinute> second{{of, 4, 1, {{key("b", -2), 4}}}};
    EXPECT_TRUE(wait_for(recorder.record(*engine_, std::move(second), kMinute + 1)).ok());
    // Most of these keys were not kept.
    const metrics::InsightSubject throttled{7, 0, InsightRuleKind::kThrottledItems};
    std::vector<metrics::InsightMinute> third{{throttled, 20, 20, {{key("a", 1), 3}, {key("b", -2), 1}}}};
    EXPECT_TRUE(wait_for(recorder.record(*engine_, std::move(third), kMinute + 2)).ok());
  }

  std::string call(std::string_view name, const std::string& body) {
    const auto document = wire::read_json(body);
    EXPECT_TRUE(document.ok()) << body;
    const CallContext context{*engine_, clock_, random_, "eu-west-1", "123456789012", metrics::AlarmActions::kIgnored,
                              rules_};
    const auto done = wait_for(find_call(name)->run(context, Parameters(*document, name)));
    return done.ok() ? write_json(*done) : wire::message_of(done.error());
  }
  std::string report(const std::string& more, const std::string& kind = "SKC", int64_t minutes = 10) {
    return call("GetInsightRuleReport", R"({"RuleName":"DynamoDBContributorInsights-)" + kind +
                                            R"(-Votes-1","StartTime":)" + seconds(0) + R"(,"EndTime":)" +
                                            seconds(minutes) + R"(,"Period":60)" + more + "}");
  }
  static std::string seconds(int64_t minute) { return std::to_string((kMinute + minute) * 60); }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  SeededRandom random_{1};
  ManualClock clock_{kBegan};
  std::vector<InsightRule> rules_;
};

TEST_F(InsightRulesTest, AReportNamesKeysAndTheirUnits) {
  const std::string a = R"({"Keys":["a","1"],"ApproximateAggregateValue":3.0,"Datapoints":[{"Timestamp":)" +
                        seconds(0) + R"(,"ApproximateValue":3.0}]})";
  const std::string b = R"({"Keys":["b","-2"],"ApproximateAggregateValue":3.5,"Datapoints":[{"Timestamp":)" +
                        seconds(0) + R"(,"ApproximateValue":1.5},{"Timestamp":)" + seconds(1) +
                        R"(,"ApproximateValue":2.0}]})";
  const std::string head =
      R"({"KeyLabels":["PartitionKey","SortKey"],"AggregationStatistic":"Sum","AggregateValue":6.5,)"
      R"("ApproximateUniqueCount":2,"Contributors":[)";
  EXPECT_EQ(report(""), head + b + "," + a + "]}");
  EXPECT_EQ(report(R"(,"OrderBy":"Sum","MaxContributorCount":1)"), head + b + "]}");
  EXPECT_EQ(report(R"(,"OrderBy":"Maximum")"), head + a + "," + b + "]}");
  EXPECT_EQ(report("", "PKT"), R"({"KeyLabels":["PartitionKey"],"AggregationStatistic":"Sum","AggregateValue":0.0,)"
                               R"("ApproximateUniqueCount":0,"Contributors":[]})");
}

TEST_F(InsightRulesTest, MetricsAreThoseThatWereNamed) {
  const std::string found = report(R"(,"Metrics":["MaxContributorValue","Maximum"])");
  EXPECT_TRUE(found.ends_with(R"("MetricDatapoints":[{"Timestamp":)" + seconds(0) +
                              R"(,"MaxContributorValue":3.0,"Maximum":3.0},{"Timestamp":)" + seconds(1) +
                              R"(,"MaxContributorValue":2.0,"Maximum":2.0}]})"))
      << found;
  const std::string others =
      report(R"(,"Metrics":["UniqueContributors","SampleCount","Sum","Minimum","Average"])", "SKC", 1);
  EXPECT_TRUE(others.contains(R"("UniqueContributors":2.0,"SampleCount":3.0,"Sum":4.5,"Minimum":1.5,"Average":2.25)"))
      << others;
  const std::string of_the_kept = report(R"(,"Metrics":["Sum","Average","Sum"])", "SKT");
  EXPECT_TRUE(of_the_kept.contains(R"(,"Sum":20.0,"Average":2.0}])")) << of_the_kept;
}

TEST_F(InsightRulesTest, ParametersAreChecked) {
  EXPECT_EQ(report(R"(,"MaxContributorCount":26)"), "The parameter MaxContributorCount must be at most 25.");
  EXPECT_EQ(report(R"(,"MaxContributorCount":0)"), "The parameter MaxContributorCount must be at least 1.");
  EXPECT_EQ(report(R"(,"OrderBy":"Average")"), "The parameter OrderBy must be one of Sum, Maximum, SUM, MAXIMUM.");
  EXPECT_EQ(report(R"(,"Metrics":["p99"])"),
            "The parameter Metrics must be some of UniqueContributors, MaxContributorValue, SampleCount, Sum, Minimum, "
            "Maximum, Average.");
  EXPECT_EQ(report("", "PKX"), "The insight rule DynamoDBContributorInsights-PKX-Votes-1 does not exist.");
  EXPECT_EQ(report("", "PKC", 1'441),
            "You have requested up to 1441 datapoints, which exceeds the limit of 1,440. You may reduce the datapoints "
            "requested by increasing Period, or decreasing the time range.");
  EXPECT_TRUE(report("", "PKC", 1'440).contains("AggregateValue"));
  EXPECT_EQ(report("", "PKC", 0), "The parameter StartTime must be less than the parameter EndTime.");
  EXPECT_EQ(call("GetInsightRuleReport", "{}"), "The parameter RuleName is required.");
}

TEST_F(InsightRulesTest, WhatWasCountedBeforeTheRuleBeganIsNotIts) {
  for (InsightRule& rule : rules_) rule.began_ms += metrics::kMsPerMinute;
  EXPECT_TRUE(report("").contains(R"("AggregateValue":2.0)")) << report("");
}

TEST_F(InsightRulesTest, KeysOfAnotherKindAreLeftOut) {
  rules_[2].keys.partition[0].type = model::Type::kN;
  EXPECT_TRUE(report("").contains(R"("Contributors":[])")) << report("");
}

TEST_F(InsightRulesTest, RulesAreListedByPages) {
  const std::string all = call("DescribeInsightRules", "{}");
  EXPECT_TRUE(all.starts_with(
      R"({"InsightRules":[{"Name":"DynamoDBContributorInsights-PKC-Votes-1","State":"ENABLED",)"
      R"("Schema":"{\"Name\":\"ServiceLogRule\",\"Version\":1}","Definition":"{\"Schema\":{\"Name\":\"ServiceLogRule\",)"
      R"(\"Version\":1},\"AggregateOn\":\"Sum\",\"Contribution\":{\"Filters\":[],\"Keys\":[\"PartitionKey\"],)"
      R"(\"ValueOf\":\"ConsumedThroughputUnits\"}}","ManagedRule":true},)"))
      << all;
  EXPECT_FALSE(all.contains("NextToken"));
  const std::string first = call("DescribeInsightRules", R"({"MaxResults":3})");
  const auto page = wire::read_json(first);
  const std::string token = *page->find("NextToken")->as<std::string>();
  const std::string rest = call("DescribeInsightRules", R"({"MaxResults":3,"NextToken":")" + token + "\"}");
  EXPECT_TRUE(rest.starts_with(R"({"InsightRules":[{"Name":"DynamoDBContributorInsights-SKT-Votes-1")")) << rest;
  EXPECT_FALSE(rest.contains("NextToken"));
}

TEST_F(InsightRulesTest, PoliciesAreAskedAboutTheRule) {
  const CallContext context{*engine_, clock_, random_, "eu-west-1", "123456789012", metrics::AlarmActions::kIgnored,
                            rules_};
  const auto named = wire::read_json(R"({"RuleName":"x"})");
  EXPECT_EQ(resources_of(*find_call("GetInsightRuleReport"), context, *named).value(),
            std::vector<std::string>{"arn:aws:cloudwatch:eu-west-1:123456789012:insight-rule/x"});
  EXPECT_EQ(resources_of(*find_call("DescribeInsightRules"), context, *named).value(), std::vector<std::string>{"*"});
}

}  // namespace
}  // namespace partita::cloudwatch
