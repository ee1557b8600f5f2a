// From a change of an alarm's state to the end of its notices, by times that are given.
#include "metrics/notice_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "metrics/watch.h"

namespace partita::metrics {
namespace {

constexpr int64_t kChangedMs = 1'764'169'440'000;
constexpr int64_t kSecondMs = 1'000;

class NoticeStoreTest : public testing::Test {
 protected:
  static Alarm busy() {
    Alarm alarm;
    alarm.name = "busy";
    alarm.space = "AWS/DynamoDB";
    alarm.metric = "ConsumedReadCapacityUnits";
    alarm.dimensions = {{"TableName", "Votes"}};
    alarm.statistic = "Sum";
    alarm.alarm_actions = {"arn:one", "arn:two"};
    alarm.ok_actions = {"arn:ok"};
    alarm.state = AlarmState::kOk;
    alarm.region = "eu-west-1";
    alarm.account = "123456789012";
    return alarm;
  }
  bool put(const Alarm& alarm) {
    const AlarmStore::Change change = [&](const Alarm*, std::vector<HistoryEntry>&) {
      return std::optional<Alarm>(alarm);
    };
    return *wait_for(alarms_.change(alarm.name, change));
  }
  void set_state(AlarmState state, int64_t now_ms = kChangedMs, AlarmActions actions = AlarmActions::kSent) {
    const AlarmStore::Change change = [&](const Alarm* found, std::vector<HistoryEntry>& entries) {
      return std::optional<Alarm>(in_state(*found, state, "a test", std::nullopt, now_ms, entries));
    };
    const AlarmStore store(*engine_, random_, actions);
    ASSERT_TRUE(*wait_for(store.change("busy", change)));
  }
  std::vector<DueNotice> due(int64_t now_ms = kChangedMs, size_t most = 100) {
    return *wait_for(notices_.due(now_ms, most));
  }
  std::string due_actions(int64_t now_ms = kChangedMs, size_t most = 100) {
    std::string all;
    for (const DueNotice& one : due(now_ms, most)) all += one.notice.action + " ";
    return all;
  }
  // The summaries, the oldest first.
  std::vector<std::string> history() {
    std::vector<std::string> all;
    const auto page = wait_for(alarms_.history({.alarm = "busy", .kind = HistoryKind::kAction, .most = 1'000}));
    for (const HistoryEntry& entry : page->entries) all.push_back(entry.summary);
    return all;
  }
  bool claim(const std::string& id, int64_t now_ms) {
    return *wait_for(notices_.claim("busy", id, now_ms)) == Claim::kMine;
  }
  void settle(const std::string& id, std::optional<std::string> error, int64_t now_ms) {
    ASSERT_TRUE(wait_for(notices_.settle("busy", id, std::move(error), now_ms)).ok());
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  SeededRandom random_{1};
  AlarmStore alarms_{*engine_, random_};
  NoticeStore notices_{*engine_, random_};
};

TEST_F(NoticeStoreTest, EachActionOfTheNewStateIsANotice) {
  put(busy());
  set_state(AlarmState::kAlarm);
  const auto found = due();
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].alarm, "busy");
  EXPECT_EQ(found[0].notice.action, "arn:one");
  EXPECT_EQ(found[1].notice.action, "arn:two");
  EXPECT_NE(found[0].notice.id, found[1].notice.id);
  EXPECT_EQ(found[0].notice.subject, "ALARM: \"busy\" in EU (Ireland)");
  EXPECT_NE(found[0].notice.message.find(R"("NewStateValue":"ALARM","NewStateReason":"a test",)"), std::string::npos);
  EXPECT_NE(found[0].notice.message.find(R"("OldStateValue":"OK")"), std::string::npos);
  EXPECT_EQ(found[0].notice.made_ms, kChangedMs);
  set_state(AlarmState::kAlarm);
  EXPECT_EQ(due().size(), 2) << "the state is the same";
  set_state(AlarmState::kInsufficientData);
  EXPECT_EQ(due().size(), 2) << "that state has no actions";
  set_state(AlarmState::kOk);
  EXPECT_EQ(due_actions(), "arn:one arn:two arn:ok ");
}

TEST_F(NoticeStoreTest, NothingIsStoredWithoutTheHookOrWithActionsDisabled) {
  put(busy());
  set_state(AlarmState::kAlarm, kChangedMs, AlarmActions::kIgnored);
  set_state(AlarmState::kOk, kChangedMs, AlarmActions::kIgnored);
  Alarm disabled = busy();
  disabled.actions_enabled = false;
  put(disabled);
  set_state(AlarmState::kAlarm);
  EXPECT_TRUE(due().empty());
}

TEST_F(NoticeStoreTest, OneOfSeveralServersSends) {
  put(busy());
  set_state(AlarmState::kOk);
  set_state(AlarmState::kAlarm);
  const std::string id = due()[0].notice.id;
  EXPECT_TRUE(claim(id, kChangedMs));
  EXPECT_FALSE(claim(id, kChangedMs));
  EXPECT_EQ(due_actions(kChangedMs + kNoticeClaimMs - 1), "arn:two ");
  EXPECT_EQ(due_actions(kChangedMs + kNoticeClaimMs), "arn:one arn:two ") << "its server was killed";
  settle(id, std::nullopt, kChangedMs);
  EXPECT_FALSE(claim(id, kChangedMs + kNoticeClaimMs));
  EXPECT_EQ(due_actions(kChangedMs + kNoticeClaimMs), "arn:two ");
  EXPECT_EQ(history(), std::vector<std::string>{"Successfully executed action arn:one"});
}

TEST_F(NoticeStoreTest, TheRowEndsWithItsLastNotice) {
  put(busy());
  set_state(AlarmState::kAlarm);
  for (const DueNotice& one : due()) {
    claim(one.notice.id, kChangedMs);
    settle(one.notice.id, std::nullopt, kChangedMs);
  }
  std::vector<storage::Key> keys{notices_key("busy")};
  const auto read = wait_for(engine_->read(keys));
  EXPECT_FALSE((*read)[0].has_value());
}

TEST_F(NoticeStoreTest, AttemptsHaveGrowingWaitsForAnHour) {
  put(busy());
  set_state(AlarmState::kAlarm);
  set_state(AlarmState::kOk);
  const std::string id = due()[0].notice.id;
  for (const DueNotice& one : due()) {
    if (one.notice.id != id) settle(one.notice.id, std::nullopt, kChangedMs);
  }
  std::vector<int64_t> waits;
  int64_t now_ms = kChangedMs;
  while (!due(now_ms).empty()) {
    ASSERT_TRUE(claim(id, now_ms));
    settle(id, "It is down.", now_ms);
    ASSERT_TRUE(due(now_ms).empty());
    int64_t wait_ms = kSecondMs;
    while (due(now_ms + wait_ms).empty() && wait_ms < 400 * kSecondMs) wait_ms += kSecondMs;
    now_ms += wait_ms;
    waits.push_back(wait_ms / kSecondMs);
    ASSERT_LT(waits.size(), 100) << "attempts do not end";
  }
  EXPECT_EQ(std::vector<int64_t>(waits.begin(), waits.begin() + 11),
            (std::vector<int64_t>{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}));
  EXPECT_LE(now_ms - 400 * kSecondMs, kChangedMs + kNoticeTriedMs);
  EXPECT_GT(now_ms - 400 * kSecondMs, kChangedMs + kNoticeTriedMs - 300 * kSecondMs);
  const std::string failed = "Failed to execute action arn:one. Received error: \"It is down.";
  std::vector<std::string> told = history();
  std::erase_if(told, [](const std::string& summary) { return summary.starts_with("Success"); });
  EXPECT_EQ(told, (std::vector<std::string>{failed + "\"", failed + " There are no more attempts.\""}));
}

// A server that was down for longer than attempts last makes one.
TEST_F(NoticeStoreTest, AnOldNoticeIsAttemptedOnce) {
  put(busy());
  set_state(AlarmState::kAlarm);
  const int64_t late_ms = kChangedMs + 3 * kNoticeTriedMs;
  const std::string id = due(late_ms)[0].notice.id;
  EXPECT_TRUE(claim(id, late_ms));
  settle(id, "It is down.", late_ms);
  EXPECT_EQ(due_actions(late_ms + kNoticeTriedMs), "arn:two ");
}

// As from a backup.
TEST_F(NoticeStoreTest, ANoticeOfMoreThanADayIsGivenUp) {
  put(busy());
  set_state(AlarmState::kAlarm);
  const auto found = due();
  EXPECT_TRUE(claim(found[0].notice.id, kChangedMs + kNoticeKeptMs));
  const auto old = wait_for(notices_.claim("busy", found[1].notice.id, kChangedMs + kNoticeKeptMs + 1));
  EXPECT_EQ(*old, Claim::kGivenUp);
  EXPECT_EQ(due_actions(kChangedMs + kNoticeKeptMs + kNoticeClaimMs), "arn:one ");
  EXPECT_EQ(history(), std::vector<std::string>{"Failed to execute action arn:two. Received error: \"The change of "
                                                "state is older than a day; the notice was given up.\""});
}

TEST_F(NoticeStoreTest, TheFirstFailureIsToldThoughTheServerOfTheFirstAttemptDied) {
  put(busy());
  set_state(AlarmState::kAlarm);
  const std::string id = due()[0].notice.id;
  EXPECT_TRUE(claim(id, kChangedMs));
  for (int64_t attempt = 1; attempt <= 3; ++attempt) {
    const int64_t now_ms = kChangedMs + attempt * kMostNoticeWaitMs;
    EXPECT_TRUE(claim(id, now_ms));
    settle(id, "It is down.", now_ms);
  }
  EXPECT_EQ(history(), std::vector<std::string>{"Failed to execute action arn:one. Received error: \"It is down.\""});
}

TEST_F(NoticeStoreTest, AClockThatIsSetBackDelaysNothingAndEndsAttempts) {
  put(busy());
  set_state(AlarmState::kAlarm);
  const int64_t now_ms = kChangedMs - 100 * kNoticeTriedMs;
  const std::string id = due(now_ms)[0].notice.id;
  EXPECT_EQ(due(now_ms).size(), 2);
  EXPECT_TRUE(claim(id, now_ms));
  settle(id, "It is down.", now_ms);
  EXPECT_TRUE(claim(id, now_ms + kNoticeTriedMs));
  settle(id, "It is down.", now_ms + kNoticeTriedMs);
  EXPECT_EQ(due_actions(now_ms + 2 * kNoticeTriedMs), "arn:two ") << "attempts end after an hour";
}

TEST_F(NoticeStoreTest, ANewNoticeReplacesTheOldestOfTooMany) {
  put(busy());
  for (int i = 0; i < 7; ++i) {
    set_state(AlarmState::kAlarm, kChangedMs + 2 * i);
    set_state(AlarmState::kOk, kChangedMs + 2 * i + 1);
  }
  const auto found = due(kChangedMs + kSecondMs);
  ASSERT_EQ(found.size(), kMostNotices);
  EXPECT_EQ(found[0].notice.action, "arn:two") << "21 notices were made";
  EXPECT_EQ(found.back().notice.made_ms, kChangedMs + 13);
  EXPECT_EQ(history(),
            std::vector<std::string>{"Failed to execute action arn:one. Received error: \"Too many notices of "
                                     "the alarm are waiting; this one was given up.\""});
}

TEST_F(NoticeStoreTest, LargeNoticesAreFewer) {
  std::vector<Notice> notices(5);
  for (size_t i = 0; i < notices.size(); ++i) {
    notices[i].id = std::to_string(i);
    notices[i].message = std::string(kMostNoticeBytes / 3, 'm');
  }
  EXPECT_EQ(take_excess(notices).size(), 2);
  ASSERT_EQ(notices.size(), 3);
  EXPECT_EQ(notices[0].id, "2");
  notices.back().message.append(kMostNoticeBytes, 'm');
  EXPECT_EQ(take_excess(notices).size(), 2);
  EXPECT_EQ(notices.size(), 1) << "the newest stays";
}

TEST_F(NoticeStoreTest, ADeletedAlarmTakesItsNoticesWithIt) {
  put(busy());
  set_state(AlarmState::kAlarm);
  const std::string id = due()[0].notice.id;
  EXPECT_TRUE(claim(id, kChangedMs));
  EXPECT_TRUE(*wait_for(alarms_.erase("busy", {"busy", kChangedMs, HistoryKind::kConfiguration, "deleted", "{}"})));
  EXPECT_TRUE(due(kChangedMs + kNoticeClaimMs).empty());
  settle(id, std::nullopt, kChangedMs);
  EXPECT_TRUE(due(kChangedMs + kNoticeClaimMs).empty());
  EXPECT_TRUE(history().empty());
}

TEST_F(NoticeStoreTest, DueNoticesAreSoMany) {
  put(busy());
  set_state(AlarmState::kAlarm);
  EXPECT_EQ(due_actions(kChangedMs, 1), "arn:one ");
}

TEST_F(NoticeStoreTest, ADamagedRowStopsNoOther) {
  put(busy());
  const storage::Decide damage = [](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(notices_key("a"), "?");
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> keys;
  std::vector<storage::Compare> compare;
  ASSERT_TRUE(wait_for(engine_->transact(keys, compare, damage)).ok());
  set_state(AlarmState::kAlarm);
  EXPECT_EQ(due().size(), 2);
}

}  // namespace
}  // namespace partita::metrics
