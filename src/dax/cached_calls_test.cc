// Calls by the caches against a store in memory, which other calls change behind their back.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "auth/identities.h"
#include "base/clock.h"
#include "base/random.h"
#include "dax/batch_write.h"
#include "dax/cached_reads.h"
#include "dax/cached_writes.h"
#include "dax/caches.h"
#include "engines/memory/memory_engine.h"
#include "expr/condition.h"
#include "expr/placeholders.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "ops/call_codec.h"
#include "ops/service.h"
#include "storage/tracking_engine.h"
#include "table/open/database.h"

namespace partita::dax {
namespace {

using model::AttributeValue;
using model::Fault;
using model::Item;

Item key_item(std::string_view key) {
  Item item;
  item.set("p", AttributeValue::string(std::string(key)));
  return item;
}

Item whole_item(std::string_view key, std::string_view value) {
  Item item = key_item(key);
  item.set("v", AttributeValue::string(std::string(value)));
  item.set("w", AttributeValue::string("more"));
  return item;
}

class CallOf final : public ops::CallCodec {
 public:
  CallOf(std::string_view name, ops::Execution& execution)
      : operation_(*ops::find_operation(name)), execution_(execution) {}
  const ops::Operation& operation() const override { return operation_; }
  Result<ops::CodecStep> decode(const ops::Context&) override { return ops::CodecStep::kDone; }
  ops::Execution& execution() override { return execution_; }
  Result<ops::CodecStep> encode(const ops::Context&) override { return ops::CodecStep::kDone; }
  Task<Result<void>> fetch(const ops::Context&) override { co_return Result<void>(); }

 private:
  const ops::Operation& operation_;
  ops::Execution& execution_;
};

// Another engine, on whose calls a test acts.
class ObservedEngine final : public storage::TrackingEngine {
 public:
  using TrackingEngine::TrackingEngine;

  // Called once after the next read or transaction on the thread that made this engine: jobs have threads of their own.
  std::function<void()> after_read;
  std::function<void()> after_transact;
  bool is_unsure = false;  // whether committed transactions are reported as unknown

  Task<Result<std::vector<std::optional<storage::Record>>>> read(std::span<const storage::Key> keys) override {
    auto found = co_await TrackingEngine::read(keys);
    act(after_read);
    co_return found;
  }
  Task<Result<storage::Outcome>> transact(std::vector<storage::Key> keys, std::vector<storage::Compare> compare,
                                          storage::Decide decide, storage::Version* version) override {
    auto done = co_await TrackingEngine::transact(std::move(keys), std::move(compare), decide, version);
    act(after_transact);
    if (is_unsure && std::this_thread::get_id() == maker_) co_return Error(ErrorKind::kUnknown, "the test says so");
    co_return done;
  }

 private:
  void act(std::function<void()>& then) const {
    if (std::this_thread::get_id() != maker_ || !then) return;
    const auto once = std::exchange(then, nullptr);
    once();
  }

  const std::thread::id maker_ = std::this_thread::get_id();
};

class Elsewhere final : public ops::Source {
 public:
  std::string address() const override { return "192.0.2.7"; }
  bool encrypted() const override { return false; }
};

class DaxCachedCalls : public testing::Test {
 protected:
  DaxCachedCalls() { open(); }

  void open(throttle::CapacityModes capacity = {}) {
    service_.reset();
    database_.reset();
    database_ = table::Database::open(observed_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
    service_ = std::make_unique<ops::Service>(*database_, ops::Enforcement::kRefuse, 0, nullptr, capacity);
    if (database_->catalog().find("ttt") == nullptr) create();
  }
  void create() {
    json("CreateTable",
         R"({"TableName":"ttt","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":9999},)"
         R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)"
         R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})");
  }
  // Over HTTP.
  void json(std::string_view operation, std::string_view body) {
    const std::string target = ops::target_of(*ops::find_operation(operation));
    const ops::Call call{target, "application/x-amz-json-1.0", body,
                         std::make_shared<const auth::Caller>("key", "us-east-1", "123456789012")};
    const ops::Reply reply = wait_for(service_->call(call));
    EXPECT_EQ(reply.status, 200) << reply.body;
  }
  void json_put(std::string_view key, std::string_view value) {
    json("PutItem", R"({"TableName":"ttt","Item":{"p":{"S":")" + std::string(key) + R"("},"v":{"S":")" +
                        std::string(value) + R"("}}})");
  }

  Result<void> run(std::string_view operation, ops::Execution& execution, const auth::Identity* identity = nullptr) {
    auth::Caller made{"key", "us-east-1", "123456789012", identity};
    made.signed_for = auth::SignedFor::kDax;
    CallOf codec(operation, execution);
    ops::Call call{{}, {}, {}, std::make_shared<const auth::Caller>(std::move(made))};
    call.source = &source_;
    return wait_for(service_->call_by(call, codec));
  }

  static std::string value_of(const std::optional<api::FoundItem>& found, std::string_view attribute = "v") {
    if (!found) return "none";
    Item item;
    if (const auto* const tree = std::get_if<Item>(&*found)) {
      item = *tree;
    } else if (const auto* const view = std::get_if<std::string_view>(&*found)) {
      item = model::decode_item(*view).value();
    } else {
      item = model::decode_item(std::get<std::string>(*found)).value();
    }
    const AttributeValue* const value = item.find(attribute);
    return value == nullptr ? "no " + std::string(attribute) : std::string(value->as_bytes());
  }

  static api::GetRequest get_request(std::string_view key, bool consistent = false) {
    api::GetRequest request;
    request.table = "ttt";
    request.key = key_item(key);
    request.consistent = consistent;
    return request;
  }
  std::string get(std::string_view key, bool consistent = false) {
    CachedGet execution(caches_, get_request(key, consistent), {});
    const auto done = run("GetItem", execution);
    EXPECT_TRUE(done.ok());
    return done.ok() ? value_of(execution.reply().read.item) : "failed";
  }
  static api::WriteRequest write_request(api::WriteAction::Kind kind, std::string_view key,
                                         std::string_view value = {}) {
    api::WriteRequest request;
    request.table = "ttt";
    request.action.kind = kind;
    if (kind == api::WriteAction::Kind::kPut) request.action.item = model::encode_item(whole_item(key, value));
    if (kind != api::WriteAction::Kind::kPut) request.action.key = key_item(key);
    return request;
  }
  Result<void> write(api::WriteRequest request) {
    CachedWrite execution(&caches_, std::move(request));
    return run("PutItem", execution);
  }
  void put(std::string_view key, std::string_view value) {
    EXPECT_TRUE(write(write_request(api::WriteAction::Kind::kPut, key, value)).ok());
  }
  // All items of the table, by the parameters `arguments`.
  uint64_t scan(std::string_view arguments, bool consistent = false, api::Select select = api::Select::kDefault) {
    api::RangeRequest request;
    request.table = "ttt";
    request.consistent = consistent;
    request.select = select;
    CachedRange execution(caches_, std::move(request), arguments);
    const auto done = run("Scan", execution);
    EXPECT_TRUE(done.ok());
    return done.ok() ? execution.reply().count : 0;
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ObservedEngine observed_{*engine_};
  ManualClock clock_{1'700'000'000'000};
  SeededRandom random_{1};
  Elsewhere source_;
  api::CacheTimes times_;
  Caches caches_{size_t{8} << 20, [this] { return times_; }};
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<ops::Service> service_;
};

using Kind = api::WriteAction::Kind;

TEST_F(DaxCachedCalls, AnItemIsStaleUntilItsTtl) {
  json_put("a", "one");
  EXPECT_EQ(get("a"), "one");
  json_put("a", "two");
  EXPECT_EQ(get("a"), "one");
  EXPECT_EQ(get("a", true), "two");
  EXPECT_EQ(get("a"), "one");  // a consistent read does not fill
  clock_.advance_ms(300'000);
  EXPECT_EQ(get("a"), "two");
  EXPECT_EQ(get("b"), "none");
  json_put("b", "three");
  EXPECT_EQ(get("b"), "none");
}

TEST_F(DaxCachedCalls, AWriteIsSeenAtOnce) {
  EXPECT_EQ(get("a"), "none");
  put("a", "one");
  EXPECT_EQ(get("a"), "one");
  json_put("a", "two");
  EXPECT_EQ(get("a"), "one");
  ASSERT_TRUE(write(write_request(Kind::kDelete, "a")).ok());
  EXPECT_EQ(get("a"), "none");
  EXPECT_EQ(caches_.items().counts().misses, 1U);
}

TEST_F(DaxCachedCalls, AnUpdateLeavesTheItemAsItIsThen) {
  json_put("a", "one");
  EXPECT_EQ(get("a"), "one");
  json_put("a", "two");
  api::WriteRequest update = write_request(Kind::kUpdate, "a");
  Item values;
  values.set(":x", AttributeValue::string("added"));
  auto given = expr::Placeholders::make(std::nullopt, values).value();
  update.action.update = expr::parse_update("SET x = :x", given).value();
  ASSERT_TRUE(write(std::move(update)).ok());
  EXPECT_EQ(get("a"), "two");
  CachedGet execution(caches_, get_request("a"), {});
  ASSERT_TRUE(run("GetItem", execution).ok());
  EXPECT_EQ(value_of(execution.reply().read.item, "x"), "added");
}

TEST_F(DaxCachedCalls, AFailedWriteChangesNothing) {
  put("a", "one");
  json_put("a", "two");
  api::WriteRequest refused = write_request(Kind::kPut, "a", "three");
  expr::Placeholders given;
  refused.action.condition =
      expr::parse_condition("attribute_not_exists(p)", expr::ExpressionKind::kCondition, given).value();
  const auto done = write(std::move(refused));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(model::fault_of(done.error()), Fault::kConditionFailed);
  EXPECT_EQ(get("a"), "one");
}

TEST_F(DaxCachedCalls, AReadDuringAWriteDoesNotFill) {
  json_put("a", "one");
  observed_.after_read = [&] { put("a", "two"); };
  EXPECT_EQ(get("a"), "one");
  EXPECT_EQ(get("a"), "two");
  // The same in a batch.
  json_put("b", "one");
  observed_.after_read = [&] { put("b", "two"); };
  api::BatchGetRequest request;
  request.parts.push_back({"ttt", {key_item("b")}, {}, false});
  CachedBatchGet batch(caches_, std::move(request), {});
  ASSERT_TRUE(run("BatchGetItem", batch).ok());
  EXPECT_EQ(value_of(batch.reply().parts.at(0).items.at(0).item), "one");
  EXPECT_EQ(get("b"), "two");
}

TEST_F(DaxCachedCalls, TheOlderOfTwoWritesIsNotKept) {
  times_.item_ttl_ms = 0;
  observed_.after_transact = [&] { put("a", "two"); };
  put("a", "one");  // ends last
  EXPECT_EQ(get("a"), "two");
}

TEST_F(DaxCachedCalls, AWriteOfUnknownOutcomeDropsTheEntry) {
  put("a", "one");
  observed_.is_unsure = true;
  const auto done = write(write_request(Kind::kPut, "a", "two"));
  observed_.is_unsure = false;
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(get("a"), "two");
  json_put("a", "three");
  EXPECT_EQ(get("a"), "three");  // the read did not fill
  put("a", "four");
  json_put("a", "five");
  EXPECT_EQ(get("a"), "four");
}

TEST_F(DaxCachedCalls, ProjectionsAreMadeOfTheWholeItem) {
  json_put("a", "one");
  for (const std::string_view hit : {"miss", "hit"}) {
    api::GetRequest request = get_request("a");
    request.projection = expr::Projection::of_columns({{"0", expr::Path{"v", {}}}});
    CachedGet execution(caches_, std::move(request), {});
    ASSERT_TRUE(run("GetItem", execution).ok());
    EXPECT_EQ(value_of(execution.reply().read.item, "0"), "one") << hit;
    EXPECT_EQ(value_of(execution.reply().read.item, "p"), "no p") << hit;
    EXPECT_EQ(execution.reply().consumed.table, hit == "hit" ? "" : "ttt");
  }
  EXPECT_EQ(get("a"), "one");
  EXPECT_EQ(caches_.items().counts().hits, 2U);
}

TEST_F(DaxCachedCalls, AHitNeedsNoCapacity) {
  open({throttle::CapacityMode::kEnforce, {}});
  put("a", "one");
  for (int i = 0; i < 2'000; ++i) ASSERT_EQ(get("a"), "one");
  Result<void> done;
  for (int i = 0; done.ok() && i < 2'000; ++i) {
    CachedGet consistent(caches_, get_request("a", true), {});
    done = run("GetItem", consistent);
  }
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(model::fault_of(done.error()), Fault::kThroughputExceeded);
  EXPECT_EQ(get("a"), "one");
}

TEST_F(DaxCachedCalls, AHitIsAuthorisedAsAMiss) {
  const auto identities =
      auth::Identities::parse(R"({"UserDetailList":[{"UserName":"ann","UserPolicyList":[{"PolicyName":"p",
          "PolicyDocument":{"Statement":{"Effect":"Allow","Action":["dynamodb:GetItem","dynamodb:Scan"],"Resource":"*",
          "Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["a"]}}}}}]},{"UserName":"bob"}]})")
          .value();
  put("a", "one");
  put("b", "two");
  EXPECT_EQ(scan("all"), 2U);
  EXPECT_EQ(scan("all"), 2U);
  CachedGet a(caches_, get_request("a"), {});
  EXPECT_TRUE(run("GetItem", a, identities.find("ann")).ok());
  for (const std::string_view key : {"a", "b"}) {
    CachedGet refused(caches_, get_request(key), {});
    EXPECT_FALSE(run("GetItem", refused, identities.find("bob")).ok()) << key;
  }
  CachedGet b(caches_, get_request("b"), {});
  EXPECT_FALSE(run("GetItem", b, identities.find("ann")).ok());
  api::BatchGetRequest both;
  both.parts.push_back({"ttt", {key_item("a")}, {}, false});
  CachedBatchGet batch(caches_, both, {});
  EXPECT_FALSE(run("BatchGetItem", batch, identities.find("bob")).ok());
  api::RangeRequest all;
  all.table = "ttt";
  CachedRange range(caches_, all, "all");
  EXPECT_FALSE(run("Scan", range, identities.find("bob")).ok());
  EXPECT_EQ(caches_.items().counts().hits, 1U);  // ann's
  EXPECT_EQ(caches_.queries().counts().hits, 1U);
}

TEST_F(DaxCachedCalls, ABatchReadsOnlyWhatIsNotCached) {
  json_put("a", "one");
  json_put("b", "two");
  json_put("c", "three");
  EXPECT_EQ(get("b"), "two");
  EXPECT_EQ(get("x"), "none");
  json_put("b", "new");
  api::BatchGetRequest request;
  request.parts.push_back({"ttt", {key_item("a"), key_item("b"), key_item("x"), key_item("c")}, {}, false});
  for (const bool hit : {false, true}) {
    CachedBatchGet batch(caches_, request, {});
    ASSERT_TRUE(run("BatchGetItem", batch).ok());
    const auto& part = batch.reply().parts.at(0);
    std::vector<std::string> values;
    for (const auto& item : part.items) values.push_back(value_of(item.item));
    EXPECT_EQ(values, (std::vector<std::string>{"one", "two", "none", "three"}));
    EXPECT_TRUE(part.unprocessed.empty());
    EXPECT_EQ(part.consumed.table, hit ? "" : "ttt");
    EXPECT_EQ(part.consumed.base.read, hit ? 0U : 2U);  // half a unit each
  }
  request.parts[0].consistent = true;
  CachedBatchGet consistent(caches_, request, {});
  ASSERT_TRUE(run("BatchGetItem", consistent).ok());
  EXPECT_EQ(value_of(consistent.reply().parts.at(0).items.at(1).item), "new");
  EXPECT_EQ(get("b"), "two");
}

TEST_F(DaxCachedCalls, ABatchOfHitsIsLimitedTo16Megabytes) {
  Caches large(size_t{256} << 20);
  api::BatchGetRequest request;
  request.parts.push_back({"ttt", {}, {}, false});
  for (int i = 0; i < 60; ++i) {
    const std::string key = std::to_string(i);
    CachedWrite written(&large, write_request(Kind::kPut, key, std::string(390'000, 'x')));
    ASSERT_TRUE(run("PutItem", written).ok());
    request.parts[0].keys.push_back(key_item(key));
  }
  CachedBatchGet batch(large, request, {});
  ASSERT_TRUE(run("BatchGetItem", batch).ok());
  const auto& part = batch.reply().parts.at(0);
  EXPECT_EQ(part.items.size(), 43U);
  ASSERT_EQ(part.unprocessed.size(), 17U);
  EXPECT_EQ(part.unprocessed.front(), 43U);
  EXPECT_EQ(large.items().counts().hits, 60U);
}

TEST_F(DaxCachedCalls, ABatchWritesThrough) {
  json_put("b", "one");
  EXPECT_EQ(get("a"), "none");
  EXPECT_EQ(get("b"), "one");
  api::BatchWriteRequest request;
  request.parts.push_back({"ttt", {}});
  request.parts[0].actions.push_back(write_request(Kind::kPut, "a", "two").action);
  request.parts[0].actions.push_back(write_request(Kind::kDelete, "b").action);
  BatchWrite batch(&caches_, std::move(request));
  ASSERT_TRUE(run("BatchWriteItem", batch).ok());
  EXPECT_EQ(get("a"), "two");
  EXPECT_EQ(get("b"), "none");
  EXPECT_EQ(caches_.items().counts().misses, 2U);
}

TEST_F(DaxCachedCalls, ATransactionDropsItsItems) {
  put("a", "one");
  put("b", "two");
  api::TransactWriteRequest request;
  request.parts.push_back({"ttt", write_request(Kind::kPut, "a", "three").action});
  CachedTransactWrite transaction(&caches_, request);
  ASSERT_TRUE(run("TransactWriteItems", transaction).ok());
  EXPECT_EQ(get("a"), "three");
  EXPECT_EQ(get("b"), "two");
  EXPECT_EQ(caches_.items().counts().misses, 1U);
}

TEST_F(DaxCachedCalls, ACheckedItemIsStillFilled) {
  json_put("a", "one");
  api::TransactWriteRequest request;
  request.parts.push_back({"ttt", write_request(Kind::kPut, "b", "two").action});
  request.parts.push_back({"ttt", write_request(Kind::kCheck, "a").action});
  expr::Placeholders given;
  request.parts[1].action.condition =
      expr::parse_condition("attribute_exists(p)", expr::ExpressionKind::kCondition, given).value();
  CachedTransactWrite transaction(&caches_, request);
  observed_.after_read = [&] {
    const auto done = run("TransactWriteItems", transaction);
    EXPECT_TRUE(done.ok());
  };
  EXPECT_EQ(get("a"), "one");
  json_put("a", "two");
  EXPECT_EQ(get("a"), "one");
}

TEST_F(DaxCachedCalls, AWriteInvalidatesNoQuery) {
  EXPECT_EQ(scan("all"), 0U);
  put("a", "one");
  EXPECT_EQ(scan("all"), 0U);
  EXPECT_EQ(scan("other parameters"), 1U);
  EXPECT_EQ(scan("all", true), 1U);
  clock_.advance_ms(300'000);
  EXPECT_EQ(scan("all"), 1U);
  EXPECT_EQ(get("b"), "none");
  times_.query_ttl_ms = 0;
  put("b", "two");
  EXPECT_EQ(scan("all"), 2U);
  EXPECT_EQ(caches_.items().counts().misses, 1U);  // scans and items do not warm each other
}

// Bytes that select all attributes select nothing in particular when another client sends them.
TEST_F(DaxCachedCalls, EqualBytesOfAnotherSelectAreAnotherQuery) {
  EXPECT_EQ(scan("all", false, api::Select::kAllAttributes), 0U);
  json_put("a", "one");
  EXPECT_EQ(scan("all", false, api::Select::kAllAttributes), 0U);
  EXPECT_EQ(scan("all"), 1U);
}

TEST_F(DaxCachedCalls, ADroppedTableAndAReopenedDatabaseBeginCold) {
  put("a", "one");
  EXPECT_EQ(scan("all"), 1U);
  json("DeleteTable", R"({"TableName":"ttt"})");
  create();
  EXPECT_EQ(get("a"), "none");
  EXPECT_EQ(scan("all"), 0U);
  json_put("a", "two");
  EXPECT_EQ(get("a"), "none");
  open();
  EXPECT_EQ(get("a"), "two");
  EXPECT_EQ(scan("all"), 1U);
}

TEST_F(DaxCachedCalls, MetricsNameBothCaches) {
  put("a", "one");
  EXPECT_EQ(get("a"), "one");
  EXPECT_EQ(scan("all"), 1U);
  Exposition out;
  caches_.report(out);
  const std::string page = std::move(out).take();
  for (const std::string_view line :
       {R"(partita_dax_cache_hits_total{cache="item"} 1)", R"(partita_dax_cache_hits_total{cache="query"} 0)",
        R"(partita_dax_cache_misses_total{cache="item"} 0)", R"(partita_dax_cache_misses_total{cache="query"} 1)",
        R"(partita_dax_cache_entries{cache="item"} 1)", R"(partita_dax_cache_entries{cache="query"} 1)"}) {
    EXPECT_NE(page.find(line), std::string::npos) << page;
  }
}

}  // namespace
}  // namespace partita::dax
