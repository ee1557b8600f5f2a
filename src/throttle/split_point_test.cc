#include "throttle/split_point.h"

#include <gtest/gtest.h>

#include <map>

#include "throttle/heat_testing.h"

namespace partita::throttle {
namespace {

// Seen exactly, by position.
Sketch::Seen seen_of(const std::map<std::string, uint64_t>& weights) {
  Sketch::Seen seen{.keys = {}, .total = 0, .samples = 1'000};
  for (const auto& [key, weight] : weights) {
    seen.keys.push_back({key, weight, 0});
    seen.total += weight;
  }
  return seen;
}

std::string collection_of(std::string_view partition_key) { return position_of(partition_key).substr(0, 8); }

std::string after_collection(std::string_view partition_key) {
  return before_hash(hash_of(position_of(partition_key)) + 1);
}

using Strings = std::vector<std::string>;

TEST(SplitPointTest, AHotKeyBecomesARangeOfItsOwn) {
  std::map<std::string, uint64_t> weights{{position_of("hot"), 100}};
  for (int i = 0; i < 20; ++i) weights[position_of(std::to_string(i))] = 4;
  for (const auto collections : {Collections::kSingleItems, Collections::kIndivisible, Collections::kDivisible}) {
    const SplitPoint point = split_point(seen_of(weights), "", "", collections, false);
    EXPECT_EQ(point.cuts, (Strings{collection_of("hot"), after_collection("hot")}));
    EXPECT_EQ(point.obstacle, Obstacle::kNone);
  }
  // Half is not most.
  weights[position_of("hot")] = 80;
  EXPECT_EQ(split_point(seen_of(weights), "", "", Collections::kSingleItems, false).cuts.size(), 1u);
}

TEST(SplitPointTest, OneItemAloneIsNotSplit) {
  const Sketch::Seen seen = seen_of({{position_of("hot"), 100}});
  const std::string low = collection_of("hot");
  const std::string high = after_collection("hot");
  EXPECT_EQ(split_point(seen, low, high, Collections::kSingleItems, false).obstacle, Obstacle::kSingleItem);
  const Sketch::Seen item = seen_of({{position_of("hot", "item"), 100}});
  // Other items of the collection may exist, although none was seen.
  const std::string key = position_of("hot", "item");
  EXPECT_EQ(split_point(item, low, high, Collections::kDivisible, false).cuts, (Strings{key, key + '\0'}));
  const SplitPoint alone = split_point(item, key, key + '\0', Collections::kDivisible, false);
  EXPECT_TRUE(alone.cuts.empty());
  EXPECT_EQ(alone.obstacle, Obstacle::kSingleItem);
}

TEST(SplitPointTest, AHotItemIsIsolatedInItsCollection) {
  std::map<std::string, uint64_t> weights;
  for (size_t i = 0; i < 20; ++i) weights[position_of("c", padded(i))] = 1;
  const std::string hot = position_of("c", padded(7));
  weights[hot] = 100;
  EXPECT_EQ(split_point(seen_of(weights), "", "", Collections::kDivisible, false).cuts,
            (Strings{collection_of("c"), hot, hot + '\0', after_collection("c")}));
  EXPECT_EQ(split_point(seen_of(weights), "", "", Collections::kIndivisible, false).cuts,
            (Strings{collection_of("c"), after_collection("c")}));
  EXPECT_EQ(split_point(seen_of(weights), "", "", Collections::kDivisible, true).cuts,
            (Strings{collection_of("c"), after_collection("c")}));
  const std::string low = collection_of("c");
  const std::string high = after_collection("c");
  EXPECT_EQ(split_point(seen_of(weights), low, high, Collections::kIndivisible, false).obstacle, Obstacle::kLocalIndex);
  EXPECT_EQ(split_point(seen_of(weights), low, high, Collections::kDivisible, true).obstacle, Obstacle::kMovingKeys);
}

TEST(SplitPointTest, AnEvenLoadIsSplitAtItsMedian) {
  std::map<std::string, uint64_t> weights;
  for (int i = 0; i < 40; ++i) weights[position_of(std::to_string(i))] = 5;
  const SplitPoint point = split_point(seen_of(weights), "", "", Collections::kSingleItems, false);
  ASSERT_EQ(point.cuts.size(), 1u);
  int below = 0;
  for (const auto& [key, weight] : weights) below += key < point.cuts[0] ? 1 : 0;
  EXPECT_EQ(below, 20);
  EXPECT_EQ(point.cuts[0].size(), 8u);
}

// Items of three collections. The second has the median.
TEST(SplitPointTest, WithLocalIndexesTheMedianIsBetweenCollections) {
  std::map<std::string, uint64_t> weights;
  std::map<uint64_t, std::string> by_hash;
  for (const std::string name : {"a", "b", "c"}) by_hash[hash_of(position_of(name))] = name;
  const std::string second = std::next(by_hash.begin())->second;
  for (const auto& [hash, name] : by_hash) {
    for (size_t i = 0; i < 10; ++i) weights[position_of(name, padded(i))] = name == second ? 8 : 5;
  }
  const SplitPoint whole = split_point(seen_of(weights), "", "", Collections::kIndivisible, false);
  ASSERT_EQ(whole.cuts.size(), 1u);
  EXPECT_EQ(whole.cuts[0].size(), 8u);
  const SplitPoint inside = split_point(seen_of(weights), "", "", Collections::kDivisible, false);
  ASSERT_EQ(inside.cuts.size(), 1u);
  EXPECT_EQ(inside.cuts[0], position_of(second, padded(5)));
}

TEST(SplitPointTest, LongKeysAreIsolatedByTheirBeginning) {
  const std::string hot = position_of("c", std::string(500, 'x')).substr(0, Sketch::kMostKeyBytes);
  const SplitPoint point = split_point(seen_of({{hot, 100}, {position_of("c", "a"), 1}}), collection_of("c"),
                                       after_collection("c"), Collections::kDivisible, false);
  ASSERT_EQ(point.cuts.size(), 2u);
  EXPECT_EQ(point.cuts[0], hot);
  EXPECT_GT(point.cuts[1], position_of("c", std::string(500, 'x')));
  EXPECT_LE(point.cuts[1].size(), PartitionMap::kMostBoundaryBytes);
}

TEST(SplitPointTest, AnErrorIsNoWeight) {
  Sketch::Seen seen = seen_of({{position_of("c", "a"), 90}, {position_of("c", "b"), 80}});
  seen.keys[0].error = 10;
  const SplitPoint point = split_point(seen, collection_of("c"), after_collection("c"), Collections::kDivisible, false);
  EXPECT_EQ(point.cuts, Strings{position_of("c", "b")});
  seen.samples = 15;
  EXPECT_EQ(split_point(seen, "", "", Collections::kDivisible, false).obstacle, Obstacle::kTooFewSamples);
  EXPECT_FALSE(quartiles_of(seen));
}

Quartiles window(std::string lower, std::string median, std::string upper) {
  return {7, std::move(lower), std::move(median), std::move(upper)};
}

TEST(DriftTest, KeysMoveIfTheMedianNeverGoesBackAndLeavesTheMiddle) {
  const auto moving = [](std::vector<Quartiles> windows) {
    Drift drift;
    for (Quartiles& one : windows) drift.add(std::move(one));
    return drift.moving();
  };
  EXPECT_FALSE(moving({}));
  EXPECT_FALSE(moving({window("a", "b", "c")}));
  EXPECT_TRUE(moving({window("a", "b", "c"), window("d", "e", "f")}));
  EXPECT_TRUE(moving({window("x", "y", "z"), window("r", "s", "t"), window("k", "l", "m")}));
  EXPECT_FALSE(moving({window("a", "b", "c"), window("b", "c", "d")}));
  EXPECT_FALSE(moving({window("a", "b", "c"), window("p", "q", "r"), window("d", "e", "f")}));
  EXPECT_FALSE(moving({window("b", "b", "b"), window("b", "b", "b"), window("b", "b", "b")}));
  Quartiles other = window("d", "e", "f");
  other.collection = 8;
  EXPECT_FALSE(moving({window("a", "b", "c"), other}));
}

TEST(SamplerTest, ChoosesOneInSixteenAndReplays) {
  Sampler sampler(7);
  Sampler same(7);
  Sampler other(8);
  int chosen = 0;
  int differences = 0;
  int of_one_phase = 0;
  for (int i = 0; i < 160'000; ++i) {
    const bool next = sampler.next();
    EXPECT_EQ(next, same.next());
    differences += next != other.next() ? 1 : 0;
    chosen += next ? 1 : 0;
    of_one_phase += next && i % 16 == 3 ? 1 : 0;
  }
  EXPECT_NEAR(chosen, 10'000, 300);
  EXPECT_NEAR(of_one_phase, 625, 125);
  EXPECT_GT(differences, 10'000);
}

}  // namespace
}  // namespace partita::throttle
