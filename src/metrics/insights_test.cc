#include "metrics/insights.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/bytes.h"
#include "engines/memory/memory_engine.h"
#include "table/rows/system_rows.h"

namespace partita::metrics {
namespace {

using table::InsightRuleKind;

constexpr int64_t kInsightNow = int64_t{490'000} * 60;  // minutes since 1970
constexpr InsightSubject kAccesses{7, 0, InsightRuleKind::kAccessedPartitions};
constexpr InsightSubject kThrottles{7, 0, InsightRuleKind::kThrottledPartitions};

class InsightsTest : public testing::Test {
 protected:
  static InsightMinute minute(const InsightSubject& of, std::vector<InsightKey> keys, uint64_t others = 0) {
    InsightMinute made{of, others, 0, std::move(keys)};
    for (const InsightKey& key : made.keys) {
      made.total += key.value;
      ++made.events;
    }
    return made;
  }
  void record(InsightRecorder& recorder, InsightMinute counted, int64_t at) {
    std::vector<InsightMinute> all;
    all.push_back(std::move(counted));
    ASSERT_TRUE(wait_for(recorder.record(*engine_, std::move(all), at)).ok());
  }
  InsightReport report(const InsightSubject& of, InsightSpan span) {
    auto read = wait_for(read_insights(*engine_, of, span));
    EXPECT_TRUE(read.ok());
    InsightReport found = read.ok() ? *std::move(read) : InsightReport();
    std::ranges::sort(found.contributors, {}, &Contributor::key);
    return found;
  }
  size_t rows() {
    const auto page = wait_for(engine_->scan(table::system_rows(table::SystemRow::kInsights),
                                             storage::Direction::kAscending, 1'000, size_t{1} << 20));
    return page->size();
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  InsightRecorder recorder_{1};
  InsightRecorder other_{2};
};

TEST_F(InsightsTest, ServersAndMinutesAddUp) {
  record(recorder_, minute(kAccesses, {{"a", 60}, {"b", 20}}, 10), kInsightNow);
  record(other_, minute(kAccesses, {{"a", 40}, {"c", 6}}), kInsightNow);
  record(recorder_, minute(kAccesses, {{"b", 50}}), kInsightNow + 1);
  record(recorder_, minute(kAccesses, {{"b", 2}}), kInsightNow + 2);
  record(recorder_, minute(kThrottles, {{"b", 3}}), kInsightNow + 1);
  record(recorder_, minute({7, 1, InsightRuleKind::kAccessedPartitions}, {{"index", 1'000}}), kInsightNow);

  const InsightReport found = report(kAccesses, {kInsightNow, kInsightNow + 3, 2});
  EXPECT_EQ(found.sum, 94);  // half of all, with those that were not kept
  ASSERT_EQ(found.contributors.size(), 3u);
  const auto& [a, b, c] = std::tie(found.contributors[0], found.contributors[1], found.contributors[2]);
  EXPECT_EQ(a.key, "a");
  EXPECT_EQ(a.sum, 50);
  EXPECT_EQ(a.most, 50);
  EXPECT_EQ(b.sum, 36);
  EXPECT_EQ(b.most, 25);
  EXPECT_EQ(b.periods, (std::map<int64_t, double>{{kInsightNow, 35}, {kInsightNow + 2, 1}}));
  EXPECT_EQ(c.sum, 3);
  ASSERT_EQ(found.periods.size(), 2u);
  const InsightPeriod& period = found.periods.at(kInsightNow);
  EXPECT_EQ(period.events, 5);
  EXPECT_EQ(period.sum, 93);
  EXPECT_EQ(period.contributors, 3);
  EXPECT_EQ(period.greatest, 50);
  EXPECT_EQ(period.least, 3);
  EXPECT_EQ(period.most, 50);

  const InsightReport throttles = report(kThrottles, {kInsightNow, kInsightNow + 3, 1});
  ASSERT_EQ(throttles.contributors.size(), 1u);
  EXPECT_EQ(throttles.contributors[0].sum, 3) << "events have no halves";
}

TEST_F(InsightsTest, AClockThatGoesBackReplacesNothing) {
  record(recorder_, minute(kAccesses, {{"a", 2}}), kInsightNow);
  record(recorder_, minute(kAccesses, {{"a", 4}}), kInsightNow + 1);
  record(recorder_, minute(kAccesses, {{"a", 8}}), kInsightNow);
  record(recorder_, minute(kAccesses, {{"a", 16}}), kInsightNow + 1);
  record(recorder_, minute(kAccesses, {{"a", 32}}), kInsightNow + 1);
  const InsightReport found = report(kAccesses, {kInsightNow, kInsightNow + 2, 1});
  ASSERT_EQ(found.contributors.size(), 1u);
  EXPECT_EQ(found.contributors[0].periods, (std::map<int64_t, double>{{kInsightNow, 5}, {kInsightNow + 1, 26}}));
}

TEST_F(InsightsTest, LeastAndGreatestAreOfMinutesAndTheAverageIsOfTheKeptKeys) {
  record(recorder_, minute(kAccesses, {{"a", 60}, {"b", 20}}, 1'000), kInsightNow);
  record(recorder_, minute(kAccesses, {{"a", 10}, {"b", 30}}), kInsightNow + 1);
  const InsightReport found = report(kAccesses, {kInsightNow, kInsightNow + 2, 2});
  const InsightPeriod& period = found.periods.at(kInsightNow);
  EXPECT_EQ(period.sum, 560);
  EXPECT_EQ(period.kept_sum, 60);
  EXPECT_EQ(period.contributors, 2);
  EXPECT_EQ(period.greatest, 35);
  EXPECT_EQ(period.least, 5);
  EXPECT_EQ(period.most, 30);
}

TEST_F(InsightsTest, ADamagedRowIsLeftOut) {
  record(recorder_, minute(kAccesses, {{"a", 2}}), kInsightNow);
  record(other_, minute(kAccesses, {{"b", 4}}), kInsightNow);
  const storage::Decide damage = [](std::span<const storage::Record* const>, storage::Changes& changes) {
    std::string rest("\0\0\0\x07\0\0\0", 7);
    append_u32(rest, static_cast<uint32_t>(kInsightNow));
    append_u64(rest, 1);
    changes.put(table::system_key(table::SystemRow::kInsights, rest), "\1?");
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine_->transact({}, {}, damage)).ok());
  ASSERT_EQ(rows(), 2u);
  EXPECT_EQ(report(kAccesses, {kInsightNow, kInsightNow + 1, 1}).sum, 2);
}

TEST_F(InsightsTest, WhatIsOutsideOfTheSpanIsLeftOut) {
  for (int64_t at = kInsightNow; at < kInsightNow + 10; ++at) record(recorder_, minute(kAccesses, {{"a", 2}}), at);
  EXPECT_EQ(report(kAccesses, {kInsightNow + 2, kInsightNow + 5, 1}).sum, 3);
  const InsightReport since = report(kAccesses, {kInsightNow, kInsightNow + 10, 4, kInsightNow + 5});
  EXPECT_EQ(since.sum, 5);
  EXPECT_EQ(since.periods.begin()->first, kInsightNow + 4) << "periods begin with the span";
  EXPECT_TRUE(report(kAccesses, {kInsightNow + 20, kInsightNow + 30, 1}).contributors.empty());
  EXPECT_TRUE(report(kAccesses, {kInsightNow, kInsightNow + 10, 1, kInsightNow + 10}).contributors.empty());
}

TEST_F(InsightsTest, ARowIsBoundedAndKeepsTheGreatestKeys) {
  std::vector<InsightKey> keys;
  for (uint64_t i = 0; i < 25; ++i) keys.push_back({std::string(1'000, static_cast<char>('a' + i)), 100 - i});
  const std::string row = insight_row(minute(kAccesses, keys));
  EXPECT_LE(row.size(), kMostInsightBytes + 32);
  const auto read = read_insight_row(row);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->keys.size(), 4u);
  EXPECT_EQ(read->keys[0].key, keys[0].key);
  EXPECT_EQ(read->total, 25u * 100 - 300) << "the total is of all";
  // The longest key of a table.
  const std::string longest(3 * kMostInsightBytes, 'k');
  EXPECT_EQ(read_insight_row(insight_row(minute(kAccesses, {{longest, 1}})))->keys[0].key, longest);
}

TEST_F(InsightsTest, DamagedRowsAreRefusedAndNewerOnesSkipped) {
  const std::string row = insight_row(minute(kAccesses, {{"a", 60}, {"b", 20}}));
  for (size_t size = 0; size < row.size(); ++size) {
    const auto read = read_insight_row(std::string_view(row).substr(0, size));
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt);
  }
  EXPECT_FALSE(read_insight_row(row + "x").ok());
  const auto newer = read_insight_row("\x02what comes later");
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().kind(), ErrorKind::kInvalid);
}

TEST_F(InsightsTest, OldRowsOfEachRuleAreErased) {
  for (const InsightSubject& of : {kAccesses, kThrottles, InsightSubject{9, 3, InsightRuleKind::kThrottledItems}}) {
    for (const int64_t at : {kInsightNow - kKeptMinutes - 1, kInsightNow - kKeptMinutes, kInsightNow}) {
      record(recorder_, minute(of, {{"a", 2}}), at);
    }
  }
  EXPECT_EQ(rows(), 9u);
  ASSERT_TRUE(wait_for(erase_old_insights(*engine_, kInsightNow)).ok());
  EXPECT_EQ(rows(), 6u);
  ASSERT_TRUE(wait_for(erase_old_insights(*engine_, kInsightNow - kKeptMinutes)).ok());
  EXPECT_EQ(rows(), 6u) << "ahead of the clock, but not far";
  ASSERT_TRUE(wait_for(erase_old_insights(*engine_, kInsightNow - kKeptMinutes - 1)).ok());
  EXPECT_EQ(rows(), 3u) << "of the others nothing is known any more";
  ASSERT_TRUE(wait_for(erase_old_insights(*engine_, kInsightNow + 2 * kKeptMinutes)).ok());
  EXPECT_EQ(rows(), 0u);
}

TEST_F(InsightsTest, OfVeryManyKeysTheGreatestStay) {
  uint64_t next = 0;
  for (int64_t at = kInsightNow; at < kInsightNow + 1'000; ++at) {
    std::vector<InsightKey> keys{{"a hot one", 8}};
    for (int i = 0; i < 24; ++i) keys.push_back({"cold " + std::to_string(next++), 2});
    record(recorder_, minute(kAccesses, std::move(keys)), at);
  }
  const InsightReport found = report(kAccesses, {kInsightNow, kInsightNow + 1'000, 1'000});
  EXPECT_LE(found.contributors.size(), 20'000u);
  EXPECT_EQ(found.sum, 1'000 * (4 + 24));
  const auto hot = std::ranges::find(found.contributors, "a hot one", &Contributor::key);
  ASSERT_NE(hot, found.contributors.end());
  EXPECT_EQ(hot->sum, 4'000);
}

}  // namespace
}  // namespace partita::metrics
