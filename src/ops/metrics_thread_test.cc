// The steps of the thread of metrics, by a manual clock.
#include "ops/metrics_thread.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "metrics/history.h"
#include "metrics/watch.h"
#include "ops/operation.h"
#include "ops/service.h"
#include "storage/tracking_engine.h"
#include "table/open/database.h"
#include "table/rows/system_rows.h"

namespace partita::ops {
namespace {

using metrics::AlarmState;
using metrics::kAlarmsAtOnce;
using metrics::kMsPerMinute;
using metrics::Metric;

constexpr int64_t kThreadStart = int64_t{490'000} * 60;  // minutes since 1970

// Calls `on_alarms` before each page of alarms is read.
class AlarmPages final : public storage::TrackingEngine {
 public:
  using TrackingEngine::TrackingEngine;
  std::function<void()> on_alarms;

  Task<Result<storage::Page>> scan(storage::Range range, storage::Direction direction, size_t records,
                                   size_t bytes) override {
    // Not the list of the alarms of auto scaling, whose range ends with their prefix.
    if (on_alarms && range.end == table::system_rows(table::SystemRow::kAlarm).end) on_alarms();
    return TrackingEngine::scan(std::move(range), direction, records, bytes);
  }
};

class MetricsThreadTest : public testing::Test {
 protected:
  MetricsThreadTest() {
    database_ = table::Database::open(engine_, clock_, random_, {.updating_ms = 0, .deleting_ms = 0}).value();
    service_ = std::make_unique<Service>(*database_);
    thread_ = std::make_unique<MetricsThread>(*service_, random_);
    call("CreateTable",
         R"({"TableName":"Votes","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)"
         R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})");
    clock_.advance_ms(2'000);
    thread_->tick();
  }

  void call(std::string_view operation, std::string_view body) {
    const std::string target = target_of(*find_operation(operation));
    const Call request{target, "application/x-amz-json-1.0", body,
                       std::make_shared<auth::Caller>("key", "us-east-1", "123456789012")};
    ASSERT_EQ(wait_for(service_->call(request)).status, 200);
  }
  void put(int times = 1) {
    for (int i = 0; i < times; ++i) call("PutItem", R"({"TableName":"Votes","Item":{"p":{"S":"a"}}})");
  }
  void move_minutes(int64_t minutes) {
    clock_.advance_ms(minutes * kMsPerMinute);
    thread_->tick();
  }
  void next_second() {
    clock_.advance_ms(1'000);
    thread_->tick();
  }
  std::map<int64_t, double> writes() {
    std::map<int64_t, double> sums;
    const auto read = wait_for(metrics::History(engine_).read({metrics::Scope::kTable, "Votes", ""},
                                                              Metric::kConsumedWrite, kThreadStart, kThreadStart + 99));
    for (const auto& [minute, statistics] : *read) sums[minute - kThreadStart] = statistics.sum;
    return sums;
  }
  // Alarms on a metric without values: an evaluation sets each of them to INSUFFICIENT_DATA.
  void put_alarms(size_t count) {
    const metrics::AlarmStore store(engine_, random_);
    for (size_t i = 0; i < count; ++i) {
      const std::string name = "alarm " + std::to_string(i);
      const metrics::AlarmStore::Change change = [&](const metrics::Alarm*, std::vector<metrics::HistoryEntry>&) {
        metrics::Alarm alarm;
        alarm.name = name;
        alarm.statistic = "Sum";
        alarm.state = AlarmState::kOk;
        return std::optional<metrics::Alarm>(alarm);
      };
      ASSERT_TRUE(*wait_for(store.change(name, change)));
    }
  }
  size_t evaluated() {
    const metrics::AlarmStore store(engine_, random_);
    const std::string any;
    size_t count = 0;
    const auto all = wait_for(store.list(any, any, 10'000));
    for (const metrics::Alarm& alarm : *all) count += alarm.state == AlarmState::kInsufficientData ? 1 : 0;
    return count;
  }

  using Sums = std::map<int64_t, double>;
  std::unique_ptr<storage::Engine> store_ = open_memory_engine();
  AlarmPages engine_{*store_};
  ManualClock clock_{kThreadStart * kMsPerMinute};
  SeededRandom random_{1};
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<MetricsThread> thread_;
};

TEST_F(MetricsThreadTest, AMinuteIsRecordedAtItsEnd) {
  put(3);
  for (int i = 0; i < 57; ++i) next_second();
  EXPECT_EQ(writes(), Sums());
  next_second();
  EXPECT_EQ(writes(), (Sums{{0, 3}}));
}

TEST_F(MetricsThreadTest, AClockThatGoesBackAddsToItsMinutes) {
  put(1);
  move_minutes(10);
  put(2);
  move_minutes(1);
  put(4);
  move_minutes(-2);  // recorded as the minute before
  put(8);
  move_minutes(2);
  put(16);
  move_minutes(1);
  EXPECT_EQ(writes(), (Sums{{8, 4}, {9, 1}, {10, 10}, {11, 16}}));
}

TEST_F(MetricsThreadTest, WhileTheDatabaseIsChangedNothingIsDone) {
  put(1);
  service_->pause();
  move_minutes(1);
  service_->resume(*database_);
  EXPECT_EQ(writes(), Sums());
  next_second();
  EXPECT_EQ(writes(), (Sums{{0, 1}}));
  service_->pause();
  service_->resume_without();
  move_minutes(1);
  EXPECT_EQ(writes(), (Sums{{0, 1}}));
}

TEST_F(MetricsThreadTest, AlarmsWaitForTheOtherServers) {
  put_alarms(2 * kAlarmsAtOnce + 1);
  move_minutes(1);
  next_second();
  EXPECT_EQ(evaluated(), 0);
  next_second();
  EXPECT_EQ(evaluated(), 2 * kAlarmsAtOnce + 1);
  size_t pages = 0;
  engine_.on_alarms = [&] { ++pages; };
  for (int i = 0; i < 50; ++i) next_second();
  EXPECT_EQ(pages, 0) << "once a minute";
}

// A rollback waits for a page of alarms, and evaluation goes on behind it.
TEST_F(MetricsThreadTest, ARollbackDoesNotWaitForAllAlarms) {
  put_alarms(3 * kAlarmsAtOnce);
  move_minutes(1);
  next_second();
  std::thread rollback;
  engine_.on_alarms = [&] {
    engine_.on_alarms = nullptr;
    rollback = std::thread([&] { service_->pause(); });
    while (true) {
      DrainLock::SharedGuard guard(service_->drain_lock());
      if (!guard.try_enter()) return;
    }
  };
  next_second();
  rollback.join();
  EXPECT_EQ(evaluated(), kAlarmsAtOnce);
  next_second();
  EXPECT_EQ(evaluated(), kAlarmsAtOnce);
  service_->resume(*database_);
  next_second();
  EXPECT_EQ(evaluated(), 3 * kAlarmsAtOnce);
}

TEST_F(MetricsThreadTest, OldRowsAreErased) {
  put(1);
  move_minutes(1);
  EXPECT_EQ(writes(), (Sums{{0, 1}}));
  move_minutes(metrics::kKeptMinutes + 120);
  EXPECT_FALSE(writes().empty());
  next_second();
  next_second();
  EXPECT_TRUE(writes().empty());
}

}  // namespace
}  // namespace partita::ops
