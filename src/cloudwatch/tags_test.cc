#include "cloudwatch/tags.h"

#include <gtest/gtest.h>

#include "cloudwatch/calls_testing.h"

namespace partita::cloudwatch {
namespace {

class TagsTest : public CallsOfAStoreTest {
 protected:
  std::string put(const std::string& tags) {
    return call("PutMetricAlarm", R"({"AlarmName":"a:b","Namespace":"x","MetricName":"y","Statistic":"Sum",)"
                                  R"("Period":60,"EvaluationPeriods":1,"Threshold":1,)"
                                  R"("ComparisonOperator":"GreaterThanThreshold","Tags":[)" +
                                      tags + "]}");
  }
  static std::string resource(const std::string& arn) { return R"({"ResourceARN":")" + arn + "\""; }
  std::string tag(const std::string& tags) {
    return call("TagResource", resource(kArn) + R"(,"Tags":[)" + tags + "]}");
  }
  std::string untag(const std::string& keys) {
    return call("UntagResource", resource(kArn) + R"(,"TagKeys":[)" + keys + "]}");
  }
  std::string list() { return call("ListTagsForResource", resource(kArn) + "}"); }
  static std::string one(const std::string& key, const std::string& value) {
    return R"({"Key":")" + key + R"(","Value":")" + value + "\"}";
  }
  static std::string many(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + one("k" + std::to_string(i), "v");
    return all;
  }

  const std::string kArn = "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:a:b";
};

TEST_F(TagsTest, TagsAreKeptWithTheAlarm) {
  EXPECT_EQ(put(one("team", "votes")), "{}");
  EXPECT_EQ(list(), R"({"Tags":[{"Key":"team","Value":"votes"}]})");
  EXPECT_EQ(tag(one("team", "polls") + "," + one("empty", "")), "{}");
  EXPECT_EQ(list(), R"({"Tags":[{"Key":"empty","Value":""},{"Key":"team","Value":"polls"}]})");
  EXPECT_EQ(put(one("other", "x")), "{}");
  EXPECT_EQ(list(), R"({"Tags":[{"Key":"empty","Value":""},{"Key":"team","Value":"polls"}]})")
      << "Tags of a change of the alarm are ignored";
  EXPECT_EQ(call("SetAlarmState", R"({"AlarmName":"a:b","StateValue":"OK","StateReason":"x"})"), "{}");
  EXPECT_EQ(untag(R"("empty","nothing")"), "{}");
  EXPECT_EQ(list(), R"({"Tags":[{"Key":"team","Value":"polls"}]})");
  EXPECT_EQ(call("DeleteAlarms", R"({"AlarmNames":["a:b"]})"), "{}");
  EXPECT_EQ(list(), "The resource " + kArn + " does not exist.");
  EXPECT_EQ(put(""), "{}");
  EXPECT_EQ(list(), R"({"Tags":[]})");
}

TEST_F(TagsTest, AtMostFifty) {
  EXPECT_EQ(put(many(50)), "{}");
  EXPECT_EQ(tag(one("k7", "other")), "{}");
  const std::string before = list();
  EXPECT_EQ(tag(one("new", "v")), "The parameter Tags must leave at most 50 tags on the alarm.");
  EXPECT_EQ(list(), before);
  EXPECT_EQ(put(many(51)), "The parameter Tags must have at most 50 elements.");
}

TEST_F(TagsTest, TheyAreChecked) {
  EXPECT_EQ(put(one("a", "b") + "," + one("a", "c")), "The parameter Tags must have each key once.");
  EXPECT_EQ(put(one("aws:x", "b")), "The parameter Tags must not have keys that begin with aws:.");
  EXPECT_EQ(put(one("", "b")), "The parameter Key must have 1 to 128 characters.");
  EXPECT_EQ(put(one("a", std::string(257, 'b'))), "The parameter Value must have 0 to 256 characters.");
  EXPECT_EQ(tag(""), "The parameter Tags is required.");
  EXPECT_EQ(untag(""), "The parameter TagKeys is required.");
  EXPECT_EQ(untag("\"\""), "The parameter TagKeys must have keys of 1 to 128 characters.");
}

TEST_F(TagsTest, WhatHasNoTags) {
  EXPECT_EQ(tag(one("a", "b")), "The resource " + kArn + " does not exist.");
  EXPECT_EQ(untag("\"a\""), "The resource " + kArn + " does not exist.");
  const std::string elsewhere = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:a:b";
  EXPECT_EQ(put(""), "{}");
  EXPECT_EQ(call("ListTagsForResource", resource(elsewhere) + "}"), "The resource " + elsewhere + " does not exist.");
  for (const char* arn :
       {"a:b", "arn:aws:cloudwatch::123456789012:dashboard/x", "arn:aws:dynamodb:eu-west-1:1:table/x"}) {
    EXPECT_EQ(call("ListTagsForResource", resource(arn) + "}"),
              "The parameter ResourceARN must be the ARN of an alarm, arn:aws:cloudwatch:REGION:ACCOUNT:alarm:NAME.");
  }
  EXPECT_EQ(call("ListTagsForResource", "{}"), "The parameter ResourceARN is required.");
}

TEST_F(TagsTest, TagsOfAnArn) {
  EXPECT_EQ(put(one("team", "votes")), "{}");
  const CallContext context{*engine_, clock_, random_, "eu-west-1", "123456789012"};
  EXPECT_EQ(*wait_for(tags_of(context, kArn)), (Tags{{"team", "votes"}}));
  for (const char* other : {"*", "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:nothing"}) {
    EXPECT_EQ(*wait_for(tags_of(context, other)), std::nullopt);
  }
}

}  // namespace
}  // namespace partita::cloudwatch
