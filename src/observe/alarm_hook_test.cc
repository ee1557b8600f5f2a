#include "observe/alarm_hook.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "engines/stores.h"
#include "metrics/watch.h"
#include "table/open/database.h"

namespace partita::observe {
namespace {

using metrics::AlarmState;

constexpr int64_t kNow = 1'764'169'440'000;

class AlarmHookTest : public testing::Test {
 protected:
  AlarmHookTest() {
    engine_ = std::move(open_store("memory:")).value();
    database_ = table::Database::open(*engine_, clock_, random_).value();
    service_ = std::make_unique<ops::Service>(*database_);
    hook_ = make_hook();
  }
  std::unique_ptr<AlarmHook> make_hook() {
    const AlarmHook::Send send = [this](const metrics::Notice& notice, const std::stop_token&) {
      sent_.push_back(notice.action);
      if (while_sending_) while_sending_();
      return outcome_;
    };
    return std::make_unique<AlarmHook>(send, *service_, random_);
  }
  // Puts an alarm that has gone off, with these actions.
  void alarm(const std::string& name, const std::vector<std::string>& actions) {
    for (const AlarmState state : {AlarmState::kOk, AlarmState::kAlarm}) {
      const metrics::AlarmStore::Change change = [&](const metrics::Alarm*, std::vector<metrics::HistoryEntry>&) {
        metrics::Alarm alarm;
        alarm.name = name;
        alarm.statistic = "Sum";
        alarm.alarm_actions = actions;
        alarm.state = state;
        alarm.changed_ms = clock_.now_ms();
        return std::optional<metrics::Alarm>(alarm);
      };
      const metrics::AlarmStore store(*engine_, random_, metrics::AlarmActions::kSent);
      ASSERT_TRUE(*wait_for(store.change(name, change)));
    }
  }
  bool deliver() { return hook_->deliver(stop_.get_token()); }
  std::vector<std::string> sent() { return std::exchange(sent_, {}); }

  using Sent = std::vector<std::string>;
  std::unique_ptr<storage::Engine> engine_;
  ManualClock clock_{kNow};
  SeededRandom random_{1};
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<ops::Service> service_;
  std::unique_ptr<AlarmHook> hook_;
  std::stop_source stop_;
  AlarmHook::Outcome outcome_;
  std::function<void()> while_sending_;
  Sent sent_;
};

TEST_F(AlarmHookTest, ANoticeIsSentUntilItIsAccepted) {
  alarm("busy", {"arn:one", "arn:two"});
  outcome_ = {.reached = true, .error = "The hook answered 503."};
  EXPECT_TRUE(deliver());
  EXPECT_EQ(sent(), (Sent{"arn:one", "arn:two"})) << "an error concerns one notice";
  EXPECT_TRUE(deliver());
  EXPECT_EQ(sent(), Sent{});
  clock_.advance_ms(1'000);
  outcome_ = {};
  EXPECT_TRUE(deliver());
  EXPECT_EQ(sent(), (Sent{"arn:one", "arn:two"}));
  clock_.advance_ms(metrics::kNoticeTriedMs);
  EXPECT_TRUE(deliver());
  EXPECT_EQ(sent(), Sent{});
}

TEST_F(AlarmHookTest, ANoticeOfMoreThanADayIsNotSent) {
  alarm("a", {"arn:a"});
  clock_.advance_ms(metrics::kNoticeKeptMs + 1);
  alarm("b", {"arn:b"});
  EXPECT_TRUE(deliver());
  EXPECT_EQ(sent(), Sent{"arn:b"});
}

TEST_F(AlarmHookTest, WithoutAReplyTheOthersWait) {
  alarm("a", {"arn:a"});
  alarm("b", {"arn:b"});
  outcome_ = {.reached = false, .error = "Cannot reach it."};
  EXPECT_FALSE(deliver());
  EXPECT_EQ(sent(), Sent{"arn:a"});
  EXPECT_FALSE(deliver());
  EXPECT_EQ(sent(), Sent{"arn:b"}) << "each has its turn";
}

// The other one sends the second notice, which this one had found due too.
TEST_F(AlarmHookTest, TwoServersSendOnce) {
  alarm("busy", {"arn:one", "arn:two"});
  const auto other = make_hook();
  while_sending_ = [&] {
    while_sending_ = nullptr;
    EXPECT_TRUE(other->deliver(stop_.get_token()));
  };
  EXPECT_TRUE(deliver());
  EXPECT_EQ(sent(), (Sent{"arn:one", "arn:two"}));
}

// A rollback can begin, and a call be answered, while a request is under way.
TEST_F(AlarmHookTest, TheStoreIsFreeWhileARequestIsUnderWay) {
  alarm("busy", {"arn:one"});
  while_sending_ = [&] {
    while_sending_ = nullptr;
    service_->pause();
    EXPECT_TRUE(deliver()) << "it waits for the database, and says nothing of the hook";
    service_->resume(*database_);
  };
  EXPECT_TRUE(deliver());
  EXPECT_EQ(sent(), Sent{"arn:one"});
  service_->pause();
  service_->resume_without();
  EXPECT_TRUE(deliver());
  EXPECT_EQ(sent(), Sent{});
}

TEST_F(AlarmHookTest, AServerThatStopsSendsNoMore) {
  alarm("busy", {"arn:one", "arn:two"});
  while_sending_ = [&] { stop_.request_stop(); };
  deliver();
  EXPECT_EQ(sent(), Sent{"arn:one"});
}

}  // namespace
}  // namespace partita::observe
