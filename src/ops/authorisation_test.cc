// Policies of tables that change while requests are judged by them.
#include "ops/authorisation.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "auth/identities.h"
#include "base/clock.h"
#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "ops/admission.h"
#include "table/database.h"
#include "table/policy.h"

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
    const Reply made = call(*service_, "CreateTable",
                            R"({"TableName":"ttt","BillingMode":"PAY_PER_REQUEST",
                                "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],
                                "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})");
    EXPECT_EQ(made.status, 200) << made.body;
  }

  std::unique_ptr<table::Database> open() {
    return table::Database::open(*engine_, clock_, random_, {.creating_ms = 0, .updating_ms = 0, .deleting_ms = 0})
        .value();
  }
  Reply call(Service& service, std::string_view operation, std::string_view body) const {
    const std::string target = target_of(*find_operation(operation));
    const Call request{target, "application/x-amz-json-1.0", body,
                       std::make_shared<auth::Caller>("key", "us-east-1", "123456789012", identities_.find("ann"))};
    return wait_for(service.call(request));
  }
  bool may_get(Service& service) const { return call(service, "GetItem", kGet).status == 200; }
  static void put(table::Database& database, std::string_view document) {
    const auto put = wait_for(table::put_policy(database, {"", "ttt", ""}, {std::string(document)}, std::nullopt));
    ASSERT_TRUE(put.ok());
  }

  const auth::Identities identities_ = auth::Identities::parse(kIdentities).value();
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

TEST_F(AuthorisationTest, WarningsCountAndLetPass) {
  put(*database_, kNoGets);
  Service lenient(*database_, Enforcement::kWarn);
  EXPECT_TRUE(may_get(lenient));
  EXPECT_EQ(lenient.admission().authorisation().refused(), 1u);
}

}  // namespace
}  // namespace partita::ops
