#include "cloudwatch/calls.h"

#include <gtest/gtest.h>

#include "cloudwatch/calls_testing.h"
#include "metrics/recorder.h"

namespace partita::cloudwatch {
namespace {

constexpr int64_t kNow = int64_t{490'000} * 60;  // minutes since 1970: 2025-11-24T16:00:00Z
constexpr std::string_view kDimensions = R"("Dimensions":[{"Name":"TableName","Value":"Votes"}])";

// A store with three minutes of metrics: 10, 0 and 30 read units, in samples of 1 unit.
class CallsTest : public CallsOfAStoreTest {
 protected:
  CallsTest() {
    metrics::Recorder recorder(1);
    metrics::ServerCounts counts;
    counts.tables.emplace_back();
    metrics::TableCounts& table = counts.tables[0];
    table.id = 1;
    table.name = "Votes";
    for (const int64_t units : {10, 0, 30}) {
      table.capacity.read.samples += static_cast<uint64_t>(units);
      table.capacity.read.sum += 2 * units;
      table.capacity.read.extremes = Extremes::Taken{2, 2};
      EXPECT_TRUE(wait_for(recorder.record(*engine_, counts, minute_++)).ok());
    }
    clock_.advance_ms(minute_ * metrics::kMsPerMinute + 10'000);
  }

  static std::string seconds(int64_t minute) { return std::to_string((kNow + minute) * 60); }
  std::string statistics(const std::string& more, int64_t from = 0, int64_t to = 3) {
    return call("GetMetricStatistics", R"({"Namespace":"AWS/DynamoDB","MetricName":"ConsumedReadCapacityUnits",)" +
                                           std::string(kDimensions) + R"(,"StartTime":)" + seconds(from) +
                                           R"(,"EndTime":)" + seconds(to) + "," + more + "}");
  }
  std::string data(const std::string& queries, const std::string& more = "") {
    return call("GetMetricData", R"({"StartTime":)" + seconds(0) + R"(,"EndTime":)" + seconds(3) + more +
                                     R"(,"MetricDataQueries":[)" + queries + "]}");
  }
  static std::string metric(const std::string& id, const std::string& stat, const std::string& more = "") {
    return R"({"Id":")" + id +
           R"(","MetricStat":{"Metric":{"Namespace":"AWS/DynamoDB","MetricName":)"
           R"("ConsumedReadCapacityUnits",)" +
           std::string(kDimensions) + R"(},"Period":60,"Stat":")" + stat + "\"}" + more + "}";
  }
  std::string put(const std::string& name, const std::string& more = "") {
    return call("PutMetricAlarm",
                R"({"AlarmName":")" + name +
                    R"(","Namespace":"AWS/DynamoDB","MetricName":)"
                    R"("ConsumedReadCapacityUnits",)" +
                    std::string(kDimensions) +
                    R"(,"Statistic":"Sum","Period":60,)"
                    R"("EvaluationPeriods":1,"Threshold":20,"ComparisonOperator":"GreaterThanThreshold")" +
                    more + "}");
  }

  int64_t minute_ = kNow;
};

TEST_F(CallsTest, StatisticsByPeriod) {
  EXPECT_EQ(statistics(R"("Period":60,"Statistics":["Sum","SampleCount"])"),
            R"({"Label":"ConsumedReadCapacityUnits","Datapoints":[)"
            R"({"Timestamp":)" +
                seconds(0) +
                R"(,"Unit":"Count","Sum":10.0,"SampleCount":10.0},)"
                R"({"Timestamp":)" +
                seconds(1) +
                R"(,"Unit":"Count","Sum":0.0,"SampleCount":1.0},)"
                R"({"Timestamp":)" +
                seconds(2) + R"(,"Unit":"Count","Sum":30.0,"SampleCount":30.0}]})");
  const std::string all = statistics(R"("Period":180,"Statistics":["Sum"],"ExtendedStatistics":["p50"])");
  EXPECT_TRUE(all.contains(R"("Unit":"Count","Sum":40.0,"ExtendedStatistics":{"p50":0.5}}]})")) << all;
}

TEST_F(CallsTest, AStatisticThatIsNamedTwiceIsThereOnce) {
  const std::string all = statistics(R"("Period":180,"Statistics":["Sum","Sum"],"ExtendedStatistics":["p50","p50"])");
  EXPECT_TRUE(all.contains(R"("Unit":"Count","Sum":40.0,"ExtendedStatistics":{"p50":0.5}}]})")) << all;
}

TEST_F(CallsTest, StatisticsOfOthersAreEmpty) {
  EXPECT_EQ(statistics(R"("Period":60,"Statistics":["Sum"],"Unit":"Bytes")"),
            R"({"Label":"ConsumedReadCapacityUnits","Datapoints":[]})");
  EXPECT_EQ(
      call("GetMetricStatistics", R"({"Namespace":"AWS/EC2","MetricName":"CPUUtilization","StartTime":0,"EndTime":60,)"
                                  R"("Period":60,"Statistics":["Sum"]})"),
      R"({"Label":"CPUUtilization","Datapoints":[]})");
}

TEST_F(CallsTest, StatisticsAreChecked) {
  EXPECT_EQ(statistics(R"("Period":60)"), "The parameter Statistics is required.");
  EXPECT_EQ(statistics(R"("Statistics":["Sum"])"), "The parameter Period is required.");
  EXPECT_EQ(statistics(R"("Period":90,"Statistics":["Sum"])"), "The parameter Period must be a multiple of 60.");
  EXPECT_EQ(statistics(R"("Period":60,"Statistics":["Sum"])", 3, 3),
            "The parameter StartTime must be less than the parameter EndTime.");
  EXPECT_EQ(statistics(R"("Period":60,"Statistics":["Sum"])", 0, 1'441),
            "You have requested up to 1441 datapoints, which exceeds the limit of 1,440. You may reduce the datapoints "
            "requested by increasing Period, or decreasing the time range.");
  EXPECT_TRUE(statistics(R"("Period":60,"Statistics":["Median"])")
                  .starts_with("The parameter Statistics must be SampleCount,"));
}

TEST_F(CallsTest, DataOfMetricsAndExpressions) {
  const std::string times = "[" + seconds(2) + "," + seconds(1) + "," + seconds(0) + "]";
  EXPECT_EQ(data(metric("m1", "Sum")),
            R"({"MetricDataResults":[{"Id":"m1","Label":"ConsumedReadCapacityUnits","Timestamps":)" + times +
                R"(,"Values":[30.0,0.0,10.0],"StatusCode":"Complete"}],"Messages":[]})");
  const std::string rate =
      data(metric("m1", "Sum", R"(,"ReturnData":false)") + R"x(,{"Id":"e2","Expression":"e1 * 2"},)x" +
           R"x({"Id":"e1","Expression":"m1 / PERIOD(m1)","Label":"rate"})x");
  EXPECT_TRUE(rate.contains(R"("Id":"e2","Label":"e2","Timestamps":)" + times + R"(,"Values":[1.0,0.0,)")) << rate;
  EXPECT_TRUE(rate.contains(R"("Id":"e1","Label":"rate","Timestamps":)" + times + R"(,"Values":[0.5,0.0,)")) << rate;
  EXPECT_FALSE(rate.contains(R"("Id":"m1")"));
}

TEST_F(CallsTest, LabelsAreDynamic) {
  const std::string labels =
      data(metric("m1", "Sum", R"(,"Label":"${PROP('Dim.TableName')} ${PROP('Stat')} ${MAX}, ${LABEL}")") +
               R"x(,{"Id":"e1","Expression":"m1 / 2","Label":"${LABEL} ${PROP('Period')} ${SUM}"})x",
           R"(,"MaxDatapoints":1)");
  EXPECT_TRUE(labels.contains(R"("Label":"Votes Sum 30, ConsumedReadCapacityUnits")")) << labels;
  EXPECT_TRUE(labels.contains(R"("Label":"e1 60 20")")) << "of all pages: " << labels;
  EXPECT_EQ(data(metric("m1", "Sum", R"(,"Label":"${MIN_TIME}")")),
            "The parameter Label must not have ${MIN_TIME}: Partita does not serve it.");
}

TEST_F(CallsTest, DataComesInPages) {
  const std::string queries = metric("m1", "Sum") + "," + metric("m2", "Average");
  const std::string first = data(queries, R"(,"MaxDatapoints":4,"ScanBy":"TimestampAscending")");
  EXPECT_TRUE(first.contains(R"("Values":[10.0,0.0,30.0],"StatusCode":"Complete")")) << first;
  EXPECT_TRUE(first.contains(R"("Values":[1.0],"StatusCode":"PartialData")")) << first;
  const size_t at = first.find(R"("NextToken":)") + 13;
  const std::string token = first.substr(at, first.find('"', at) - at);
  const std::string second =
      data(queries, R"(,"MaxDatapoints":4,"ScanBy":"TimestampAscending","NextToken":")" + token + "\"");
  EXPECT_TRUE(second.contains(R"("Values":[0.0,1.0],"StatusCode":"Complete")")) << second;
  EXPECT_FALSE(second.contains("NextToken")) << second;
  EXPECT_EQ(data(queries, R"(,"NextToken":"x")"), "The NextToken is invalid.");
}

TEST_F(CallsTest, FillEndsWithTheKeptTime) {
  const auto all = [&](const std::string& queries) {
    return call(
        "GetMetricData",
        R"({"StartTime":-1e10,"EndTime":9e10,"ScanBy":"TimestampAscending","MetricDataQueries":[)" + queries + "]}");
  };
  const std::string filled =
      all(metric("m1", "Sum", R"(,"ReturnData":false)") + R"x(,{"Id":"e1","Expression":"FILL(m1, 7)"})x");
  EXPECT_EQ(std::ranges::count(filled, ','), 2 * metrics::kKeptMinutes + 3) << filled.substr(0, 300);
  EXPECT_TRUE(filled.contains("7.0,10.0,0.0,30.0,7.0]")) << "up to now";
}

TEST_F(CallsTest, WhatARequestComputesIsLimited) {
  const auto over = [&](int64_t minutes, const std::string& queries) {
    return call("GetMetricData", R"({"StartTime":)" + seconds(3 - minutes) + R"(,"EndTime":)" + seconds(3) +
                                     R"(,"MetricDataQueries":[)" + queries + "]}");
  };
  std::string sum = "m1";
  for (int i = 0; i < 600; ++i) sum += "+m1";
  const std::string queries = metric("m1", "Sum") + R"(,{"Id":"e1","Expression":")" + sum + "\"}";
  EXPECT_TRUE(over(60, queries).contains(R"("Values":[18030.0,0.0,6010.0])"));
  EXPECT_TRUE(over(metrics::kKeptMinutes, queries).starts_with("The request computes too many datapoints."));
  std::string many;
  for (int i = 0; i < 500; ++i) many += (i == 0 ? "" : ",") + metric("m" + std::to_string(i), "Sum");
  EXPECT_TRUE(over(1'440, many).contains(R"("Id":"m499")"));
  EXPECT_TRUE(over(metrics::kKeptMinutes, many).starts_with("The request computes too many datapoints."));
}

TEST_F(CallsTest, ExpressionsAreComputedBehindTheirOperands) {
  std::string chain;
  for (int i = 0; i < 498; ++i) {
    chain += R"({"Id":"e)" + std::to_string(i) + R"(","ReturnData":false,"Expression":"e)" + std::to_string(i + 1) +
             "+1\"},";
  }
  EXPECT_TRUE(data(chain + metric("e498", "Sum", R"(,"ReturnData":false)") + R"(,{"Id":"last","Expression":"e0"})")
                  .contains(R"("Values":[528.0,498.0,508.0])"));
}

TEST_F(CallsTest, QueriesOfDataAreChecked) {
  EXPECT_EQ(data(""), "The parameter MetricDataQueries is required.");
  EXPECT_EQ(data(metric("m1", "Sum") + "," + metric("m1", "Sum")), "The id m1 is used more than once.");
  EXPECT_EQ(data(R"({"Id":"m1"})"), "The query m1 must have either MetricStat or Expression.");
  EXPECT_EQ(data(R"({"Id":"M1","Expression":"1"})"),
            "The parameter Id must begin with a lower-case letter, and have letters, digits and _.");
  EXPECT_EQ(data(R"({"Id":"e1","Expression":"e2"},{"Id":"e2","Expression":"e1"})"),
            "Error in expression 'e2': It names an id that no query has, or needs itself.");
  EXPECT_EQ(data(R"({"Id":"e1","Expression":"e1"})"),
            "Error in expression 'e1': It names an id that no query has, or needs itself.");
  EXPECT_EQ(data(R"x({"Id":"e1","Expression":"SEARCH('x')"})x"),
            "Error in expression 'SEARCH('x')': The function SEARCH is not served by Partita.");
}

TEST_F(CallsTest, MetricsAreListed) {
  const std::string all = call("ListMetrics", R"({"Namespace":"AWS/DynamoDB"})");
  EXPECT_EQ(all, R"({"Metrics":[{"Namespace":"AWS/DynamoDB","MetricName":"ConsumedReadCapacityUnits",)" +
                     std::string(kDimensions) +
                     R"(},{"Namespace":"AWS/DynamoDB","MetricName":"ConsumedWriteCapacityUnits",)" +
                     std::string(kDimensions) + "}]}");
  EXPECT_EQ(call("ListMetrics", R"({"Namespace":"AWS/EC2"})"), R"({"Metrics":[]})");
  EXPECT_EQ(call("ListMetrics", R"({"MetricName":"UserErrors"})"), R"({"Metrics":[]})");
  EXPECT_EQ(call("ListMetrics", R"({"Dimensions":[{"Name":"TableName","Value":"Other"}]})"), R"({"Metrics":[]})");
  EXPECT_EQ(call("ListMetrics", R"({"Dimensions":[{"Name":"TableName"}]})"), all);
  EXPECT_EQ(call("ListMetrics", R"({"RecentlyActive":"PT3H"})"),
            "The parameter RecentlyActive of ListMetrics is not served by Partita.");
  clock_.advance_ms((metrics::kKeptMinutes + 120) * metrics::kMsPerMinute);
  EXPECT_EQ(call("ListMetrics", "{}"), R"({"Metrics":[]})") << "of 15 days only";
}

TEST_F(CallsTest, AnAlarmIsEvaluatedAtOnce) {
  EXPECT_EQ(put("busy", R"(,"AlarmDescription":"too much","AlarmActions":["arn:aws:sns:eu-west-1:123456789012:t"])"),
            "{}");
  const std::string alarms = call("DescribeAlarms", R"({"AlarmNames":["busy","other"]})");
  EXPECT_TRUE(alarms.contains(
      R"("AlarmArn":"arn:aws:cloudwatch:eu-west-1:123456789012:alarm:busy","AlarmDescription":"too much")"))
      << alarms;
  EXPECT_TRUE(alarms.contains(
      R"("StateValue":"ALARM","StateReason":"Threshold Crossed: 1 out of the last 1 datapoints [30.0 )"))
      << alarms;
  EXPECT_TRUE(alarms.contains(R"("CompositeAlarms":[])")) << alarms;
  EXPECT_FALSE(alarms.contains("DatapointsToAlarm")) << alarms;
  EXPECT_EQ(put("quiet", R"(,"DatapointsToAlarm":1,"TreatMissingData":"breaching","ActionsEnabled":false)"), "{}");
  const std::string prefix = call("DescribeAlarms", R"({"AlarmNamePrefix":"q"})");
  EXPECT_TRUE(prefix.contains(R"("DatapointsToAlarm":1,"TreatMissingData":"breaching")")) << prefix;
  EXPECT_FALSE(prefix.contains("busy"));
  EXPECT_TRUE(call("DescribeAlarms", R"({"StateValue":"OK"})").contains(R"("MetricAlarms":[])"));
  EXPECT_TRUE(call("DescribeAlarms", R"({"AlarmTypes":["CompositeAlarm"]})").contains(R"("MetricAlarms":[])"));
  EXPECT_FALSE(call("DescribeAlarms", R"({"ActionPrefix":"arn:aws:sns"})").contains("quiet"));
}

TEST_F(CallsTest, AlarmsComeInPages) {
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(put(name), "{}");
  const std::string first = call("DescribeAlarms", R"({"MaxRecords":2})");
  EXPECT_TRUE(first.contains(R"("AlarmName":"b")"));
  EXPECT_FALSE(first.contains(R"("AlarmName":"c")"));
  const size_t at = first.find(R"("NextToken":)") + 13;
  const std::string token = first.substr(at, first.find('"', at) - at);
  const std::string second = call("DescribeAlarms", R"({"MaxRecords":2,"NextToken":")" + token + "\"}");
  EXPECT_FALSE(second.contains(R"("AlarmName":"b")"));
  EXPECT_TRUE(second.contains(R"("AlarmName":"c")"));
  EXPECT_FALSE(second.contains("NextToken"));
}

TEST_F(CallsTest, AlarmsOfAMetric) {
  EXPECT_EQ(put("busy"), "{}");
  const auto found = [&](const std::string& more) {
    return call("DescribeAlarmsForMetric",
                R"({"Namespace":"AWS/DynamoDB","MetricName":"ConsumedReadCapacityUnits")" + more + "}")
        .contains("busy");
  };
  EXPECT_TRUE(found("," + std::string(kDimensions)));
  EXPECT_FALSE(found(""));
  EXPECT_TRUE(found("," + std::string(kDimensions) + R"(,"Statistic":"Sum","Period":60)"));
  EXPECT_FALSE(found("," + std::string(kDimensions) + R"(,"Statistic":"Average")"));
  EXPECT_FALSE(found("," + std::string(kDimensions) + R"(,"Period":300)"));
}

TEST_F(CallsTest, StatesAreSetAndHistoryIsKept) {
  EXPECT_EQ(put("busy"), "{}");
  clock_.advance_ms(1'000);
  EXPECT_EQ(call("SetAlarmState", R"({"AlarmName":"busy","StateValue":"OK","StateReason":"a test"})"), "{}");
  EXPECT_TRUE(call("DescribeAlarms", "{}").contains(R"("StateValue":"OK","StateReason":"a test")"));
  clock_.advance_ms(1'000);
  EXPECT_EQ(call("DisableAlarmActions", R"({"AlarmNames":["busy","other"]})"), "{}");
  EXPECT_TRUE(call("DescribeAlarms", "{}").contains(R"("ActionsEnabled":false)"));
  EXPECT_EQ(call("EnableAlarmActions", R"({"AlarmNames":["busy"]})"), "{}");
  EXPECT_TRUE(call("DescribeAlarms", "{}").contains(R"("ActionsEnabled":true)"));
  clock_.advance_ms(1'000);
  EXPECT_EQ(call("DeleteAlarms", R"({"AlarmNames":["busy"]})"), "{}");
  const auto summaries = [&](const std::string& more) {
    std::string all;
    const std::string history = call("DescribeAlarmHistory", "{" + more + "}");
    for (size_t at = 0; (at = history.find(R"("HistorySummary":")", at)) != std::string::npos;) {
      at += 18;
      const size_t end = history.find(R"(","HistoryData")", at);
      all += history.substr(at, end - at) + "; ";
    }
    return all;
  };
  EXPECT_EQ(summaries(R"("AlarmName":"busy","HistoryItemType":"StateUpdate")"),
            "Alarm updated from ALARM to OK; Alarm updated from INSUFFICIENT_DATA to ALARM; ");
  EXPECT_TRUE(summaries("").starts_with(R"(Alarm \"busy\" deleted; )"));
  EXPECT_TRUE(summaries(R"("ScanBy":"TimestampAscending","MaxRecords":1,"HistoryItemType":"ConfigurationUpdate")")
                  .starts_with(R"(Alarm \"busy\" created; )"));
  EXPECT_EQ(summaries(R"("HistoryItemType":"Action")"), "");
  EXPECT_EQ(call("SetAlarmState", R"({"AlarmName":"busy","StateValue":"OK","StateReason":"x"})"),
            "The alarm busy does not exist.");
  EXPECT_EQ(call("DeleteAlarms", R"({"AlarmNames":["busy"]})"), "The alarm busy does not exist.");
}

TEST_F(CallsTest, AChangedAlarmKeepsItsState) {
  EXPECT_EQ(put("busy"), "{}");
  EXPECT_EQ(
      call("SetAlarmState", R"({"AlarmName":"busy","StateValue":"OK","StateReason":"a test","StateReasonData":"{}"})"),
      "{}");
  EXPECT_EQ(put("busy", R"(,"TreatMissingData":"ignore","Unit":"Bytes")"), "{}");
  EXPECT_TRUE(
      call("DescribeAlarms", "{}").contains(R"("StateValue":"OK","StateReason":"a test","StateReasonData":"{}")"));
  EXPECT_EQ(call("SetAlarmState", R"({"AlarmName":"busy","StateValue":"OK","StateReason":"x","StateReasonData":"{"})"),
            "The parameter StateReasonData is not JSON.");
}

TEST_F(CallsTest, AlarmsAreChecked) {
  EXPECT_EQ(put("x", R"(,"DatapointsToAlarm":2)"), "The parameter DatapointsToAlarm must be at most 1.");
  EXPECT_EQ(put("x", R"(,"TreatMissingData":"zero")"),
            "The parameter TreatMissingData must be one of missing, ignore, breaching, notBreaching.");
  EXPECT_EQ(put("x", R"(,"ExtendedStatistic":"p99")"), "Statistic and ExtendedStatistic exclude each other.");
  EXPECT_EQ(put("x", R"(,"Metrics":[{"Id":"m1"}])"),
            "The parameter Metrics of PutMetricAlarm is not served by Partita.");
  EXPECT_EQ(put("x", R"(,"ComparisonOperator":"GreaterThanUpperThreshold")"),
            "The parameter ComparisonOperator must be one of GreaterThanOrEqualToThreshold, GreaterThanThreshold, "
            "LessThanThreshold, LessThanOrEqualToThreshold.");
  EXPECT_EQ(put("x", R"(,"EvaluationPeriods":1440,"Period":120)"),
            "EvaluationPeriods times Period must be at most 86400 seconds.");
  EXPECT_EQ(put(""), "The parameter AlarmName must have 1 to 255 characters.");
  EXPECT_EQ(call("DescribeAlarms", R"({"AlarmNames":["a"],"AlarmNamePrefix":"a"})"),
            "AlarmNames and AlarmNamePrefix exclude each other.");
}

TEST_F(CallsTest, PoliciesAreAskedAboutEachAlarm) {
  const CallContext context{*engine_, clock_, random_, "eu-west-1", "123456789012"};
  const auto resources = [&](std::string_view call, const std::string& body) {
    return *resources_of(*find_call(call), context, *wire::read_json(body));
  };
  using Resources = std::vector<std::string>;
  EXPECT_EQ(resources("ListMetrics", R"({"AlarmName":"a"})"), Resources{"*"});
  EXPECT_EQ(resources("DescribeAlarms", "{}"), Resources{"*"});
  EXPECT_EQ(resources("DeleteAlarms", R"({"AlarmNames":["a","b"]})"),
            (Resources{"arn:aws:cloudwatch:eu-west-1:123456789012:alarm:a",
                       "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:b"}));
  EXPECT_EQ(resources("PutMetricAlarm", R"({"AlarmName":"c"})"),
            Resources{"arn:aws:cloudwatch:eu-west-1:123456789012:alarm:c"});
}

}  // namespace
}  // namespace partita::cloudwatch
