// From requests to the metrics of CloudWatch, by a manual clock.
#include "ops/metric_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "metrics/chunk.h"
#include "metrics/history.h"
#include "metrics/watch.h"
#include "ops/footprint.h"
#include "ops/metrics_thread.h"
#include "ops/operation.h"
#include "ops/operation_counts.h"
#include "ops/service.h"
#include "table/open/database.h"

namespace partita::ops {
namespace {

using metrics::Metric;
using metrics::Scope;
using metrics::Series;

constexpr int64_t kStart = int64_t{490'000} * 60;  // minutes since 1970

class MetricCountsTest : public testing::Test {
 protected:
  MetricCountsTest() {
    database_ = table::Database::open(*engine_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
    service_ = std::make_unique<Service>(*database_);
    thread_ = std::make_unique<MetricsThread>(*service_, random_);
    call("CreateTable",
         R"({"TableName":"Votes","ProvisionedThroughput":{"ReadCapacityUnits":7,"WriteCapacityUnits":5},)"
         R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],"AttributeDefinitions":)"
         R"([{"AttributeName":"p","AttributeType":"S"},{"AttributeName":"day","AttributeType":"S"}],)"
         R"("GlobalSecondaryIndexes":[{"IndexName":"by_day","Projection":{"ProjectionType":"ALL"},)"
         R"("KeySchema":[{"AttributeName":"day","KeyType":"HASH"}],"ProvisionedThroughput":)"
         R"({"ReadCapacityUnits":3,"WriteCapacityUnits":2}}]})");
    clock_.advance_ms(2'000);
    thread_->tick();
  }

  // As HTTP does it.
  int call(std::string_view operation, std::string_view body, int64_t took_ns = 1'000'000) {
    RequestFootprint footprint;
    const std::string target = target_of(*find_operation(operation));
    Call request{target, "application/x-amz-json-1.0", body,
                 std::make_shared<auth::Caller>("key", "us-east-1", "123456789012")};
    request.footprint = &footprint;
    const Reply reply = wait_for(service_->call(request));
    service_->answered(request, reply, took_ns);
    return reply.status;
  }
  void next_minute() {
    clock_.advance_ms(metrics::kMsPerMinute);
    thread_->tick();
    ++minute_;
  }
  void next_second() {
    clock_.advance_ms(1'000);
    thread_->tick();
  }
  // All, by name, without what is around the kind: "AlarmHigh Sum > 294 in 2, ".
  std::string alarms() {
    const metrics::AlarmStore store(*engine_, random_);
    const std::string any;
    std::string told;
    const auto all = wait_for(store.list(any, any, metrics::kAlarmsAtOnce));
    for (const metrics::Alarm& alarm : *all) {
      const std::string begin = "TargetTracking-table/Votes-";
      EXPECT_TRUE(alarm.name.starts_with(begin)) << alarm.name;
      told += alarm.name.substr(begin.size(), alarm.name.find('-', begin.size()) - begin.size()) + " " +
              alarm.statistic + (alarm.rule.comparison == metrics::Comparison::kAbove ? " > " : " < ") +
              std::to_string(static_cast<int64_t>(alarm.rule.threshold)) + " in " + std::to_string(alarm.rule.periods) +
              ", ";
    }
    return told;
  }
  // Of the last minute; nullopt: there is no value.
  std::optional<metrics::Statistics> last(const Series& series, Metric metric) {
    const auto read = wait_for(metrics::History(*engine_).read(series, metric, minute_ - 1, minute_));
    if (!read.ok() || read->empty()) return std::nullopt;
    return read->front().statistics;
  }
  double sum(const Series& series, Metric metric) {
    const auto found = last(series, metric);
    return found ? found->sum : -1;
  }

  const Series table_{Scope::kTable, "Votes", ""};
  const Series index_{Scope::kIndex, "Votes", "by_day"};
  static Series of(const std::string& operation) { return {Scope::kTableOperation, "Votes", operation}; }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ManualClock clock_{kStart * metrics::kMsPerMinute};
  SeededRandom random_{1};
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<MetricsThread> thread_;
  int64_t minute_ = kStart;
};

TEST_F(MetricCountsTest, UnitsOfTheTableAndOfTheIndexAreApart) {
  EXPECT_EQ(call("PutItem", R"({"TableName":"Votes","Item":{"p":{"S":"a"},"day":{"S":"mon"}}})"), 200);
  EXPECT_EQ(call("PutItem", R"({"TableName":"Votes","Item":{"p":{"S":"b"}}})"), 200);
  EXPECT_EQ(call("Query", R"({"TableName":"Votes","IndexName":"by_day","KeyConditionExpression":"#d = :d",)"
                          R"("ExpressionAttributeNames":{"#d":"day"},"ExpressionAttributeValues":{":d":{"S":"mon"}}})"),
            200);
  EXPECT_EQ(call("GetItem", R"({"TableName":"Votes","Key":{"p":{"S":"a"}},"ConsistentRead":true})"), 200);
  EXPECT_EQ(call("GetItem", R"({"TableName":"Votes","Key":{"p":{"S":"a"}}})"), 200);
  next_minute();
  EXPECT_EQ(sum(table_, Metric::kConsumedWrite), 2);
  EXPECT_EQ(sum(index_, Metric::kConsumedWrite), 1);
  EXPECT_EQ(sum(index_, Metric::kConsumedRead), 0.5);
  EXPECT_EQ(sum(table_, Metric::kConsumedRead), 1.5);
  const auto reads = last(table_, Metric::kConsumedRead);
  EXPECT_EQ(reads->samples, 2);
  EXPECT_EQ(reads->least, 0.5);
  EXPECT_EQ(reads->most, 1);
  next_minute();
  EXPECT_EQ(sum(table_, Metric::kConsumedRead), 0);
  EXPECT_EQ(sum(index_, Metric::kConsumedWrite), 0);
  EXPECT_EQ(last(of("GetItem"), Metric::kLatency), std::nullopt) << "nothing happened";
}

TEST_F(MetricCountsTest, TheMetricsOfATableAreKnownAfterARollback) {
  next_minute();
  const auto known = [&] { return wait_for(metrics::History(*engine_).known("Votes"))->size(); };
  const size_t before = known();
  EXPECT_GT(before, 0);
  const std::vector<storage::Key> keys{metrics::known_series_key("Votes")};
  const storage::Decide erase = [&](auto, storage::Changes& changes) {
    changes.erase(keys[0]);
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine_->transact(keys, {}, erase)).ok());
  service_->pause();
  service_->expire_iterators(clock_.now_ms());
  service_->resume(*database_);
  EXPECT_EQ(known(), 0);
  next_minute();
  EXPECT_EQ(known(), before);
}

TEST_F(MetricCountsTest, OnlySuccessfulRequestsHaveALatency) {
  const std::string put =
      R"x({"TableName":"Votes","Item":{"p":{"S":"a"}},"ConditionExpression":"attribute_not_exists(p)"})x";
  EXPECT_EQ(call("PutItem", put, 2'000'000), 200);
  EXPECT_EQ(call("PutItem", put, 9'000'000), 400);
  EXPECT_EQ(call("PutItem", put, 9'000'000), 400);
  EXPECT_EQ(call("PutItem", R"({"TableName":"Votes","Item":{"q":{"S":"a"}}})"), 400);
  next_minute();
  const auto took = last(of("PutItem"), Metric::kLatency);
  ASSERT_TRUE(took);
  EXPECT_EQ(took->samples, 1);
  EXPECT_EQ(took->sum, 2);
  EXPECT_EQ(took->most, 2);
  EXPECT_EQ(sum({Scope::kOperation, "", "PutItem"}, Metric::kLatency), 2);
  EXPECT_EQ(sum(table_, Metric::kConditionsFailed), 2);
  EXPECT_EQ(sum({}, Metric::kUserErrors), 1) << "failed conditions are none";
}

TEST_F(MetricCountsTest, FailedPartsOfTransactionsCountForTheirTables) {
  EXPECT_EQ(call("PutItem", R"({"TableName":"Votes","Item":{"p":{"S":"a"}}})"), 200);
  const auto part = [](const std::string& key) {
    return R"({"Put":{"TableName":"Votes","Item":{"p":{"S":")" + key +
           R"x("}},"ConditionExpression":"attribute_not_exists(p)"}})x";
  };
  EXPECT_EQ(call("TransactWriteItems", R"({"TransactItems":[)" + part("b") + "," + part("a") + "]}"), 400);
  next_minute();
  EXPECT_EQ(sum(table_, Metric::kConditionsFailed), 1);
  EXPECT_EQ(sum(table_, Metric::kConflicts), -1);
}

TEST_F(MetricCountsTest, ItemsThatAreReturned) {
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_EQ(call("PutItem", std::string(R"({"TableName":"Votes","Item":{"p":{"S":")") + key + "\"}}}"), 200);
  }
  EXPECT_EQ(call("Scan", R"({"TableName":"Votes"})"), 200);
  EXPECT_EQ(call("Scan", R"({"TableName":"Votes","Limit":1})"), 200);
  next_minute();
  const auto returned = last(of("Scan"), Metric::kReturnedItems);
  ASSERT_TRUE(returned);
  EXPECT_EQ(returned->samples, 2);
  EXPECT_EQ(returned->sum, 4);
  EXPECT_EQ(returned->most, 3);
  EXPECT_EQ(last(of("PutItem"), Metric::kReturnedItems), std::nullopt);
}

TEST_F(MetricCountsTest, ProvisionedUnitsAreThoseOfTheDescription) {
  next_minute();  // the minute that five divides
  EXPECT_EQ(sum(table_, Metric::kProvisionedRead), 7);
  EXPECT_EQ(sum(table_, Metric::kProvisionedWrite), 5);
  EXPECT_EQ(sum(index_, Metric::kProvisionedRead), 3);
  EXPECT_EQ(sum(index_, Metric::kProvisionedWrite), 2);
  EXPECT_EQ(call("UpdateTable", R"({"TableName":"Votes","BillingMode":"PAY_PER_REQUEST",)"
                                R"("OnDemandThroughput":{"MaxReadRequestUnits":9,"MaxWriteRequestUnits":8}})"),
            200);
  for (int i = 0; i < 5; ++i) next_minute();
  EXPECT_EQ(last(table_, Metric::kProvisionedRead), std::nullopt);
  EXPECT_EQ(sum(table_, Metric::kMaxOnDemandRead), 9);
  EXPECT_EQ(sum(table_, Metric::kMaxOnDemandWrite), 8);
}

TEST_F(MetricCountsTest, AlarmsFollowPoliciesAndUnits) {
  const std::string units = R"("ServiceNamespace":"dynamodb","ResourceId":"table/Votes",)"
                            R"("ScalableDimension":"dynamodb:table:ReadCapacityUnits")";
  EXPECT_EQ(call("RegisterScalableTarget", "{" + units + R"(,"MinCapacity":1,"MaxCapacity":100})"), 200);
  EXPECT_EQ(call("PutScalingPolicy",
                 "{" + units +
                     R"(,"PolicyName":"reads","PolicyType":"TargetTrackingScaling",)"
                     R"("TargetTrackingScalingPolicyConfiguration":{"TargetValue":70,"PredefinedMetricSpecification":)"
                     R"({"PredefinedMetricType":"DynamoDBReadCapacityUtilization"}}})"),
            200);
  EXPECT_EQ(alarms(), "");
  next_second();
  EXPECT_EQ(alarms(),
            "AlarmHigh Sum > 294 in 2, AlarmLow Sum < 210 in 15, "
            "ProvisionedCapacityHigh Average > 7 in 3, ProvisionedCapacityLow Average < 7 in 3, ");
  EXPECT_EQ(call("UpdateTable", R"({"TableName":"Votes","ProvisionedThroughput":)"
                                R"({"ReadCapacityUnits":10,"WriteCapacityUnits":5}})"),
            200);
  next_second();
  EXPECT_TRUE(alarms().starts_with("AlarmHigh Sum > 420 in 2, AlarmLow Sum < 300 in 15, ")) << alarms();
  // Nobody else keeps its own, and what others do to them is mended.
  const metrics::AlarmStore store(*engine_, random_);
  const std::string any;
  const metrics::Alarm high = wait_for(store.list(any, any, 1))->front();
  EXPECT_TRUE(*wait_for(store.erase(high.name, metrics::deletion_of(high.name, clock_.now_ms()))));
  next_second();
  EXPECT_TRUE(alarms().starts_with("AlarmLow"));
  next_minute();
  EXPECT_TRUE(alarms().starts_with("AlarmHigh Sum > 420 in 2, AlarmLow")) << alarms();
  EXPECT_EQ(call("DeleteScalingPolicy", "{" + units + R"(,"PolicyName":"reads"})"), 200);
  next_second();
  EXPECT_EQ(alarms(), "");
}

TEST(HistogramBucketsTest, DurationsOfBothWidthsMeet) {
  Timing fine;
  CoarseTiming wide;
  for (uint64_t ns = 1; ns < uint64_t{1} << 38; ns = ns * 3 / 2 + 1) {
    fine.add(ns);
    wide.add(ns);
  }
  metrics::OperationCounts one;
  metrics::OperationCounts other;
  set_succeeded(one, fine.totals(), {});
  set_succeeded(other, wide.totals(), {});
  EXPECT_EQ(one.succeeded, other.succeeded);
  EXPECT_EQ(one.succeeded_ns, other.succeeded_ns);
}

}  // namespace
}  // namespace partita::ops
