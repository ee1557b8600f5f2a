// What clients ask for before they code items: who may, and what it stores.
#include "dax/definitions.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "auth/identities.h"
#include "base/clock.h"
#include "base/random.h"
#include "dax/item_codec.h"
#include "engines/memory/memory_engine.h"
#include "model/fault.h"
#include "ops/footprint.h"
#include "ops/service.h"
#include "storage/tracking_engine.h"
#include "table/open/database.h"
#include "table/rows/system_rows.h"
#include "wire/error_body.h"

namespace partita::dax {
namespace {

using model::Fault;
using wire::CborWriter;
using Method = wire::dax::Method;

class CountingEngine final : public storage::TrackingEngine {
 public:
  using TrackingEngine::TrackingEngine;

  int transactions = 0;

  Task<Result<storage::Outcome>> transact(std::vector<storage::Key> keys, std::vector<storage::Compare> compare,
                                          storage::Decide decide, storage::Version* version) override {
    ++transactions;
    return TrackingEngine::transact(std::move(keys), std::move(compare), std::move(decide), version);
  }
};

// Of each user one statement. "guest" has none: a table's policy names it.
constexpr std::string_view kUsers = R"({"UserDetailList":[
  {"UserName":"reader","UserPolicyList":[{"PolicyName":"p","PolicyDocument":{"Statement":
    {"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"arn:aws:dynamodb:*:*:table/Tab1"}}}]},
  {"UserName":"indexer","UserPolicyList":[{"PolicyName":"p","PolicyDocument":{"Statement":
    {"Effect":"Allow","Action":"dynamodb:Query","Resource":"arn:aws:dynamodb:*:*:table/Tab1/index/by-g"}}}]},
  {"UserName":"writer","UserPolicyList":[{"PolicyName":"p","PolicyDocument":{"Statement":
    {"Effect":"Allow","Action":"dynamodb:PutItem","Resource":"arn:aws:dynamodb:*:*:table/Tab1",
     "Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["mine"]}}}}}]},
  {"UserName":"barred","UserPolicyList":[{"PolicyName":"p","PolicyDocument":{"Statement":[
    {"Effect":"Allow","Action":"dynamodb:*","Resource":"*"},
    {"Effect":"Deny","Action":"dynamodb:PutItem","Resource":"*"},
    {"Effect":"Deny","Action":"dynamodb:BatchWriteItem","Resource":"*"}]}}]},
  {"UserName":"guest"},{"UserName":"nobody"}]})";

class DaxDefinitions : public testing::Test {
 protected:
  DaxDefinitions() {
    for (const std::string_view name : {"Tab1", "Tab2"}) {
      json("CreateTable",
           R"({"TableName":")" + std::string(name) +
               R"(","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
        "GlobalSecondaryIndexes":[{"IndexName":"by-g","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"ALL"}}]})");
    }
  }

  void json(std::string_view operation, std::string_view body) {
    const std::string target = ops::target_of(*ops::find_operation(operation));
    const ops::Call call{target, "application/x-amz-json-1.0", body,
                         std::make_shared<const auth::Caller>("key", "us-east-1", "123456789012")};
    const ops::Reply reply = wait_for(service_->call(call));
    ASSERT_EQ(reply.status, 200) << reply.body;
  }

  Result<void> call(ops::CallCodec& codec, std::string_view user) {
    const auth::Identity* const identity = user.empty() ? nullptr : users_.find(user);
    EXPECT_TRUE(user.empty() || identity != nullptr);
    auth::Caller made{"key", "us-east-1", "123456789012", identity};
    made.signed_for = auth::SignedFor::kDax;
    footprint_.emplace();
    ops::Call dax{{}, {}, {}, std::make_shared<const auth::Caller>(std::move(made))};
    dax.footprint = &*footprint_;
    return wait_for(service_->call_by(dax, codec));
  }
  Result<void> define(Method method, std::string_view arguments, std::string_view user) {
    CborWriter out;
    DefinitionCodec codec(method, arguments, out);
    return call(codec, user);
  }
  Result<void> schema(std::string_view table, std::string_view user) {
    CborWriter name;
    name.bytes(table);
    return define(Method::kDefineKeySchema, name.view(), user);
  }
  // Of a list with that name.
  Result<void> list(std::string_view name, std::string_view user) {
    CborWriter names;
    names.array(1);
    names.text(name);
    return define(Method::kDefineAttributeListId, names.view(), user);
  }
  static Fault fault(const Result<void>& done) { return done.ok() ? Fault::kCount : model::fault_of(done.error()); }
  // Empty: there was none.
  static std::string text(const Result<void>& done) { return done.ok() ? "" : wire::message_of(done.error()); }
  size_t stored_lists() {
    const auto page = wait_for(engine_.scan(table::system_rows(table::SystemRow::kNames),
                                            storage::Direction::kAscending, 10'000, size_t{1} << 24));
    return page->size();
  }

  const auth::Identities users_ = auth::Identities::parse(kUsers).value();
  std::unique_ptr<storage::Engine> memory_ = open_memory_engine();
  CountingEngine engine_{*memory_};
  ManualClock clock_{1'767'323'045'000};
  SeededRandom random_{1};
  std::unique_ptr<table::Database> database_ =
      table::Database::open(engine_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
  std::unique_ptr<ops::Service> service_ = std::make_unique<ops::Service>(*database_);
  std::optional<ops::RequestFootprint> footprint_;  // of the last call
};

TEST_F(DaxDefinitions, WhoMayUseATableOrItsIndexMayKnowItsKey) {
  for (const std::string_view user : {"", "reader", "indexer", "writer", "barred"}) {
    EXPECT_EQ(text(schema("Tab1", user)), "") << user;
  }
  EXPECT_EQ(text(schema("arn:aws:dynamodb:us-east-1:123456789012:table/Tab1", "reader")), "");
  EXPECT_EQ(fault(schema("Tab3", "barred")), Fault::kResourceNotFound);
  EXPECT_EQ(fault(schema("Tab3", "")), Fault::kResourceNotFound);
}

TEST_F(DaxDefinitions, NobodyElseLearnsWhichTablesExist) {
  for (const std::string_view user : {"reader", "indexer", "writer", "nobody"}) {
    const std::string of_table = text(schema("Tab2", user));
    EXPECT_EQ(footprint_->names(), std::vector<std::string>{"Tab2"});
    EXPECT_EQ(of_table, "User: arn:aws:iam::123456789012:user/" + std::string(user) +
                            " is not authorized to perform: dynamodb:DescribeTable on resource: "
                            "arn:aws:dynamodb:us-east-1:123456789012:table/Tab2 because no identity-based policy "
                            "allows the dynamodb:DescribeTable action");
    std::string of_none = text(schema("Tab3", user));
    ASSERT_NE(of_none.find("Tab3"), std::string::npos) << user;
    of_none.replace(of_none.find("Tab3"), 4, "Tab2");
    EXPECT_EQ(of_none, of_table);
  }
}

TEST_F(DaxDefinitions, APolicyOfATableCounts) {
  EXPECT_FALSE(schema("Tab2", "guest").ok());
  EXPECT_FALSE(list("x", "guest").ok());
  json("PutResourcePolicy",
       R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Tab2","Policy":"{\"Version\":\"2012-10-17\",)"
       R"(\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"arn:aws:iam::123456789012:user/guest\"},)"
       R"(\"Action\":\"dynamodb:PutItem\",\"Resource\":\"*\"}}"})");
  EXPECT_EQ(text(schema("Tab2", "guest")), "");
  EXPECT_FALSE(schema("Tab1", "guest").ok());
  EXPECT_EQ(text(list("x", "guest")), "");
  EXPECT_FALSE(list("y", "nobody").ok());
  EXPECT_EQ(stored_lists(), 1U);
}

TEST_F(DaxDefinitions, WhoMayPutNoItemStoresNoList) {
  for (const std::string_view user : {"reader", "indexer", "barred", "guest", "nobody"}) {
    EXPECT_EQ(fault(list(user, user)), user == "barred" ? Fault::kDeniedByIdentity : Fault::kNotInIdentity) << user;
  }
  EXPECT_EQ(text(list("x", "nobody")),
            "User: arn:aws:iam::123456789012:user/nobody is not authorized to perform: dynamodb:PutItem on resource: "
            "arn:aws:dynamodb:us-east-1:123456789012:table/* because no identity-based policy allows the "
            "dynamodb:PutItem action");
  EXPECT_EQ(stored_lists(), 0U);
  EXPECT_EQ(text(list("a", "writer")), "");
  EXPECT_EQ(text(list("b", "")), "");
  EXPECT_EQ(stored_lists(), 2U);
  EXPECT_FALSE(list("a", "nobody").ok());  // nor learns which exist
}

TEST_F(DaxDefinitions, WarningsRefuseNobody) {
  service_ = std::make_unique<ops::Service>(*database_, ops::Enforcement::kWarn);
  EXPECT_EQ(text(schema("Tab1", "nobody")), "");
  EXPECT_EQ(text(list("x", "nobody")), "");
}

TEST_F(DaxDefinitions, NamesAreCheckedAsThoseOfAPut) {
  EXPECT_EQ(text(list("", "")), "1 validation error detected: Empty attribute name");
  EXPECT_EQ(text(list(std::string(65'536, 'a'), "")),
            "1 validation error detected: Attribute name is too large, must be less than 65536 bytes");
}

// Items of a hundred shapes.
TEST_F(DaxDefinitions, AReplyStoresItsListsInOneTransaction) {
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    json("PutItem", R"({"TableName":"Tab1","Item":{"pk":{"S":")" + number + R"("},"a)" + number + R"(":{"S":"x"}}})");
  }
  std::string arguments("\x44Tab1\xf6", 6);
  CborWriter out;
  ItemCodec codec(Method::kScan, {arguments, "id", nullptr, out});
  engine_.transactions = 0;
  EXPECT_EQ(text(call(codec, "")), "");
  EXPECT_EQ(stored_lists(), 100U);
  EXPECT_EQ(engine_.transactions, 1);
}

}  // namespace
}  // namespace partita::dax
