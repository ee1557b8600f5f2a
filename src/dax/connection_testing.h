// A server of DAX over a store in memory.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "auth/credentials.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/random.h"
#include "dax/authorisation_testing.h"
#include "dax/client_testing.h"
#include "dax/protocol.h"
#include "engines/memory/memory_engine.h"
#include "net/bound_sockets.h"
#include "net/server.h"
#include "ops/service.h"
#include "storage/tracking_engine.h"
#include "table/open/database.h"
#include "table/rows/system_rows.h"
#include "throttle/capacity_limits.h"

namespace partita::dax {

class Handler final : public ops::CallHandler {
 public:
  explicit Handler(ops::Service& service) : service_(service) {}
  Task<Result<void>> call_by(const ops::Call& call, ops::CallCodec& codec) override {
    return service_.call_by(call, codec);
  }
  Result<const auth::Caller*> admit(const ops::Call& call) override { return service_.admit(call); }
  void answered(const ops::Call&, const ops::Reply& reply, int64_t) override {
    const MutexLock lock(mutex_);
    body_ = reply.body;
    const std::string name = reply.operation == nullptr ? "-" : std::string(reply.operation->name);
    answered_.push_back(name + " " + std::to_string(reply.status));
  }
  // Of the last reply, as HTTP has it.
  std::string body() {
    const MutexLock lock(mutex_);
    return body_;
  }
  std::vector<std::string> answers() {
    const MutexLock lock(mutex_);
    return std::exchange(answered_, {});
  }

 private:
  ops::Service& service_;
  Mutex mutex_;
  std::vector<std::string> answered_;
  std::string body_;
};

// An engine that can refuse to store attribute lists.
class RefusingEngine final : public storage::TrackingEngine {
 public:
  using TrackingEngine::TrackingEngine;

  std::atomic<bool> refuses_lists = false;

  Task<Result<storage::Outcome>> transact(std::vector<storage::Key> keys, std::vector<storage::Compare> compare,
                                          storage::Decide decide, storage::Version* version) override {
    const std::string lists = table::system_key(table::SystemRow::kNames).bytes;
    if (refuses_lists && !compare.empty() && compare.front().key.bytes.starts_with(lists)) {
      co_return Error(ErrorKind::kUnavailable, "the test says so.");
    }
    co_return co_await TrackingEngine::transact(std::move(keys), std::move(compare), std::move(decide), version);
  }
};

class DaxServer : public testing::Test {
 protected:
  DaxServer() {
    database_ = table::Database::open(engine_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
    service_ = std::make_unique<ops::Service>(*database_);
    handler_ = std::make_unique<Handler>(*service_);
    create(R"({"TableName":"Tab1","BillingMode":"PAY_PER_REQUEST",
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"}]})");
    options_.keys = &keys_;
    options_.region = "us-east-1";
  }
  ~DaxServer() override {
    if (server_ == nullptr) return;
    server_->stop();
    thread_.join();
    EXPECT_TRUE(ended_);
  }

  void create(std::string_view body) { json("CreateTable", body); }
  // Over HTTP.
  void json(std::string_view operation, std::string_view body) {
    const std::string target = "DynamoDB_20120810." + std::string(operation);
    const ops::Call call{target, "application/x-amz-json-1.0", body,
                         std::make_shared<auth::Caller>("key", "us-east-1", "123456789012")};
    const ops::Reply reply = wait_for(service_->call(call));
    ASSERT_EQ(reply.status, 200) << reply.body;
  }

  // Starts the server at the first call.
  Peer peer() {
    if (server_ == nullptr) {
      server_ = std::make_unique<net::Server>(net::ServerOptions{.threads = 1}, system_clock());
      const Protocol dax(options_, *handler_, clock_, random_, std::make_shared<net::RequestResources>(memory_, 1));
      auto sockets = net::BoundSockets::bind("127.0.0.1", 0, false);
      EXPECT_TRUE(server_->listen(std::move(sockets).value(), dax.listener(Encryption::kNone)).ok());
      EXPECT_TRUE(server_->start().ok());
      thread_ = std::thread([this] { ended_ = server_->run(); });
    }
    return Peer(server_->addresses().front());
  }
  // Its preamble is sent, and it is authorised.
  std::string opening(int layering = 0) const { return preamble(layering) + authorise(sign(kSecret, kNow)); }

  const auth::Credentials keys_ = auth::Credentials::parse("[a]\naws_access_key_id=" + std::string(kKeyId) +
                                                           "\naws_secret_access_key=" + std::string(kSecret) + "\n")
                                      .value();
  std::unique_ptr<storage::Engine> store_ = open_memory_engine();
  RefusingEngine engine_{*store_};
  ManualClock clock_{kStartMs};
  SeededRandom random_{1};
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<ops::Service> service_;
  std::unique_ptr<Handler> handler_;
  Options options_;
  size_t memory_ = size_t{64} << 20;  // for requests
  std::unique_ptr<net::Server> server_;
  std::thread thread_;
  bool ended_ = false;
};

}  // namespace partita::dax
