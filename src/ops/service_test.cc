// Whole requests without a socket: what no request may do to the process, and what each of them costs.
#include "ops/service.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "base/yield_budget.h"
#include "engines/memory/memory_engine.h"
#include "ops/footprint.h"
#include "ops/json_codec.h"
#include "ops/operation.h"
#include "ops/table_meters.h"
#include "table/open/database.h"
#include "wire/shape_testing.h"

namespace partita::ops {
namespace {

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() {
    database_ = table::Database::open(*engine_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
    service_ = std::make_unique<Service>(*database_);
    for (const std::string& name : {std::string("ttt"), std::string("uuu")}) {
      ok("CreateTable", R"({"TableName":")" + name + R"(","BillingMode":"PAY_PER_REQUEST",)" +
                            R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)" +
                            R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})");
    }
  }

  Reply call(std::string_view operation, std::string_view body) { return call(*find_operation(operation), body); }
  Reply call(const Operation& operation, std::string_view body) {
    const std::string target = target_of(operation);
    const Call request{target, "application/x-amz-json-1.0", body,
                       std::make_shared<auth::Caller>("key", "us-east-1", "123456789012")};
    return wait_for(service_->call(request));
  }

  std::string ok(std::string_view operation, const std::string& body) {
    const Reply reply = call(operation, body);
    EXPECT_EQ(reply.status, 200) << operation << ' ' << body << ' ' << reply.body;
    return reply.body;
  }

  std::string report() {
    Exposition out;
    service_->report(out);
    return std::move(out).take();
  }

  // {table, kind}: units, since the last time.
  using Cost = std::map<std::pair<std::string, std::string>, double>;
  Cost cost() {
    static const std::regex sample(R"re(_units_total\{table="(\w+)",kind="(\w+)"\} (.*))re");
    const std::string page = report();
    Cost all;
    for (std::sregex_iterator at(page.begin(), page.end(), sample); at != std::sregex_iterator(); ++at) {
      all[{(*at)[1], (*at)[2]}] = std::stod((*at)[3]);
    }
    Cost fresh;
    for (const auto& [of, units] : all) {
      if (units > before_[of]) fresh[of] = units - before_[of];
    }
    before_ = all;
    return fresh;
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ManualClock clock_{1'700'000'000'000};
  SeededRandom random_{1};
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<Service> service_;
  Cost before_;
};

TEST_F(ServiceTest, ANullIsRefusedInEveryListAndMapOfEveryOperation) {
  size_t spoilt = 0;
  for (const Operation& operation : operations()) {
    for (const auto& [where, body] : wire::bodies_with_null(*operation.json.shape)) {
      const Reply reply = call(operation, body);
      EXPECT_EQ(reply.status, 400) << operation.name << where << ' ' << reply.body;
      EXPECT_NE(reply.body.find("#ValidationException"), std::string::npos) << operation.name << where;
      ++spoilt;
    }
    const Reply reply = call(operation, "null");
    EXPECT_EQ(reply.status, 400) << operation.name;
    EXPECT_NE(reply.body.find("#SerializationException"), std::string::npos) << operation.name << ' ' << reply.body;
  }
  EXPECT_GT(spoilt, 40u);
}

// Whatever it is answered with, and however little sense it makes.
TEST_F(ServiceTest, EverySampleIsAnswered) {
  for (const Operation& operation : operations()) {
    const Reply reply = call(operation, wire::sample_body(*operation.json.shape));
    EXPECT_TRUE(reply.status == 200 || reply.status == 400) << operation.name << ' ' << reply.body;
  }
}

TEST_F(ServiceTest, OneTableTwiceInABatch) {
  const std::string arn = "arn:aws:dynamodb:us-east-1:123456789012:table/ttt";
  const std::string put = R"([{"PutRequest":{"Item":{"p":{"S":"a"}}}}])";
  const std::string keys = R"({"Keys":[{"p":{"S":"a"}}]})";
  const Reply write = call("BatchWriteItem", R"({"RequestItems":{"ttt":)" + put + ",\"" + arn + "\":" + put + "}}");
  EXPECT_NE(write.body.find("Provided list of item keys contains duplicates"), std::string::npos) << write.body;
  const Reply read = call("BatchGetItem", R"({"RequestItems":{"ttt":)" + keys + ",\"" + arn + "\":" + keys + "}}");
  EXPECT_NE(read.body.find("Provided list of item keys contains duplicates"), std::string::npos) << read.body;
  const auto action = [&](const std::string& name) {
    return R"({"Put":{"TableName":")" + name + R"(","Item":{"p":{"S":"a"}}}})";
  };
  const Reply both = call("TransactWriteItems", R"({"TransactItems":[)" + action("ttt") + "," + action(arn) + "]}");
  EXPECT_NE(both.body.find("cannot include multiple operations on one item"), std::string::npos) << both.body;
}

// Those of a table from when auto scaling asks for the first time.
TEST_F(ServiceTest, UnitsOfATableAndOfItsIndexAreCountedApart) {
  ok("CreateTable",
     R"({"TableName":"vvv","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)"
     R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],)"
     R"("GlobalSecondaryIndexes":[{"IndexName":"ByG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],)"
     R"("Projection":{"ProjectionType":"ALL"}}]})");
  const std::string put = R"({"TableName":"vvv","Item":{"p":{"S":"a"},"g":{"S":"b"}}})";
  ok("PutItem", put);
  const table::Table table = database_->catalog().find("vvv");
  const table::IndexInfo& index = *table->find_index("ByG");
  EXPECT_FALSE(table->units->counts());
  EXPECT_EQ(table->units->consumed().total(), 0);
  EXPECT_EQ(index.costs->write.sum(), 2);
  ok("PutItem", R"({"TableName":"vvv","Item":{"p":{"S":"c"},"g":{"S":"b"}}})");
  ok("GetItem", R"({"TableName":"vvv","Key":{"p":{"S":"a"}},"ConsistentRead":true})");
  ok("Query", R"({"TableName":"vvv","IndexName":"ByG","KeyConditionExpression":"g = :g",)"
              R"("ExpressionAttributeValues":{":g":{"S":"b"}}})");
  EXPECT_EQ(table->units->consumed().write, 2);
  EXPECT_EQ(table->units->consumed().read, 2);
  EXPECT_EQ(index.costs->write.sum(), 4);
  EXPECT_EQ(index.costs->read.sum(), 1);
}

TEST_F(ServiceTest, EachAccessComesByTheGateWithItsCost) {
  ok("PutItem", R"({"TableName":"ttt","Item":{"p":{"S":"a"}}})");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "write"}, 1}}));
  ok("GetItem", R"({"TableName":"ttt","Key":{"p":{"S":"a"}}})");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "read"}, 0.5}}));
  ok("Query", R"({"TableName":"ttt","KeyConditionExpression":"p = :p","ExpressionAttributeValues":{":p":{"S":"a"}}})");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "read"}, 0.5}}));
  ok("Scan", R"({"TableName":"ttt","ConsistentRead":true})");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "read"}, 1}}));
  ok("UpdateItem", R"({"TableName":"ttt","Key":{"p":{"S":"a"}}})");
  ok("DeleteItem", R"({"TableName":"ttt","Key":{"p":{"S":"a"}}})");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "write"}, 2}}));
  ok("BatchWriteItem",
     R"({"RequestItems":{"ttt":[{"PutRequest":{"Item":{"p":{"S":"a"}}}},)"
     R"({"DeleteRequest":{"Key":{"p":{"S":"b"}}}}],"uuu":[{"PutRequest":{"Item":{"p":{"S":"a"}}}}]}})");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "write"}, 2}, {{"uuu", "write"}, 1}}));
  ok("BatchGetItem", R"({"RequestItems":{"ttt":{"Keys":[{"p":{"S":"a"}},{"p":{"S":"b"}}]},)"
                     R"("uuu":{"Keys":[{"p":{"S":"a"}}],"ConsistentRead":true}}})");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "read"}, 1}, {{"uuu", "read"}, 1}}));
  ok("TransactWriteItems",
     R"({"TransactItems":[{"Put":{"TableName":"ttt","Item":{"p":{"S":"a"}}}},)"
     R"({"Update":{"TableName":"ttt","Key":{"p":{"S":"b"}},"UpdateExpression":"REMOVE x"}},)"
     R"({"Delete":{"TableName":"uuu","Key":{"p":{"S":"c"}}}},{"ConditionCheck":{"TableName":"uuu",)"
     R"x("Key":{"p":{"S":"d"}},"ConditionExpression":"attribute_not_exists(p)"}}]})x");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "write"}, 4}, {{"uuu", "write"}, 4}}));
  ok("TransactGetItems", R"({"TransactItems":[{"Get":{"TableName":"ttt","Key":{"p":{"S":"a"}}}}]})");
  EXPECT_EQ(cost(), (Cost{{{"ttt", "read"}, 2}}));
}

TEST_F(ServiceTest, OnlyTablesThatThereAreAreReported) {
  ok("PutItem", R"({"TableName":"ttt","Item":{"p":{"S":"a"}}})");
  ok("PutItem", R"({"TableName":"uuu","Item":{"p":{"S":"a"}}})");
  EXPECT_NE(report().find(R"(units_total{table="ttt",kind="write"} 1)"), std::string::npos);
  ok("DeleteTable", R"({"TableName":"ttt"})");
  while (database_->catalog().find("ttt") != nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(report().find("ttt"), std::string::npos);
  EXPECT_NE(report().find(R"(units_total{table="uuu",kind="write"} 1)"), std::string::npos);
}

TEST_F(ServiceTest, TheTimesOfATableOutliveItsChanges) {
  const auto timed = [&](std::string_view operation, std::string_view body) {
    const std::string target = target_of(*find_operation(operation));
    RequestFootprint footprint;
    Call request{target, "application/x-amz-json-1.0", body,
                 std::make_shared<auth::Caller>("key", "us-east-1", "123456789012")};
    request.footprint = &footprint;
    service_->answered(request, wait_for(service_->call(request)), 1'000);
  };
  timed("PutItem", R"({"TableName":"ttt","Item":{"p":{"S":"a"}}})");
  timed("UpdateTable", R"({"TableName":"ttt","DeletionProtectionEnabled":true})");
  timed("PutItem", R"({"TableName":"ttt","Item":{"p":{"S":"a"}}})");
  const std::string text = report();
  EXPECT_NE(text.find(R"(table_request_seconds_count{table="ttt",operation="PutItem"} 2)"), std::string::npos) << text;
  EXPECT_EQ(text.find(R"(table="ttt",operation="UpdateTable")"), std::string::npos) << text;
}

TEST_F(ServiceTest, WhatIsThrottledCountsWithItsTables) {
  const std::string target = target_of(*find_operation("GetItem"));
  RequestFootprint footprint;
  Call request{target, "application/x-amz-json-1.0", R"({"TableName":"uuu","Key":{"p":{"S":"a"}}})",
               std::make_shared<auth::Caller>("key", "us-east-1", "123456789012")};
  request.footprint = &footprint;
  service_->answered(request, wait_for(service_->call(request)), 1'000);
  service_->answered(request, refusal(Error(ErrorKind::kConflict, "others were faster.")), 1'000);
  service_->answered(request, refusal(Error(ErrorKind::kCorrupt, "it is spoilt.")), 1'000);
  const std::string text = report();
  EXPECT_NE(text.find("partita_table_throttled_total{table=\"uuu\"} 1\n"), std::string::npos) << text;
}

// What a server has no memory for counts with its operation, and what is no request by its status.
TEST_F(ServiceTest, WhatIsRefusedBeforeItIsCalledIsCounted) {
  const std::string target = target_of(*find_operation("Scan"));
  service_->answered({target, {}, {}, auth::Refused{}}, overloaded(), 0);
  service_->refused(413);
  const std::string text = report();
  EXPECT_NE(text.find(R"(partita_errors_total{operation="Scan",error="ServiceUnavailable)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(partita_refused_total{status="413"} 1)"), std::string::npos) << text;
}

TEST_F(ServiceTest, WhatIsRefusedCostsNothing) {
  EXPECT_EQ(call("PutItem", R"({"TableName":"ttt","Item":{"q":{"S":"a"}}})").status, 400);
  EXPECT_EQ(call("GetItem", R"({"TableName":"absent","Key":{"p":{"S":"a"}}})").status, 400);
  EXPECT_EQ(cost(), Cost());
}

// A thread that has nobody else to serve.
class Alone final : public Executor {
 public:
  Alone() { set_current(this); }
  ~Alone() override { set_current(nullptr); }
  void resume(std::coroutine_handle<> handle) override {
    Executor* const before = current();
    set_current(this);
    handle.resume();
    set_current(before);
  }
  void resume_after_ready(YieldedTask& waiting, bool first) override {
    ++(first ? further : begun);
    waiting.handle.resume();
  }

  int begun = 0;
  int further = 0;
};

// The text behind `"name":"`, up to the next quote.
std::string text_in(const std::string& json, const std::string& name) {
  const std::string before = '"' + name + R"(":")";
  const size_t from = json.find(before);
  if (from == std::string::npos) return {};
  return json.substr(from + before.size(), json.find('"', from + before.size()) - from - before.size());
}

TEST_F(ServiceTest, WhatReadsMuchIsDoneInPieces) {
  const std::string changed = ok("UpdateTable", R"({"TableName":"ttt","StreamSpecification":{"StreamEnabled":true,)"
                                                R"("StreamViewType":"NEW_IMAGE"}})");
  const std::string stream = R"({"StreamArn":")" + text_in(changed, "LatestStreamArn") + '"';
  ok("CreateTable", R"({"TableName":"vvv","BillingMode":"PAY_PER_REQUEST","VectorIndexes":[{"IndexName":"near",)"
                    R"("VectorAttribute":{"AttributeName":"v"},"Dimensions":1,"DistanceFunction":"EUCLIDEAN",)"
                    R"("Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)"
                    R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})");
  constexpr size_t kItems = 25;
  const std::string text(25'000, 'x');
  std::string keys;
  std::string gets;
  std::string statements;
  for (size_t i = 0; i < kItems; ++i) {
    const std::string id = std::to_string(i);
    const std::string key = R"({"p":{"S":")" + id + R"("})";
    const std::string comma = i == 0 ? "" : ",";
    const std::string more = R"(,"v":{"L":[{"N":")" + id + R"("}]},"x":{"S":")" + text + R"("}}})";
    ok("PutItem", R"({"TableName":"ttt","Item":)" + key + more);
    ok("PutItem", R"({"TableName":"vvv","Item":)" + key + more);
    keys += comma + key + "}";
    gets += comma + R"({"Get":{"TableName":"ttt","Key":)" + key + "}}}";
    statements += comma + R"({"Statement":"SELECT * FROM ttt WHERE p=')" + id + R"('"})";
  }
  const auto alone = std::make_unique<Alone>();
  const auto pieces_of = [&](std::string_view operation, const std::string& body) {
    alone->begun = alone->further = 0;
    EXPECT_EQ(ok(operation, body).size() > kItems * text.size(), body.find("COUNT") == std::string::npos);
    EXPECT_LE(alone->begun, 1) << operation;
    return alone->further;
  };
  constexpr int kPieces = 8;  // of three items each
  EXPECT_GE(pieces_of("Scan", R"({"TableName":"ttt"})"), 2 * kPieces - 2);
  EXPECT_GE(pieces_of("Scan", R"({"TableName":"ttt","Select":"COUNT"})"), kPieces - 2);
  EXPECT_GE(pieces_of("ExecuteStatement", R"({"Statement":"SELECT * FROM ttt"})"), 2 * kPieces - 2);
  EXPECT_GE(pieces_of("BatchGetItem", R"({"RequestItems":{"ttt":{"Keys":[)" + keys + "]}}}"), kPieces - 2);
  EXPECT_GE(pieces_of("TransactGetItems", R"({"TransactItems":[)" + gets + "]}"), kPieces - 1);
  EXPECT_GE(pieces_of("BatchExecuteStatement", R"({"Statements":[)" + statements + "]}"), kPieces - 1);
  EXPECT_GE(
      pieces_of("SearchVectors", R"({"TableName":"vvv","IndexName":"near","TopK":25,"SearchVector":[{"N":"1"}]})"),
      kPieces - 1);
  alone->begun = 0;
  ok("GetItem", R"({"TableName":"ttt","Key":{"p":{"S":"1"}}})");
  EXPECT_EQ(alone->begun, 0);

  // Its records are in several shards, each with a rest of less than a piece.
  alone->begun = alone->further = 0;
  std::string shards = ok("DescribeStream", stream + "}");
  for (std::string shard; !(shard = text_in(shards, "ShardId")).empty();) {
    const std::string at = R"(,"ShardId":")" + shard + R"(","ShardIteratorType":"TRIM_HORIZON"})";
    const std::string iterator = text_in(ok("GetShardIterator", stream + at), "ShardIterator");
    ok("GetRecords", R"({"ShardIterator":")" + iterator + "\"}");
    shards.erase(0, shards.find(shard) + shard.size());
  }
  EXPECT_GE(alone->further, kPieces - 4);
}

}  // namespace
}  // namespace partita::ops
