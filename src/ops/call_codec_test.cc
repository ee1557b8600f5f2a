// A protocol without JSON that has two calls: GET and PUT of an item of one attribute.
#include "ops/call_codec.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/identities.h"
#include "base/clock.h"
#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "ops/footprint.h"
#include "ops/service.h"
#include "table/open/database.h"

namespace partita::ops {
namespace {

using model::Fault;

class FromSomewhere final : public Source {
 public:
  std::string address() const override { return "192.0.2.7"; }
  bool encrypted() const override { return false; }
};

class ToyCodec final : public CallCodec {
 public:
  ToyCodec(bool puts, std::string table, std::string key)
      : puts_(puts), table_(std::move(table)), key_(std::move(key)) {}

  const Operation& operation() const override { return *find_operation(puts_ ? "PutItem" : "GetItem"); }
  Result<CodecStep> decode(const Context& context) override {
    said += 'd';
    EXPECT_EQ(&context.operation, &operation());
    EXPECT_TRUE(context.body.empty());
    if (const CodecStep step = next(before_decoding); step != CodecStep::kDone) return step;
    if (key_.empty()) {
      if (context.footprint != nullptr) context.footprint->name(table_);
      return model::refuse(Fault::kDaxMalformed, {"there is no key"});
    }
    model::Item item;
    item.set("p", model::AttributeValue::string(key_));
    if (puts_) {
      api::WriteRequest request;
      request.table = table_;
      request.action.item = model::encode_item(item);
      put_ = std::make_unique<WriteItemExecution>(std::move(request));
    } else {
      api::GetRequest request;
      request.table = table_;
      request.key = std::move(item);
      get_ = std::make_unique<GetItemExecution>(std::move(request));
    }
    return CodecStep::kDone;
  }
  Execution& execution() override {
    said += 'r';
    if (puts_) return *put_;
    return *get_;
  }
  Result<CodecStep> encode(const Context&) override {
    said += 'e';
    if (const CodecStep step = next(before_encoding); step != CodecStep::kDone) return step;
    if (fails_to_encode) return Error(ErrorKind::kCorrupt, "the item is damaged.");
    reply = puts_ ? "put" : get_->reply().read.item ? "found" : "none";
    return CodecStep::kDone;
  }
  Task<Result<void>> fetch(const Context& context) override {
    said += 'f';
    if (fails_to_fetch) co_return Error(ErrorKind::kUnavailable, "the medium failed.");
    std::vector<std::string> names(1, key_);
    auto stored = co_await context.database.attribute_lists().store(std::move(names));
    PARTITA_CO_TRY(const model::AttributeListPtr list, std::move(stored));
    EXPECT_EQ(list->names[0], key_);
    co_return Result<void>();
  }

  // What happens before one of the functions is done.
  std::vector<CodecStep> before_decoding;
  std::vector<CodecStep> before_encoding;
  bool fails_to_fetch = false;
  bool fails_to_encode = false;
  std::string said;  // a letter for each function that was called
  std::string reply;

 private:
  static CodecStep next(std::vector<CodecStep>& steps) {
    if (steps.empty()) return CodecStep::kDone;
    const CodecStep step = steps.front();
    steps.erase(steps.begin());
    return step;
  }

  const bool puts_;
  const std::string table_;
  const std::string key_;
  std::unique_ptr<GetItemExecution> get_;
  std::unique_ptr<WriteItemExecution> put_;
};

// Counts how often a coroutine lets others go first.
class Yields final : public Executor {
 public:
  Yields() { set_current(this); }
  ~Yields() override { set_current(nullptr); }
  void resume(std::coroutine_handle<> handle) override { handle.resume(); }
  void resume_after_ready(YieldedTask& waiting, bool /*first*/) override {
    ++count;
    waiting.handle.resume();
  }
  int count = 0;
};

class CallCodecTest : public testing::Test {
 protected:
  CallCodecTest() { serve(); }

  void serve(uint64_t requests_per_second = 0, throttle::CapacityModes capacity = {}) {
    service_.reset();
    database_ = table::Database::open(*engine_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
    service_ = std::make_unique<Service>(*database_, Enforcement::kRefuse, requests_per_second, nullptr, capacity);
    if (database_->catalog().find("ttt") != nullptr) return;
    json("CreateTable",
         R"({"TableName":"ttt","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1},)"
         R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)"
         R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})");
  }

  static std::shared_ptr<const auth::Caller> caller(auth::SignedFor signed_for,
                                                    const auth::Identity* identity = nullptr) {
    auth::Caller made{"key", "us-east-1", "123456789012", identity};
    made.signed_for = signed_for;
    return std::make_shared<const auth::Caller>(std::move(made));
  }
  Reply json(std::string_view operation, std::string_view body,
             auth::SignedFor signed_for = auth::SignedFor::kDynamoDb) {
    const std::string target = target_of(*find_operation(operation));
    return wait_for(service_->call({target, "application/x-amz-json-1.0", body, caller(signed_for)}));
  }
  // As a protocol does it.
  Result<void> call(ToyCodec& codec, auth::Verdict verdict = caller(auth::SignedFor::kDax)) {
    footprint_ = RequestFootprint();
    Call call{{}, {}, {}, std::move(verdict)};
    call.source = &source_;
    call.footprint = &footprint_;
    auto done = wait_for(service_->call_by(call, codec));
    service_->answered(call, outcome_of(codec.operation(), done), 1'000);
    return done;
  }
  Fault fault(ToyCodec& codec, auth::Verdict verdict = caller(auth::SignedFor::kDax)) {
    const auto done = call(codec, std::move(verdict));
    EXPECT_FALSE(done.ok());
    return done.ok() ? Fault::kCount : model::fault_of(done.error());
  }
  std::optional<ErrorKind> error_of(ToyCodec& codec) {
    const auto done = call(codec);
    return done.ok() ? std::nullopt : std::optional(done.error().kind());
  }
  std::string report() {
    Exposition out;
    service_->report(out);
    return std::move(out).take();
  }
  bool reports(const std::string& line) {
    const std::string page = report();
    const bool found = page.find(line + "\n") != std::string::npos;
    EXPECT_TRUE(found) << page;
    return found;
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ManualClock clock_{1'700'000'000'000};
  SeededRandom random_{1};
  FromSomewhere source_;
  RequestFootprint footprint_;
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<Service> service_;
};

TEST_F(CallCodecTest, PutsAndGetsWithoutJson) {
  ToyCodec miss(false, "ttt", "a");
  ASSERT_TRUE(call(miss).ok());
  EXPECT_EQ(miss.reply, "none");
  ToyCodec put(true, "ttt", "a");
  ASSERT_TRUE(call(put).ok());
  EXPECT_EQ(put.reply, "put");
  ToyCodec get(false, "ttt", "a");
  ASSERT_TRUE(call(get).ok());
  EXPECT_EQ(get.reply, "found");
  EXPECT_EQ(get.said, "dre");
  EXPECT_NE(json("GetItem", R"({"TableName":"ttt","Key":{"p":{"S":"a"}}})").body.find(R"("p")"), std::string::npos);
}

TEST_F(CallCodecTest, CallersMustHaveSignedForDax) {
  ToyCodec get(false, "ttt", "a");
  EXPECT_EQ(fault(get, auth::Refused{auth::Refusal::kUnrecognizedClient, "no such key"}), Fault::kUnrecognizedClient);
  const auto done = call(get, caller(auth::SignedFor::kDynamoDb));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(model::fault_of(done.error()), Fault::kInvalidSignature);
  EXPECT_EQ(done.error().args()[0], "Credential should be scoped to correct service: 'dax'. ");
  EXPECT_EQ(get.said, "");
  EXPECT_TRUE(call(get, caller(auth::SignedFor::kAny)).ok());
  EXPECT_TRUE(reports(R"(partita_errors_total{operation="GetItem",error="InvalidSignatureException"} 1)"));
  // And for DynamoDB where they call that.
  const Reply refused = json("ListTables", "{}", auth::SignedFor::kDax);
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("scoped to correct service: 'dynamodb'"), std::string::npos) << refused.body;
}

TEST_F(CallCodecTest, RatesHoldForDaxAndHttpTogether) {
  serve(2);
  clock_.advance_ms(2'000);
  ToyCodec get(false, "ttt", "a");
  EXPECT_TRUE(call(get).ok());
  EXPECT_TRUE(call(get).ok());
  EXPECT_EQ(fault(get), Fault::kRateExceeded);
  Call over_http{"DynamoDB_20120810.ListTables", "application/x-amz-json-1.0", "{}",
                 caller(auth::SignedFor::kDynamoDb)};
  over_http.source = &source_;
  EXPECT_EQ(wait_for(service_->call(over_http)).status, 400);
  clock_.advance_ms(500);
  EXPECT_TRUE(call(get).ok());
  // All callers whose signature was refused share one rate.
  const auth::Refused refused{auth::Refusal::kInvalidSignature, "wrong"};
  EXPECT_EQ(fault(get, refused), Fault::kInvalidSignature);
  EXPECT_EQ(fault(get, refused), Fault::kInvalidSignature);
  EXPECT_EQ(fault(get, refused), Fault::kRateExceeded);
}

TEST_F(CallCodecTest, PoliciesAreEnforced) {
  const auto identities =
      auth::Identities::parse(R"({"UserDetailList":[{"UserName":"ann","UserPolicyList":[{"PolicyName":"p",
          "PolicyDocument":{"Statement":{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"*"}}}]}]})")
          .value();
  const auto ann = caller(auth::SignedFor::kDax, identities.find("ann"));
  ToyCodec get(false, "ttt", "a");
  EXPECT_TRUE(call(get, ann).ok());
  ToyCodec put(true, "ttt", "a");
  EXPECT_EQ(fault(put, ann), Fault::kNotInIdentity);
  EXPECT_EQ(put.said, "dr");
}

TEST_F(CallCodecTest, CapacityIsTaken) {
  serve(0, {throttle::CapacityMode::kEnforce, {}});
  ToyCodec get(false, "ttt", "a");
  Result<void> done;
  for (int tries = 0; done.ok() && tries < 10'000; ++tries) done = call(get);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(model::fault_of(done.error()), Fault::kThroughputExceeded);
  EXPECT_TRUE(reports(R"(partita_table_throttled_total{table="ttt"} 1)"));
  const Reply outcome = outcome_of(get.operation(), done);
  EXPECT_EQ(outcome.status, 400);
  EXPECT_GT(outcome.retry_after_ms, 0U);
}

TEST_F(CallCodecTest, CallsCountAsThoseOfHttp) {
  ToyCodec put(true, "ttt", "a");
  ASSERT_TRUE(call(put).ok());
  EXPECT_EQ(footprint_.names(), std::vector<std::string>{"ttt"});
  ToyCodec absent(true, "absent", "a");
  EXPECT_EQ(fault(absent), Fault::kResourceNotFound);
  EXPECT_EQ(footprint_.names(), std::vector<std::string>{"absent"});
  EXPECT_TRUE(reports(R"(partita_request_seconds_count{operation="PutItem"} 2)"));
  EXPECT_TRUE(reports(R"(partita_errors_total{operation="PutItem",error="ResourceNotFoundException"} 1)"));
  EXPECT_TRUE(reports(R"(partita_table_request_seconds_count{table="ttt",operation="PutItem"} 1)"));
  EXPECT_TRUE(reports(R"(partita_consumed_capacity_units_total{table="ttt",kind="write"} 1)"));
  const Reply outcome = outcome_of(put.operation(), {});
  EXPECT_EQ(outcome.status, 200);
  EXPECT_EQ(outcome.operation, find_operation("PutItem"));
  EXPECT_FALSE(outcome.error);
}

TEST_F(CallCodecTest, AFaultOfTheRequestRunsNothing) {
  ToyCodec get(false, "ttt", "");
  EXPECT_EQ(fault(get), Fault::kDaxMalformed);
  EXPECT_EQ(get.said, "d");
  EXPECT_EQ(footprint_.names(), std::vector<std::string>{"ttt"});
}

TEST_F(CallCodecTest, FetchesAndYieldsUntilItIsDone) {
  Yields executor;
  ToyCodec put(true, "ttt", "a");
  put.before_decoding = {CodecStep::kFetch, CodecStep::kYield, CodecStep::kFetch};
  put.before_encoding = {CodecStep::kYield, CodecStep::kFetch, CodecStep::kYield};
  ASSERT_TRUE(call(put).ok());
  EXPECT_EQ(put.said, "dfddfdreefee");
  EXPECT_EQ(put.reply, "put");
  EXPECT_EQ(executor.count, 3);
}

TEST_F(CallCodecTest, AFailedFetchIsTheErrorOfTheCall) {
  for (const bool decoding : {true, false}) {
    ToyCodec put(true, "ttt", "a");
    (decoding ? put.before_decoding : put.before_encoding) = {CodecStep::kFetch};
    put.fails_to_fetch = true;
    const auto done = call(put);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().kind(), ErrorKind::kUnavailable);
    EXPECT_EQ(put.said, decoding ? "df" : "dref");
    EXPECT_EQ(put.reply, "");
  }
  ToyCodec get(false, "ttt", "a");
  get.fails_to_encode = true;
  EXPECT_EQ(error_of(get), ErrorKind::kCorrupt);
}

// As a codec does that forgets what it fetched.
TEST_F(CallCodecTest, NoCallFetchesForEver) {
  ToyCodec get(false, "ttt", "a");
  get.before_decoding.assign(1'000, CodecStep::kFetch);
  EXPECT_EQ(error_of(get), ErrorKind::kUnavailable);
  EXPECT_GT(get.before_decoding.size(), 800U);
}

TEST_F(CallCodecTest, WithoutADatabaseCallsFail) {
  service_->pause();
  service_->resume_without();
  ToyCodec get(false, "ttt", "a");
  EXPECT_EQ(error_of(get), ErrorKind::kUnavailable);
  EXPECT_EQ(get.said, "");
  service_->pause();
  service_->resume(*database_);
  EXPECT_TRUE(call(get).ok());
}

}  // namespace
}  // namespace partita::ops
