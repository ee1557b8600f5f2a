// From requests to the reports of Contributor Insights, by a manual clock.
#include "ops/insight_counters.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "ops/metrics_thread.h"
#include "ops/operation.h"
#include "ops/service.h"
#include "table/open/database.h"
#include "wire/document.h"

namespace partita::ops {
namespace {

constexpr int64_t kInsightStart = int64_t{490'000} * 60;  // minutes since 1970

class PlainSource final : public Source {
 public:
  std::string address() const override { return "10.0.0.1"; }
  bool encrypted() const override { return false; }
};

class InsightCountersTest : public testing::Test {
 protected:
  InsightCountersTest() { open(throttle::CapacityMode::kRecord); }

  void open(throttle::CapacityMode mode) {
    thread_.reset();
    service_.reset();
    database_ = table::Database::open(*engine_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
    service_ =
        std::make_unique<Service>(*database_, Enforcement::kRefuse, 0, nullptr, throttle::CapacityModes{mode, {}});
    thread_ = std::make_unique<MetricsThread>(*service_, random_);
    tick();
  }

  Reply send(const std::string& target, const std::string& body) {
    Call request{target, "application/x-amz-json-1.0", body,
                 std::make_shared<auth::Caller>("key", "us-east-1", "123456789012")};
    request.source = &source_;
    return wait_for(service_->call(request));
  }
  int call(std::string_view operation, const std::string& body) {
    return send(target_of(*find_operation(operation)), body).status;
  }
  // Votes has the sort key n and an index on day.
  void create(int64_t units = 100) {
    const std::string throughput = R"("ProvisionedThroughput":{"ReadCapacityUnits":100,"WriteCapacityUnits":)";
    ASSERT_EQ(call("CreateTable", R"({"TableName":"Votes",)" + throughput + std::to_string(units) + R"(},)" +
                                      R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"},)"
                                      R"({"AttributeName":"n","KeyType":"RANGE"}],"AttributeDefinitions":)"
                                      R"([{"AttributeName":"p","AttributeType":"S"},{"AttributeName":"n",)"
                                      R"("AttributeType":"N"},{"AttributeName":"day","AttributeType":"S"}],)"
                                      R"("GlobalSecondaryIndexes":[{"IndexName":"by_day","Projection":)"
                                      R"({"ProjectionType":"KEYS_ONLY"},"KeySchema":[{"AttributeName":"day",)"
                                      R"("KeyType":"HASH"}],)" +
                                      throughput + std::to_string(units) + "}}]}"),
              200);
    clock_.advance_ms(2'000);
  }
  void update_insights(const std::string& more) {
    EXPECT_EQ(call("UpdateContributorInsights", R"({"TableName":"Votes",)" + more + "}"), 200);
    tick();
  }
  void enable(const std::string& more = "") { update_insights(R"("ContributorInsightsAction":"ENABLE")" + more); }
  void tick() { thread_->tick(); }
  void next_minute() {
    clock_.advance_ms(metrics::kMsPerMinute);
    tick();
  }

  static std::string key(const std::string& p, int n) {
    return R"({"p":{"S":")" + p + R"("},"n":{"N":")" + std::to_string(n) + R"("})";
  }
  int put(const std::string& p, int n, const std::string& day = "") {
    const std::string more = day.empty() ? "" : R"(,"day":{"S":")" + day + "\"}";
    return call("PutItem", R"({"TableName":"Votes","Item":)" + key(p, n) + more + "}}");
  }
  int get(const std::string& p, int n) {
    return call("GetItem", R"({"TableName":"Votes","Key":)" + key(p, n) + R"(},"ConsistentRead":true})");
  }
  int query(const std::string& p, const std::string& more = "") {
    return call("Query", R"({"TableName":"Votes","KeyConditionExpression":"p = :p",)"
                         R"("ExpressionAttributeValues":{":p":{"S":")" +
                             p + "\"}}" + more + "}");
  }

  std::vector<std::string> rules() {
    const Reply reply = send("GraniteServiceVersion20100801.DescribeInsightRules", "{}");
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::vector<std::string> names;
    const auto document = wire::read_json(reply.body);
    for (const wire::Document& rule : *document->find("InsightRules")->as<wire::Document::List>()) {
      names.push_back(*rule.find("Name")->as<std::string>());
    }
    return names;
  }
  // The contributors of the rule whose name has this beginning, "a" or "a|1".
  using Found = std::map<std::string, double>;
  Found report(const std::string& of) {
    for (const std::string& name : rules()) {
      if (!name.starts_with("DynamoDBContributorInsights-" + of + "-1")) continue;
      const Reply reply =
          send("GraniteServiceVersion20100801.GetInsightRuleReport",
               R"({"RuleName":")" + name + R"(","StartTime":)" + std::to_string(kInsightStart * 60) + R"(,"EndTime":)" +
                   std::to_string(kInsightStart * 60 + 86'400) + R"(,"Period":86400,"MaxContributorCount":25})");
      EXPECT_EQ(reply.status, 200) << reply.body;
      aggregate_ = *wire::read_json(reply.body)->find("AggregateValue")->as<double>();
      return contributors(reply.body);
    }
    return {{"no such rule", 0}};
  }
  static Found contributors(const std::string& body) {
    Found found;
    const auto document = wire::read_json(body);
    for (const wire::Document& one : *document->find("Contributors")->as<wire::Document::List>()) {
      std::string text;
      for (const wire::Document& part : *one.find("Keys")->as<wire::Document::List>()) {
        text.append(text.empty() ? "" : "|").append(*part.as<std::string>());
      }
      found[text] = *one.find("ApproximateAggregateValue")->as<double>();
    }
    return found;
  }

  double aggregate_ = 0;  // of the last report
  const PlainSource source_;
  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ManualClock clock_{kInsightStart * metrics::kMsPerMinute};
  SeededRandom random_{1};
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<MetricsThread> thread_;
};

TEST_F(InsightCountersTest, AccessesOfItemsCountWritesThreefold) {
  create();
  EXPECT_EQ(put("before", 1), 200);
  enable();
  EXPECT_EQ(put("a", 1), 200);
  EXPECT_EQ(put("a", 2), 200);
  EXPECT_EQ(get("a", 1), 200);
  EXPECT_EQ(get("b", -7), 200);
  EXPECT_EQ(query("a"), 200);
  EXPECT_EQ(query("a", R"(,"ScanIndexForward":false)"), 200);
  EXPECT_EQ(call("Scan", R"({"TableName":"Votes"})"), 200);
  EXPECT_EQ(call("UpdateItem", R"({"TableName":"Votes","Key":)" + key("c", 1) +
                                   R"x(},"ConditionExpression":"attribute_exists(p)"})x"),
            400);
  EXPECT_EQ(report("PKC-Votes"), (Found{})) << "the minute has not ended";
  next_minute();
  EXPECT_EQ(report("PKC-Votes"), (Found{{"a", 3 + 3 + 1 + 0.5 + 0.5}, {"b", 1}, {"c", 3}}));
  EXPECT_EQ(report("SKC-Votes"), (Found{{"a|1", 4}, {"a|2", 3}, {"b|-7", 1}, {"c|1", 3}})) << "a Query is of no item";
  EXPECT_EQ(aggregate_, 11);
  EXPECT_EQ(report("PKT-Votes"), (Found{}));
  EXPECT_EQ(put("a", 1), 200);
  next_minute();
  EXPECT_EQ(report("SKC-Votes")["a|1"], 7);
}

TEST_F(InsightCountersTest, BatchesAndTransactionsCountEachItem) {
  create();
  enable();
  const auto request = [](const std::string& item) { return R"({"PutRequest":{"Item":)" + item + "}}}"; };
  EXPECT_EQ(call("BatchWriteItem",
                 R"({"RequestItems":{"Votes":[)" + request(key("a", 1)) + "," + request(key("b", 1)) + "]}}"),
            200);
  EXPECT_EQ(
      call("TransactWriteItems", R"({"TransactItems":[{"Put":{"TableName":"Votes","Item":)" + key("c", 1) + "}}}]}"),
      200);
  EXPECT_EQ(call("BatchGetItem", R"({"RequestItems":{"Votes":{"Keys":[)" + key("a", 1) + "}," + key("d", 1) + "}]}}}"),
            200);
  next_minute();
  EXPECT_EQ(report("SKC-Votes"), (Found{{"a|1", 3.5}, {"b|1", 3}, {"c|1", 6}, {"d|1", 0.5}}));
}

TEST_F(InsightCountersTest, StatementsOfPartiqlDoNotCount) {
  create();
  enable();
  EXPECT_EQ(call("ExecuteStatement", R"({"Statement":"INSERT INTO Votes VALUE {'p':'a','n':1}"})"), 200);
  EXPECT_EQ(call("ExecuteStatement", R"({"Statement":"SELECT * FROM Votes WHERE p = 'a' AND n = 1"})"), 200);
  next_minute();
  EXPECT_EQ(report("PKC-Votes"), (Found{}));
}

TEST_F(InsightCountersTest, AnIndexCountsItsRowsAndItsReaders) {
  create();
  enable(R"(,"IndexName":"by_day")");
  EXPECT_EQ(put("a", 1, "mon"), 200);
  EXPECT_EQ(put("b", 1, "mon"), 200);
  EXPECT_EQ(put("b", 1, "tue"), 200);  // two rows
  EXPECT_EQ(put("c", 1), 200);
  EXPECT_EQ(call("Query", R"({"TableName":"Votes","IndexName":"by_day","KeyConditionExpression":"#d = :d",)"
                          R"("ExpressionAttributeNames":{"#d":"day"},"ExpressionAttributeValues":{":d":{"S":"mon"}}})"),
            200);
  EXPECT_EQ(call("Scan", R"({"TableName":"Votes","IndexName":"by_day"})"), 200);
  next_minute();
  EXPECT_EQ(report("PKC-Votes-by_day"), (Found{{"mon", 3 + 3 + 3 + 0.5}, {"tue", 3}}));
  EXPECT_EQ(rules().size(), 2u) << "the table has none, and the index has no sort key";
}

TEST_F(InsightCountersTest, RowsOfAnIndexAreThoseOfTheirItem) {
  create();
  enable(R"(,"IndexName":"by_day")");
  const std::string long_day(1'500, 'd');
  const auto request = [](const std::string& p, const std::string& day) {
    return R"({"PutRequest":{"Item":)" + key(p, 1) + R"(,"day":{"S":")" + day + R"("}}}})";
  };
  EXPECT_EQ(call("BatchWriteItem",
                 R"({"RequestItems":{"Votes":[)" + request("a", "mon") + "," + request("b", long_day) + "]}}"),
            200);
  next_minute();
  EXPECT_EQ(report("PKC-Votes-by_day"), (Found{{"mon", 3}, {long_day, 6}}));
}

TEST_F(InsightCountersTest, ThrottledRequestsCountByKey) {
  open(throttle::CapacityMode::kEnforce);
  create(1);
  enable(R"(,"ContributorInsightsMode":"THROTTLED_KEYS")");
  EXPECT_EQ(rules().size(), 2u);
  int throttled = 0;
  for (int i = 0; i < 400; ++i) throttled += put("a", i % 2) == 400;
  ASSERT_GT(throttled, 50);
  const int before = throttled;
  // A batch whose items are refused is an error, and each of them counts.
  EXPECT_EQ(call("BatchWriteItem", R"({"RequestItems":{"Votes":[{"PutRequest":{"Item":)" + key("b", 1) +
                                       R"(}}},{"PutRequest":{"Item":)" + key("b", 2) + "}}}]}}"),
            400);
  EXPECT_EQ(call("ExecuteStatement", R"({"Statement":"INSERT INTO Votes VALUE {'p':'c','n':1}"})"), 400);
  next_minute();
  EXPECT_EQ(report("PKT-Votes"), (Found{{"a", before}, {"b", 2}})) << "a statement of PartiQL is not counted";
  EXPECT_EQ(report("SKT-Votes")["b|1"], 1);
  EXPECT_EQ(report("SKT-Votes")["a|1"] + report("SKT-Votes")["a|0"], before);
}

TEST_F(InsightCountersTest, InTheModeRecordNothingIsThrottled) {
  create(1);
  enable();
  for (int i = 0; i < 400; ++i) EXPECT_EQ(put("a", 1), 200);
  next_minute();
  EXPECT_EQ(report("PKT-Votes"), (Found{}));
  EXPECT_EQ(report("PKC-Votes"), (Found{{"a", 1'200}}));
}

TEST_F(InsightCountersTest, WritesRefusedForAnIndexAreNotThrottledKeys) {
  open(throttle::CapacityMode::kEnforce);
  create(1);
  EXPECT_EQ(call("UpdateTable", R"({"TableName":"Votes","ProvisionedThroughput":{"ReadCapacityUnits":100,)"
                                R"("WriteCapacityUnits":1000}})"),
            200);
  clock_.advance_ms(2'000);
  enable();
  enable(R"(,"IndexName":"by_day")");
  int refused = 0;
  for (int i = 0; i < 400; ++i) refused += put("a", i, "mon") == 400;
  ASSERT_GT(refused, 50);
  next_minute();
  EXPECT_EQ(report("PKT-Votes"), (Found{}));
  EXPECT_EQ(report("PKT-Votes-by_day"), (Found{}));
  EXPECT_EQ(report("PKC-Votes-by_day"), (Found{{"mon", 3.0 * (400 - refused)}})) << "as much as was written";
}

TEST_F(InsightCountersTest, TheModeOfThrottledKeysCountsNoAccesses) {
  create();
  enable();
  EXPECT_EQ(put("a", 1), 200);
  next_minute();
  const std::vector<std::string> four = rules();
  ASSERT_EQ(four.size(), 4u);
  enable(R"(,"ContributorInsightsMode":"THROTTLED_KEYS")");
  EXPECT_EQ(rules(), (std::vector<std::string>{four[1], four[3]})) << "rules that stay keep their names";
  EXPECT_EQ(put("a", 2), 200);
  next_minute();
  enable(R"(,"IndexName":"by_day")");
  EXPECT_EQ(put("a", 3), 200) << "another rule watches the keys";
  next_minute();
  update_insights(R"("IndexName":"by_day","ContributorInsightsAction":"DISABLE")");
  enable();
  EXPECT_EQ(rules(), four);
  EXPECT_EQ(report("PKC-Votes"), (Found{{"a", 3}}));
}

TEST_F(InsightCountersTest, CountsSurviveARestartAndEndWithTheRule) {
  create();
  enable();
  EXPECT_EQ(put("a", 1), 200);
  next_minute();
  open(throttle::CapacityMode::kRecord);
  EXPECT_EQ(put("a", 1), 200);
  next_minute();
  EXPECT_EQ(report("PKC-Votes"), (Found{{"a", 6}}));
  update_insights(R"("ContributorInsightsAction":"DISABLE")");
  EXPECT_EQ(rules(), (std::vector<std::string>{}));
  EXPECT_EQ(put("a", 1), 200);
  next_minute();
  enable();
  EXPECT_EQ(report("PKC-Votes"), (Found{})) << "these are new rules";
}

// As for a snapshot.
TEST_F(InsightCountersTest, CountsSurviveThatTheDatabaseIsOpenedAgain) {
  create();
  enable();
  EXPECT_EQ(put("a", 1), 200);
  service_->pause();
  database_.reset();
  database_ = table::Database::open(*engine_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
  service_->resume(*database_);
  EXPECT_EQ(put("a", 1), 200) << "before the next second";
  next_minute();
  EXPECT_EQ(put("a", 1), 200);
  next_minute();
  EXPECT_EQ(report("PKC-Votes"), (Found{{"a", 9}}));
}

TEST_F(InsightCountersTest, HotKeysAndInsightsDoNotDisturbEachOther) {
  create();
  enable();
  const table::Table table = database_->catalog().find("Votes");
  EXPECT_EQ(put("a", 1), 200);
  service_->hot_keys(*table, 10);
  EXPECT_EQ(put("a", 1), 200);
  EXPECT_EQ(service_->hot_keys(*table, 10).total, 2u);
  clock_.advance_ms(throttle::HotKeys::kKeptUpNs / 1'000'000 + 1);
  EXPECT_EQ(put("a", 1), 200) << "nobody asks for hot keys by now";
  EXPECT_FALSE(table->meters->watched_by(table::KeyWatch::kHotKeys));
  EXPECT_TRUE(table->meters->watched_by(table::KeyWatch::kInsights));
  next_minute();
  EXPECT_EQ(report("PKC-Votes"), (Found{{"a", 9}}));
  service_->hot_keys(*table, 10);
  update_insights(R"("ContributorInsightsAction":"DISABLE")");
  EXPECT_EQ(put("a", 1), 200);
  EXPECT_EQ(service_->hot_keys(*table, 10).total, 2u);
}

TEST_F(InsightCountersTest, ATableWithoutInsightsIsNotWatched) {
  create();
  EXPECT_EQ(put("a", 1, "mon"), 200);
  const table::Table table = database_->catalog().find("Votes");
  tick();
  EXPECT_FALSE(table->meters->watched());
  enable(R"(,"ContributorInsightsMode":"THROTTLED_KEYS")");
  EXPECT_FALSE(table->meters->watched()) << "only refusals are counted";
  enable(R"(,"IndexName":"by_day")");
  EXPECT_TRUE(table->meters->watched());
  update_insights(R"("IndexName":"by_day","ContributorInsightsAction":"DISABLE")");
  EXPECT_FALSE(table->meters->watched());
}

}  // namespace
}  // namespace partita::ops
