#include "throttle/key_counts.h"

#include <gtest/gtest.h>

#include <string>

namespace partita::throttle {
namespace {

using table::InsightRuleKind;

const KeyCounts::Summary* of(const std::vector<KeyCounts::Summary>& all, InsightRuleKind kind) {
  for (const KeyCounts::Summary& one : all) {
    if (one.kind == kind) return &one;
  }
  return nullptr;
}

TEST(KeyCountsTest, PartitionKeysAndPairsAreCountedByThemselves) {
  KeyCounts counts;
  counts.add_access("a", "a1", 6);
  counts.add_access("a", "a2", 2);
  counts.add_access("b", "", 1);
  counts.add_throttle("b", "b1");
  const auto summaries = counts.drain();
  ASSERT_EQ(summaries.size(), 4u);
  const auto* const partitions = of(summaries, InsightRuleKind::kAccessedPartitions);
  ASSERT_NE(partitions, nullptr);
  EXPECT_EQ(partitions->total, 9u);
  EXPECT_EQ(partitions->events, 3u);
  ASSERT_EQ(partitions->keys.size(), 2u);
  EXPECT_EQ(partitions->keys[0].key, "a");
  EXPECT_EQ(partitions->keys[0].value, 8u);
  const auto* const items = of(summaries, InsightRuleKind::kAccessedItems);
  ASSERT_NE(items, nullptr);
  ASSERT_EQ(items->keys.size(), 2u);
  EXPECT_EQ(items->keys[0].key, "a1");
  const auto* const throttled = of(summaries, InsightRuleKind::kThrottledItems);
  ASSERT_NE(throttled, nullptr);
  EXPECT_EQ(throttled->keys[0].key, "b1");
  EXPECT_EQ(throttled->keys[0].value, 1u);
  EXPECT_TRUE(counts.drain().empty());
}

// Ten keys with most of the load among thousands of others are found, and nothing is claimed that they did not have.
TEST(KeyCountsTest, HotKeysAreFoundAmongManyOthers) {
  KeyCounts counts;
  for (int i = 0; i < 20'000; ++i) {
    counts.add_access("cold " + std::to_string(i), "", 2);
    if (i % 2 == 0) counts.add_access("hot " + std::to_string(i / 2 % 10), "", 2);
  }
  const auto summaries = counts.drain();
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].total, 60'000u);
  ASSERT_LE(summaries[0].keys.size(), KeyCounts::kReportedKeys);
  ASSERT_GE(summaries[0].keys.size(), 10u);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_TRUE(summaries[0].keys[i].key.starts_with("hot ")) << summaries[0].keys[i].key;
    EXPECT_LE(summaries[0].keys[i].value, 2'000u);
    EXPECT_GE(summaries[0].keys[i].value, 2'000u - 60'000u / KeyCounts::kMostKeys);
  }
  for (size_t i = 10; i < summaries[0].keys.size(); ++i) EXPECT_LE(summaries[0].keys[i].value, 2u);
}

}  // namespace
}  // namespace partita::throttle
