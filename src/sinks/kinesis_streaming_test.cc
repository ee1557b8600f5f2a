#include "sinks/kinesis_streaming.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "model/fault.h"
#include "net/responder_testing.h"
#include "sinks/carry_job.h"
#include "sinks/sink_store.h"
#include "table/control/tables.h"
#include "table/open/database.h"

namespace partita::sinks {
namespace {

using api::KinesisStatus;
using model::Fault;

constexpr const char* kOrders = "arn:aws:kinesis:eu-west-3:000000000000:stream/orders";
constexpr const char* kOthers = "arn:aws:kinesis:eu-west-3:000000000000:stream/others";
constexpr const char* kAway = "http://127.0.0.1:1";

class KinesisStreamingTest : public testing::Test {
 protected:
  KinesisStreamingTest() { serve(endpoint()); }

  std::string endpoint() const { return "http://127.0.0.1:" + responder_.url().port; }
  // Restarts the server with that endpoint.
  void serve(const std::string& at) {
    database_.reset();
    table::DatabaseOptions options{.updating_ms = 0, .deleting_ms = 0, .look_ms = 5, .exclusive = true};
    options.make_job = job_maker("", {.endpoint = at});
    database_ = table::Database::open(*engine_, clock_, system_random(), std::move(options)).value();
  }
  void create(const std::string& name) {
    api::CreateTableRequest request;
    request.name = name;
    request.definitions = {{"p", model::Type::kS}};
    request.keys = {{"p", api::KeyRole::kHash}};
    request.billing_mode = api::BillingMode::kPayPerRequest;
    ASSERT_TRUE(wait_for(table::create_table(*database_, request)).ok());
  }
  template <class Changed>
  static std::string told(const Changed& changed) {
    if (changed.ok()) return "ok";
    return std::to_string(changed.error().reason() - static_cast<int>(Fault::kKinesisNotOff));
  }
  std::string enable(const char* arn, const std::string& precision = {}) {
    return told(wait_for(enable_kinesis(*database_, {"T", arn, precision})));
  }
  std::string disable(const char* arn) { return told(wait_for(disable_kinesis(*database_, {"T", arn, false}))); }
  std::vector<api::KinesisState> described() {
    auto reply = wait_for(describe_kinesis(*database_, {"T"}));
    EXPECT_TRUE(reply.ok());
    return reply.ok() ? std::move(reply->streams) : std::vector<api::KinesisState>();
  }
  KinesisStatus status() { return described().at(0).status; }
  void move_ms(int64_t by_ms) { clock_.move_to(clock_.by_ms() + by_ms); }
  void wait_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(condition());
  }
  bool begun() {
    const auto all = wait_for(list_sinks(*database_, "T")).value();
    return std::ranges::any_of(all, [](const SinkStatus& one) { return one.progress.begun; });
  }
  size_t sinks() { return wait_for(list_sinks(*database_, "")).value().size(); }
  static std::string refused(Fault fault) {
    return std::to_string(static_cast<int>(fault) - static_cast<int>(Fault::kKinesisNotOff));
  }

  std::string answer(std::string_view /*request*/) const {
    if (gone_) return net::json_reply(400, R"({"__type":"ResourceNotFoundException","message":"No such stream."})");
    return net::json_reply(200, R"({"StreamDescription":{"StreamStatus":"ACTIVE"}})");
  }

  std::atomic<bool> gone_{false};
  net::Responder responder_{[this](std::string_view request) { return answer(request); }};
  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  MovableClock clock_{system_clock(), 0};
  std::unique_ptr<table::Database> database_;
};

TEST_F(KinesisStreamingTest, FollowsTheClockOfTheServer) {
  create("T");
  EXPECT_EQ(enable(kOrders), "ok");
  wait_until([this] { return begun(); });
  EXPECT_EQ(status(), KinesisStatus::kEnabling);
  serve(endpoint());
  EXPECT_EQ(status(), KinesisStatus::kEnabling);
  move_ms(kKinesisSettleMs);
  EXPECT_EQ(status(), KinesisStatus::kActive);
  EXPECT_EQ(wait_for(update_kinesis(*database_, {"T", kOrders, "MICROSECOND"}))->state.status,
            KinesisStatus::kUpdating);
  EXPECT_EQ(status(), KinesisStatus::kUpdating);
  EXPECT_EQ(disable(kOrders), refused(Fault::kKinesisNotOn));
  // A clock that is set back holds up nothing.
  move_ms(-3'600'000);
  EXPECT_EQ(status(), KinesisStatus::kActive);
  EXPECT_EQ(disable(kOrders), "ok");
  EXPECT_EQ(status(), KinesisStatus::kDisabling);
  EXPECT_EQ(enable(kOthers), refused(Fault::kKinesisNotOff));
  move_ms(kKinesisSettleMs);
  EXPECT_EQ(status(), KinesisStatus::kDisabled);
  wait_until([this] { return sinks() == 0; });
  move_ms(kKinesisListMs);
  EXPECT_TRUE(described().empty());
}

TEST_F(KinesisStreamingTest, GivesUpAStreamThatWasNeverReached) {
  serve(kAway);
  create("T");
  EXPECT_EQ(enable(kOrders), "ok");
  wait_until([this] { return described()[0].description.contains("Cannot reach"); });
  move_ms(kKinesisTryMs - 10'000);
  EXPECT_EQ(status(), KinesisStatus::kEnabling);
  EXPECT_EQ(enable(kOthers), refused(Fault::kKinesisNotOff));
  move_ms(10'000);
  wait_until([this] { return status() == KinesisStatus::kEnableFailed; });
  EXPECT_TRUE(described()[0].description.contains("Cannot reach")) << described()[0].description;
  wait_until([this] { return sinks() == 0; });
  // It stays so when the endpoint is back.
  serve(endpoint());
  EXPECT_EQ(status(), KinesisStatus::kEnableFailed);
  EXPECT_EQ(enable(kOrders), "ok");
  EXPECT_EQ(described().size(), 1U);
}

// Only attempts count, not the time in which there was no server to make them.
TEST_F(KinesisStreamingTest, TriesOnAfterTheServerWasDown) {
  serve(kAway);
  create("T");
  EXPECT_EQ(enable(kOrders), "ok");
  wait_until([this] { return described()[0].description.contains("Cannot reach"); });
  database_.reset();
  move_ms(2 * kKinesisTryMs);
  serve(kAway);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(status(), KinesisStatus::kEnabling);
  database_.reset();
  move_ms(2 * kKinesisTryMs);
  serve(endpoint());
  wait_until([this] { return begun(); });
  EXPECT_EQ(status(), KinesisStatus::kActive);
}

TEST_F(KinesisStreamingTest, KeepsAStreamThatIsLostLater) {
  create("T");
  EXPECT_EQ(enable(kOrders), "ok");
  wait_until([this] { return begun(); });
  gone_ = true;
  serve(endpoint());
  move_ms(kKinesisTryMs + kKinesisSettleMs);
  wait_until([this] { return described()[0].description.contains("No such stream."); });
  EXPECT_EQ(status(), KinesisStatus::kActive);
  EXPECT_EQ(wait_for(list_sinks(*database_, "T")).value().at(0).state(), SinkState::kCarrying);
}

TEST_F(KinesisStreamingTest, EnablesOneOfTwoThatComeAtOnce) {
  create("T");
  for (int round = 0; round < 20; ++round) {
    std::array<std::string, 2> told;
    {
      const std::jthread first([&] { told[0] = enable(kOrders); });
      const std::jthread second([&] { told[1] = enable(kOthers); });
    }
    EXPECT_TRUE((told[0] == "ok") != (told[1] == "ok")) << told[0] << " " << told[1];
    EXPECT_EQ(told[0] == "ok" ? told[1] : told[0], refused(Fault::kKinesisNotOff));
    move_ms(kKinesisSettleMs);
    wait_until([this] {
      const auto all = described();
      return std::ranges::any_of(all, [](const auto& one) { return one.status == KinesisStatus::kActive; });
    });
    EXPECT_EQ(disable(told[0] == "ok" ? kOrders : kOthers), "ok");
    move_ms(kKinesisSettleMs);
  }
}

// It is managed by the operations alone, but none of them sends dead letters again.
TEST_F(KinesisStreamingTest, RefusesTheVerbsOfOperators) {
  create("T");
  EXPECT_EQ(enable(kOrders), "ok");
  const std::string name = wait_for(list_sinks(*database_, "T")).value().at(0).sink.name;
  const auto paused = wait_for(pause_sink(*database_, "T", name));
  ASSERT_FALSE(paused.ok());
  EXPECT_TRUE(paused.error().sentence().contains(kKinesisOwner));
  EXPECT_FALSE(wait_for(delete_sink(*database_, "T", name, false)).ok());
  EXPECT_TRUE(wait_for(retry_sink(*database_, "T", name, false)).ok());
  wait_until([this] { return wait_for(list_sinks(*database_, "T")).value().at(0).progress.retries == 1; });
}

TEST_F(KinesisStreamingTest, TellsWhyThereIsNoSink) {
  create("T");
  for (size_t i = 0; i < kMostSinks; ++i) {
    SinkRequest request{.table = "T", .name = "s" + std::to_string(i), .url = "kinesis:///mine"};
    ASSERT_TRUE(wait_for(create_sink(*database_, std::move(request), find_destination)).ok());
  }
  const auto made = wait_for(enable_kinesis(*database_, {"T", kOrders, {}}));
  EXPECT_EQ(told(made), refused(Fault::kKinesisRefused));
  EXPECT_TRUE(made.error().sentence().contains("8 sinks"));
  EXPECT_TRUE(described().empty());
}

}  // namespace
}  // namespace partita::sinks
