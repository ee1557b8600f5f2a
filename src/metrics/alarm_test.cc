#include "metrics/alarm.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "engines/memory/memory_engine.h"
#include "metrics/alarm_names.h"
#include "metrics/recorder.h"
#include "metrics/watch.h"

namespace partita::metrics {
namespace {

constexpr int64_t kFirstMinute = int64_t{490'000} * 60;  // minutes since 1970

class AlarmTest : public testing::Test {
 protected:
  static Alarm busy() {
    Alarm alarm;
    alarm.name = "busy";
    alarm.space = "AWS/DynamoDB";
    alarm.metric = "ConsumedReadCapacityUnits";
    alarm.dimensions = {{"TableName", "Votes"}};
    alarm.statistic = "Sum";
    alarm.rule = {2, 2, 60, Comparison::kAbove, MissingData::kMissing};
    alarm.reason = "new";
    return alarm;
  }
  void put(const Alarm& alarm) {
    const AlarmStore::Change change = [&](const Alarm*, std::vector<HistoryEntry>&) {
      return std::optional<Alarm>(alarm);
    };
    ASSERT_TRUE(*wait_for(store_.change(alarm.name, change)));
  }
  // One more minute, with that many units.
  void minute(uint64_t units) {
    AmountCounts& read = counts_.tables[0].capacity.read;
    read.samples += units > 0 ? 1 : 0;
    read.sum += static_cast<int64_t>(2 * units);
    ASSERT_TRUE(wait_for(recorder_.record(*engine_, counts_, minute_++)).ok());
    ASSERT_TRUE(wait_for(evaluate_alarms(*engine_, random_, {}, minute_, minute_ * kMsPerMinute + 3'000)).ok());
  }
  Alarm stored(const std::string& name = "busy") { return **wait_for(store_.find(name)); }
  std::vector<HistoryEntry> history() { return wait_for(store_.history({.alarm = "busy"}))->entries; }

  AlarmTest() {
    counts_.tables.emplace_back();
    counts_.tables[0].id = 1;
    counts_.tables[0].name = "Votes";
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  SeededRandom random_{1};
  AlarmStore store_{*engine_, random_};
  Recorder recorder_{1};
  ServerCounts counts_;
  int64_t minute_ = kFirstMinute;
};

TEST_F(AlarmTest, AnAlarmIsStoredWhole) {
  Alarm alarm = busy();
  alarm.description = "too many votes";
  alarm.actions_enabled = false;
  alarm.ok_actions = {"arn:one"};
  alarm.alarm_actions = {"arn:two", "arn:three"};
  alarm.insufficient_data_actions = {"arn:four"};
  alarm.tags = {{"team", "votes"}, {"empty", ""}};
  alarm.unit = "Count";
  alarm.rule.threshold = 0.1;
  alarm.says_missing = alarm.says_to_alarm = true;
  alarm.reason_data = "{}";
  alarm.configured_ms = 1;
  alarm.updated_ms = 2;
  alarm.changed_ms = 3;
  put(alarm);
  const Alarm read = stored();
  EXPECT_EQ(read.description, alarm.description);
  EXPECT_FALSE(read.actions_enabled);
  EXPECT_EQ(read.ok_actions, alarm.ok_actions);
  EXPECT_EQ(read.alarm_actions, alarm.alarm_actions);
  EXPECT_EQ(read.insufficient_data_actions, alarm.insufficient_data_actions);
  EXPECT_EQ(read.dimensions, alarm.dimensions);
  EXPECT_EQ(read.tags, alarm.tags);
  EXPECT_EQ(read.unit, alarm.unit);
  EXPECT_EQ(read.rule.threshold, 0.1);
  EXPECT_EQ(read.rule.comparison, Comparison::kAbove);
  EXPECT_TRUE(read.says_missing && read.says_to_alarm);
  EXPECT_EQ(read.reason_data, alarm.reason_data);
  EXPECT_EQ(read.state, AlarmState::kInsufficientData);
  EXPECT_EQ(std::tuple(read.configured_ms, read.updated_ms, read.changed_ms), std::tuple(1, 2, 3));
}

TEST_F(AlarmTest, TheStateFollowsTheMetric) {
  put(busy());
  minute(100);
  EXPECT_EQ(stored().state, AlarmState::kInsufficientData) << "one breaching value is too young";
  minute(100);
  EXPECT_EQ(stored().state, AlarmState::kAlarm);
  EXPECT_TRUE(stored().reason.starts_with("Threshold Crossed: 2 out of the last 2 datapoints [100.0 ("))
      << stored().reason;
  const int64_t changed_ms = stored().changed_ms;
  EXPECT_EQ(changed_ms, minute_ * kMsPerMinute + 3'000);
  minute(100);
  EXPECT_EQ(stored().changed_ms, changed_ms);
  minute(0);
  EXPECT_EQ(stored().state, AlarmState::kOk);
  const auto entries = history();
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0].summary, "Alarm updated from INSUFFICIENT_DATA to ALARM");
  EXPECT_EQ(entries[1].summary, "Alarm updated from ALARM to OK");
}

// Periods longer than a minute end with the last minute.
TEST_F(AlarmTest, LongerPeriodsSlide) {
  Alarm alarm = busy();
  alarm.period_minutes = 5;
  alarm.rule = {1, 1, 100, Comparison::kAtLeast, MissingData::kMissing};
  put(alarm);
  for (int i = 0; i < 4; ++i) minute(24);
  EXPECT_EQ(stored().state, AlarmState::kOk);
  minute(24);
  EXPECT_EQ(stored().state, AlarmState::kAlarm);
}

TEST_F(AlarmTest, MetricsWithoutValuesAndOthers) {
  Alarm other = busy();
  other.name = "other";
  other.space = "AWS/EC2";
  other.rule.missing = MissingData::kBreaching;
  put(other);
  Alarm unknown = busy();
  unknown.name = "unknown";
  unknown.dimensions = {{"TableName", "Nothing"}};
  unknown.state = AlarmState::kOk;
  put(unknown);
  minute(0);
  EXPECT_EQ(stored("other").state, AlarmState::kAlarm);
  EXPECT_EQ(stored("other").reason,
            "Threshold Crossed: no datapoints were received for 2 periods and 2 missing datapoints were treated as "
            "[Breaching].");
  EXPECT_EQ(stored("unknown").state, AlarmState::kInsufficientData);
  EXPECT_EQ(stored("unknown").reason, "Insufficient Data: 2 datapoints were unknown.");
}

// Two servers evaluate the same alarm with the same values.
TEST_F(AlarmTest, OneOfSeveralServersChangesTheState) {
  put(busy());
  minute(100);
  AmountCounts& read = counts_.tables[0].capacity.read;
  ++read.samples;
  read.sum += 200;
  ASSERT_TRUE(wait_for(recorder_.record(*engine_, counts_, minute_)).ok());
  const Alarm seen = stored();
  const int64_t now_ms = (minute_ + 1) * kMsPerMinute;
  ASSERT_TRUE(wait_for(evaluate_alarm(*engine_, random_, seen, minute_ + 1, now_ms)).ok());
  ASSERT_TRUE(wait_for(evaluate_alarm(*engine_, random_, seen, minute_ + 1, now_ms + 1)).ok());
  EXPECT_EQ(stored().state, AlarmState::kAlarm);
  EXPECT_EQ(stored().updated_ms, now_ms);
  EXPECT_EQ(history().size(), 1);
}

TEST_F(AlarmTest, ListsAreByNameAndPrefix) {
  for (const std::string name : {"b", "ab", "a", "abc", "c"}) {
    Alarm alarm = busy();
    alarm.name = name;
    put(alarm);
  }
  const auto names = [&](const std::string& prefix, const std::string& after, size_t most) {
    std::string all;
    const auto listed = wait_for(store_.list(prefix, after, most));
    for (const Alarm& alarm : *listed) all += alarm.name + " ";
    return all;
  };
  EXPECT_EQ(names("", "", 10), "a ab abc b c ");
  EXPECT_EQ(names("a", "", 10), "a ab abc ");
  EXPECT_EQ(names("a", "a", 1), "ab ");
  EXPECT_EQ(names("", "b", 10), "c ");
  EXPECT_TRUE(*wait_for(store_.erase("ab", {"ab", 5, HistoryKind::kConfiguration, "deleted", "{}"})));
  EXPECT_FALSE(*wait_for(store_.erase("ab", {"ab", 5, HistoryKind::kConfiguration, "deleted", "{}"})));
  EXPECT_EQ(names("a", "", 10), "a abc ");
  EXPECT_EQ(wait_for(store_.history({.alarm = "ab", .to_ms = 100}))->entries.size(), 1)
      << "the history of a deleted alarm stays";
}

TEST_F(AlarmTest, HistoryComesInPages) {
  for (const std::string name : {"a", "b"}) {
    Alarm alarm = busy();
    alarm.name = name;
    put(alarm);
  }
  for (int64_t at_ms = 1; at_ms <= 5; ++at_ms) {
    const std::string name = at_ms % 2 == 0 ? "b" : "a";
    const AlarmStore::Change change = [&](const Alarm* found, std::vector<HistoryEntry>& entries) {
      entries.push_back(
          {name, at_ms, at_ms == 3 ? HistoryKind::kConfiguration : HistoryKind::kState, std::to_string(at_ms), "{}"});
      return std::optional<Alarm>(*found);
    };
    ASSERT_TRUE(wait_for(store_.change(name, change)).ok());
  }
  const auto page = [&](const HistoryPart& part) {
    const auto read = wait_for(store_.history(part));
    std::string all;
    for (const HistoryEntry& entry : read->entries) all += entry.alarm + entry.summary + " ";
    return all + (read->more ? "..." : "");
  };
  EXPECT_EQ(page({}), "a1 b2 a3 b4 a5 ");
  EXPECT_EQ(page({.newest_first = true, .skipped = 1, .most = 2}), "b4 a3 ...");
  EXPECT_EQ(page({.newest_first = true, .skipped = 3, .most = 2}), "b2 a1 ");
  EXPECT_EQ(page({.skipped = 9}), "");
  EXPECT_EQ(page({.kind = HistoryKind::kState, .from_ms = 2, .to_ms = 5}), "b2 b4 ");
  EXPECT_EQ(page({.alarm = "a", .skipped = 1, .most = 1}), "a3 ...");
}

TEST_F(AlarmTest, HistoryOfOneMillisecondIsInOrder) {
  put(busy());
  for (int i = 0; i < 20; ++i) {
    const std::string name = i % 3 == 0 ? "busy" : i % 3 == 1 ? "a" : "z";
    if (i == 9) {
      EXPECT_TRUE(*wait_for(store_.erase(name, {name, 5, HistoryKind::kConfiguration, std::to_string(i), "{}"})));
      continue;
    }
    const AlarmStore::Change change = [&](const Alarm*, std::vector<HistoryEntry>& entries) {
      entries.push_back({name, 5, HistoryKind::kState, std::to_string(i), "{}"});
      return std::optional<Alarm>(busy());
    };
    ASSERT_TRUE(*wait_for(store_.change(name, change)));
  }
  const auto all = wait_for(store_.history({}))->entries;
  ASSERT_EQ(all.size(), 20);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].summary, std::to_string(i));
}

TEST_F(AlarmTest, OldHistoryIsErased) {
  put(busy());
  minute(100);
  minute(100);
  const int64_t at_ms = history()[0].at_ms;
  for (const int64_t kept_ms : {kHistoryKeptMs, -kHistoryKeptMs}) {
    ASSERT_TRUE(wait_for(store_.erase_old(at_ms + kept_ms)).ok());
    EXPECT_EQ(history().size(), 1);
  }
  ASSERT_TRUE(wait_for(store_.erase_old(at_ms + kHistoryKeptMs + 1)).ok());
  EXPECT_EQ(history().size(), 0);
  minute(0);
  ASSERT_EQ(history().size(), 1);
  ASSERT_TRUE(wait_for(store_.erase_old(history()[0].at_ms - kHistoryKeptMs - 1)).ok());
  EXPECT_EQ(history().size(), 0) << "of a clock that was set back";
}

}  // namespace
}  // namespace partita::metrics
