// What each operation needs, and policies of tables that change while requests are judged by them.
#include "ops/authorisation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/identities.h"
#include "base/clock.h"
#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "ops/admission.h"
#include "ops/service.h"
#include "table/control/policy.h"
#include "table/open/database.h"

namespace partita::ops {
namespace {

constexpr std::string_view kIdentities =
    R"({"UserDetailList":[{"UserName":"ann","UserPolicyList":[{"PolicyName":"all","PolicyDocument":
        {"Statement":{"Effect":"Allow","Action":"dynamodb:*","Resource":"*"}}}]}]})";
constexpr std::string_view kNoGets = R"({"Statement":{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}})";
constexpr std::string_view kGet = R"({"TableName":"ttt","Key":{"p":{"S":"x"}}})";

class AuthorisationTest : public testing::Test {
 protected:
  AuthorisationTest() {
    database_ = open();
    service_ = std::make_unique<Service>(*database_);
    const Reply made = call(*service_, "CreateTable", make("ttt"));
    EXPECT_EQ(made.status, 200) << made.body;
  }

  static std::string make(std::string_view name) {
    return R"({"TableName":")" + std::string(name) + R"(","BillingMode":"PAY_PER_REQUEST",
        "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],
        "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})";
  }
  std::unique_ptr<table::Database> open() { return open(clock_, 1'000); }
  std::unique_ptr<table::Database> open(const Clock& clock, int64_t late_ms) {
    return table::Database::open(*engine_, clock, random_, {.updating_ms = 0, .deleting_ms = 0, .late_ms = late_ms})
        .value();
  }
  Reply call(Service& service, std::string_view operation, std::string_view body) const {
    return call(service, operation, body, identities_);
  }
  static Reply call(Service& service, std::string_view operation, std::string_view body,
                    const auth::Identities& identities) {
    const std::string target = target_of(*find_operation(operation));
    const Call request{target, "application/x-amz-json-1.0", body,
                       std::make_shared<auth::Caller>("key", "us-east-1", "123456789012", identities.find("ann"))};
    return wait_for(service.call(request));
  }
  bool may_get(Service& service) const { return call(service, "GetItem", kGet).status == 200; }
  static void put(table::Database& database, std::string_view document, const std::string& name = "ttt") {
    const auto put = wait_for(table::put_policy(database, {"", name, ""}, {std::string(document)}, std::nullopt));
    ASSERT_TRUE(put.ok());
  }

  const auth::Identities identities_ = auth::Identities::parse(kIdentities).value();
  const auth::Identities root_;  // knows no user: who calls is the root
  ManualClock clock_{1'767'323'045'000};
  SeededRandom random_{1};
  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<Service> service_;
};

TEST_F(AuthorisationTest, AnotherServersPolicyIsHeardOfAfterASecond) {
  const auto other = open();
  Service elsewhere(*other);
  ASSERT_TRUE(may_get(*service_));
  put(*other, kNoGets);
  EXPECT_FALSE(may_get(elsewhere));
  clock_.advance_ms(1'001);
  EXPECT_FALSE(may_get(*service_));
  EXPECT_EQ(service_->admission().authorisation().refused(), 1u);
}

TEST_F(AuthorisationTest, WhatCanNotBeReadDeniesEverything) {
  put(*database_, "{}");
  EXPECT_FALSE(may_get(*service_));
}

// By ids as they are kept now, and by ARNs as builds of before kept them.
TEST_F(AuthorisationTest, APolicyNamesAUserByIdOrArn) {
  const auto identities =
      auth::Identities::parse(R"({"UserDetailList":[{"UserName":"ann","UserId":"AIDA1"}]})").value();
  const auto may_get = [&](std::string_view name) {
    put(*database_, R"({"Statement":{"Effect":"Allow","Principal":{"AWS":")" + std::string(name) +
                        R"("},"Action":"dynamodb:GetItem","Resource":"*"}})");
    clock_.advance_ms(1'001);
    return call(*service_, "GetItem", kGet, identities).status == 200;
  };
  EXPECT_TRUE(may_get("AIDA1"));
  EXPECT_FALSE(may_get("AIDA2"));
  EXPECT_TRUE(may_get("arn:aws:iam::123456789012:user/ann"));
  EXPECT_FALSE(may_get("arn:aws:iam::123456789012:user/bob"));
}

// Whose moments are far apart: whatever was heard is late when the next thing is.
class HastyClock final : public Clock {
 public:
  int64_t now_ms() const override { return 1'767'323'045'000; }
  int64_t monotonic_ns() const override { return ++asked_ * 700'000'000; }

 private:
  mutable std::atomic<int64_t> asked_{0};
};

TEST_F(AuthorisationTest, ARequestHearsOfEachTableOnce) {
  const HastyClock hasty;
  const auto database = open(hasty, 1'000'000'000);
  Service service(*database);
  std::string keys;
  for (const char* name : {"uuu", "vvv", "www"}) {
    ASSERT_EQ(call(service, "CreateTable", make(name)).status, 200);
    keys += (keys.empty() ? "\"" : ",\"") + std::string(name) + R"(":{"Keys":[{"p":{"S":"x"}}]})";
  }
  const std::string batch = R"({"RequestItems":{)" + keys + "}}";
  EXPECT_EQ(call(service, "BatchGetItem", batch).status, 200);
  const std::string statements = R"({"TransactStatements":[
      {"Statement":"SELECT * FROM uuu WHERE p='x'"},{"Statement":"SELECT * FROM vvv WHERE p='x'"}]})";
  EXPECT_EQ(call(service, "ExecuteTransaction", statements).status, 200);
  put(*database, kNoGets, "www");
  EXPECT_EQ(call(service, "BatchGetItem", batch).status, 400);
}

// Of the tables of a request one is not there, and the policies of the others are to be heard of first.
TEST_F(AuthorisationTest, AMissingTableIsNotFoundAlsoWhenPoliciesAreNotLoaded) {
  for (const char* const missing : {"absent", "zzz"}) {
    clock_.advance_ms(2'000);
    const std::string keys = std::string(R"(":{"Keys":[{"p":{"S":"x"}}]})");
    const std::string batch = R"({"RequestItems":{"ttt)" + keys + ",\"" + missing + keys + "}}";
    const Reply first = call(*service_, "BatchGetItem", batch);
    EXPECT_NE(first.body.find("ResourceNotFoundException"), std::string::npos) << first.body;
  }
}

// Who may nothing with a table is told the same of it, whatever its policy says and whether it is there.
TEST_F(AuthorisationTest, ARefusalOfWhoMayNothingIsTheSame) {
  const auto nobody = auth::Identities::parse(R"({"UserDetailList":[{"UserName":"ann"}]})").value();
  const Reply before = call(*service_, "GetItem", kGet, nobody);
  put(*database_, kNoGets);
  clock_.advance_ms(2'000);
  const Reply denied = call(*service_, "GetItem", kGet, nobody);
  EXPECT_EQ(denied.body, before.body);
  EXPECT_NE(denied.body.find("no identity-based policy"), std::string::npos);
  EXPECT_NE(call(*service_, "GetItem", kGet).body.find("explicit deny in a resource-based"), std::string::npos);
  ASSERT_EQ(call(*service_, "DeleteTable", R"({"TableName":"ttt"})", root_).status, 200);
  EXPECT_EQ(call(*service_, "GetItem", kGet, nobody).body, before.body);
  EXPECT_EQ(service_->admission().authorisation().refused(), 4u);
}

TEST_F(AuthorisationTest, AnotherServersTableIsJudgedByItsPolicy) {
  const auto other = open();
  Service elsewhere(*other);
  const auto may_describe = [&](std::string_view name) {
    return call(*service_, "DescribeTable", R"({"TableName":")" + std::string(name) + "\"}").status == 200;
  };
  ASSERT_EQ(call(elsewhere, "CreateTable", make("new")).status, 200);
  put(*other, kNoGets, "new");
  EXPECT_FALSE(may_describe("new"));
  ASSERT_TRUE(may_describe("ttt"));
  ASSERT_EQ(call(elsewhere, "DeleteTable", R"({"TableName":"ttt"})").status, 200);
  ASSERT_EQ(call(elsewhere, "CreateTable", make("ttt")).status, 200);
  put(*other, kNoGets, "ttt");
  clock_.advance_ms(1'001);
  EXPECT_FALSE(may_describe("ttt"));
}

TEST_F(AuthorisationTest, AChangeIsForgottenOfItsTableAlone) {
  ASSERT_EQ(call(*service_, "CreateTable", make("uuu")).status, 200);
  ASSERT_TRUE(may_get(*service_));
  put(*database_, kNoGets);
  auto& authorisation = const_cast<Authorisation&>(service_->admission().authorisation());
  authorisation.forget(database_->catalog().find("uuu")->id);
  EXPECT_TRUE(may_get(*service_));
  authorisation.forget(database_->catalog().find("ttt")->id);
  EXPECT_FALSE(may_get(*service_));
}

TEST_F(AuthorisationTest, WarningsCountAndLetPass) {
  put(*database_, kNoGets);
  Service lenient(*database_, Enforcement::kWarn);
  EXPECT_TRUE(may_get(lenient));
  EXPECT_EQ(lenient.admission().authorisation().refused(), 1u);
}

struct Need {
  std::string action;
  std::string resource;
};
constexpr const char* kTtt = "arn:aws:dynamodb:us-east-1:123456789012:table/ttt";
constexpr const char* kUuu = "arn:aws:dynamodb:us-east-1:123456789012:table/uuu";

// Of a user who may do that alone.
auth::Identities allowed(const std::vector<Need>& needs) {
  std::string statements;
  for (const Need& need : needs) {
    statements += (statements.empty() ? "" : ",") + std::string(R"({"Effect":"Allow","Action":"dynamodb:)") +
                  need.action + R"(","Resource":")" + need.resource + "\"}";
  }
  return auth::Identities::parse(R"({"UserDetailList":[{"UserName":"ann","UserPolicyList":[{"PolicyName":"some",)"
                                 R"("PolicyDocument":{"Statement":[)" +
                                 statements + "]}}]}]}")
      .value();
}

// All of them are needed, and nothing else.
class NeedsTest : public AuthorisationTest {
 protected:
  NeedsTest() { EXPECT_EQ(call(*service_, "CreateTable", make("uuu")).status, 200); }

  void expect_needs(std::string_view operation, std::string_view body, const std::vector<Need>& needs) const {
    const auth::Identities whole = allowed(needs);
    const Reply done = call(*service_, operation, body, whole);
    EXPECT_EQ(done.status, 200) << operation << ' ' << done.body;
    for (size_t i = 0; i < needs.size(); ++i) {
      std::vector<Need> fewer = needs;
      // A statement that allows nothing here takes its place.
      fewer[i].action = "TagResource";
      const auth::Identities part = allowed(fewer);
      const Reply refused = call(*service_, operation, body, part);
      EXPECT_EQ(refused.status, 400) << operation << " without " << needs[i].action;
      EXPECT_NE(refused.body.find("dynamodb:" + needs[i].action), std::string::npos) << refused.body;
    }
  }
};

TEST_F(NeedsTest, ItemsNeedTheOperationsAction) {
  expect_needs("PutItem", R"({"TableName":"ttt","Item":{"p":{"S":"a"}}})", {{"PutItem", kTtt}});
  expect_needs("GetItem", kGet, {{"GetItem", kTtt}});
  expect_needs("UpdateItem", kGet, {{"UpdateItem", kTtt}});
  expect_needs("DeleteItem", kGet, {{"DeleteItem", kTtt}});
  expect_needs("Scan", R"({"TableName":"ttt"})", {{"Scan", kTtt}});
  expect_needs("Query",
               R"({"TableName":"ttt","KeyConditionExpression":"p = :p","ExpressionAttributeValues":{":p":{"S":"a"}}})",
               {{"Query", kTtt}});
}

TEST_F(NeedsTest, BatchesNeedTheirOwnActionOnEachTable) {
  expect_needs("BatchWriteItem",
               R"({"RequestItems":{"ttt":[{"PutRequest":{"Item":{"p":{"S":"a"}}}},)"
               R"({"DeleteRequest":{"Key":{"p":{"S":"b"}}}}],"uuu":[{"PutRequest":{"Item":{"p":{"S":"a"}}}}]}})",
               {{"BatchWriteItem", kTtt}, {"BatchWriteItem", kUuu}});
  expect_needs("BatchGetItem",
               R"({"RequestItems":{"ttt":{"Keys":[{"p":{"S":"a"}},{"p":{"S":"b"}}]},)"
               R"("uuu":{"Keys":[{"p":{"S":"a"}}],"ConsistentRead":true}}})",
               {{"BatchGetItem", kTtt}, {"BatchGetItem", kUuu}});
}

TEST_F(NeedsTest, TransactionsNeedTheActionOfEachPart) {
  expect_needs("TransactWriteItems",
               R"({"TransactItems":[{"Put":{"TableName":"ttt","Item":{"p":{"S":"a"}}}},)"
               R"({"Update":{"TableName":"ttt","Key":{"p":{"S":"b"}},"UpdateExpression":"REMOVE x"}},)"
               R"({"Delete":{"TableName":"uuu","Key":{"p":{"S":"c"}}}},{"ConditionCheck":{"TableName":"uuu",)"
               R"x("Key":{"p":{"S":"d"}},"ConditionExpression":"attribute_not_exists(p)"}}]})x",
               {{"PutItem", kTtt}, {"UpdateItem", kTtt}, {"DeleteItem", kUuu}, {"ConditionCheckItem", kUuu}});
  expect_needs("TransactGetItems", R"({"TransactItems":[{"Get":{"TableName":"ttt","Key":{"p":{"S":"a"}}}}]})",
               {{"GetItem", kTtt}});
}

TEST_F(NeedsTest, OperationsOnTablesNeedTheirAction) {
  expect_needs("DescribeTable", R"({"TableName":"arn:aws:dynamodb:us-east-1:123456789012:table/ttt"})",
               {{"DescribeTable", kTtt}});
  expect_needs("ListTables", "{}", {{"ListTables", "*"}});
}

}  // namespace
}  // namespace partita::ops
