#include "wire/alarm_notice.h"

#include <gtest/gtest.h>

namespace partita::wire {
namespace {

constexpr int64_t kChanged = 1'764'169'440'123;  // 2025-11-26T15:04:00.123Z

class AlarmNoticeTest : public testing::Test {
 protected:
  AlarmNoticeText alarm() const {
    return {.name = "busy",
            .description = "many votes",
            .region = "eu-west-1",
            .account = "123456789012",
            .configured_ms = kChanged - 60'000,
            .changed_ms = kChanged,
            .state = "ALARM",
            .reason = "a \"test\"",
            .old_state = "OK",
            .ok_actions = none_,
            .alarm_actions = topics_,
            .insufficient_data_actions = none_,
            .metric = "ConsumedReadCapacityUnits",
            .space = "AWS/DynamoDB",
            .statistic = "SampleCount",
            .unit = std::nullopt,
            .dimensions = {{"TableName", "Votes"}},
            .period_s = 60,
            .periods = 3,
            .to_alarm = std::nullopt,
            .comparison = "GreaterThanThreshold",
            .threshold = 5,
            .missing = "missing"};
  }
  std::string subject(std::string_view name, std::string_view region = "us-east-1") const {
    AlarmNoticeText text = alarm();
    text.name = name;
    text.region = region;
    return alarm_notice_subject(text);
  }

  const std::vector<std::string> none_;
  const std::vector<std::string> topics_{"arn:aws:sns:eu-west-1:123456789012:ops"};
};

TEST_F(AlarmNoticeTest, TheMessageIsThatOfCloudWatch) {
  const std::string begin =
      R"({"AlarmName":"busy","AlarmDescription":"many votes","AWSAccountId":"123456789012",)"
      R"("AlarmConfigurationUpdatedTimestamp":"2025-11-26T15:03:00.123+0000","NewStateValue":"ALARM",)"
      R"_("NewStateReason":"a \"test\"","StateChangeTime":"2025-11-26T15:04:00.123+0000","Region":"EU (Ireland)",)_"
      R"("AlarmArn":"arn:aws:cloudwatch:eu-west-1:123456789012:alarm:busy","OldStateValue":"OK","OKActions":[],)"
      R"("AlarmActions":["arn:aws:sns:eu-west-1:123456789012:ops"],"InsufficientDataActions":[],)"
      R"("Trigger":{"MetricName":"ConsumedReadCapacityUnits","Namespace":"AWS/DynamoDB",)";
  EXPECT_EQ(alarm_notice_message(alarm()),
            begin + R"("StatisticType":"Statistic","Statistic":"SAMPLE_COUNT","Unit":null,)"
                    R"("Dimensions":[{"value":"Votes","name":"TableName"}],"Period":60,"EvaluationPeriods":3,)"
                    R"("ComparisonOperator":"GreaterThanThreshold","Threshold":5.0,"TreatMissingData":"missing",)"
                    R"("EvaluateLowSampleCountPercentile":""}})");
  AlarmNoticeText percentile = alarm();
  percentile.statistic = "p99.9";
  percentile.unit = "Count";
  percentile.to_alarm = 2;
  EXPECT_EQ(alarm_notice_message(percentile),
            begin + R"("StatisticType":"ExtendedStatistic","ExtendedStatistic":"p99.9","Unit":"Count",)"
                    R"("Dimensions":[{"value":"Votes","name":"TableName"}],"Period":60,"EvaluationPeriods":3,)"
                    R"("DatapointsToAlarm":2,"ComparisonOperator":"GreaterThanThreshold","Threshold":5.0,)"
                    R"("TreatMissingData":"missing","EvaluateLowSampleCountPercentile":""}})");
  AlarmNoticeText bare = alarm();
  bare.description.reset();
  EXPECT_NE(alarm_notice_message(bare).find(R"("AlarmDescription":null,)"), std::string::npos);
}

// A subject has at most 100 characters. A long name is cut to what the other words leave.
TEST_F(AlarmNoticeTest, Subjects) {
  EXPECT_EQ(subject("busy"), "ALARM: \"busy\" in US East (N. Virginia)");
  EXPECT_EQ(subject("busy", "xx-nowhere-1"), "ALARM: \"busy\" in xx-nowhere-1");
  const std::string fits(66, 'n');
  EXPECT_EQ(subject(fits), "ALARM: \"" + fits + "\" in US East (N. Virginia)");
  EXPECT_EQ(subject(fits).size(), 100);
  EXPECT_EQ(subject(fits + "n"), "ALARM: \"" + fits.substr(3) + "...\" in US East (N. Virginia)");
  std::string letters;
  for (int i = 0; i < 70; ++i) letters += "ü";
  EXPECT_EQ(subject(letters), "ALARM: \"" + letters.substr(0, 126) + "...\" in US East (N. Virginia)");
}

TEST_F(AlarmNoticeTest, RequestsAreNotificationsOfSns) {
  const SnsNotification notification{"0f5c", "arn:x\r\ny: z", "a subject", R"({"a":1})", kChanged};
  EXPECT_EQ(sns_body(notification),
            R"({"Type":"Notification","MessageId":"0f5c","TopicArn":"arn:x\r\ny: z","Subject":"a subject",)"
            R"("Message":"{\"a\":1}","Timestamp":"2025-11-26T15:04:00.123Z"})");
  const std::vector<std::pair<std::string, std::string>> headers{{"x-amz-sns-message-type", "Notification"},
                                                                 {"x-amz-sns-message-id", "0f5c"},
                                                                 {"x-amz-sns-topic-arn", "arn:x??y: z"},
                                                                 {"Content-Type", "text/plain; charset=UTF-8"}};
  EXPECT_EQ(sns_headers(notification), headers);
}

TEST_F(AlarmNoticeTest, HistoryOfActions) {
  const AlarmActionText done{"arn:x", 5, R"({"a":1})", std::nullopt};
  EXPECT_EQ(alarm_action_summary(done), "Successfully executed action arn:x");
  EXPECT_EQ(alarm_action_data(done),
            R"({"actionState":"Succeeded","stateUpdateTimestamp":5,"notificationResource":"arn:x",)"
            R"("publishedMessage":"{\"default\":\"{\\\"a\\\":1}\"}","error":null})");
  const AlarmActionText failed{"arn:x", 5, R"({"a":1})", "It is down."};
  EXPECT_EQ(alarm_action_summary(failed), "Failed to execute action arn:x. Received error: \"It is down.\"");
  EXPECT_TRUE(alarm_action_data(failed).ends_with(R"("error":"It is down."})"));
  EXPECT_TRUE(alarm_action_data(failed).starts_with(R"({"actionState":"Failed",)"));
  const std::string long_message(5'000, 'm');
  EXPECT_EQ(alarm_action_data({"arn:x", 5, long_message, std::nullopt}),
            R"({"actionState":"Succeeded","stateUpdateTimestamp":5,"notificationResource":"arn:x","error":null})");
}

}  // namespace
}  // namespace partita::wire
