#include "throttle/hot_keys.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace partita::throttle {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

TEST(HeavyKeysTest, AreExactWhileThereIsRoom) {
  HeavyKeys keys(4);
  for (int i = 0; i < 10; ++i) keys.add("b", 3);
  keys.add("a", 5);
  keys.add("c", 1);
  EXPECT_EQ(keys.total(), 36u);
  EXPECT_EQ(keys.least(), 0u);
  EXPECT_EQ(keys.find("b")->weight, 30u);
  EXPECT_EQ(keys.find("b")->error, 0u);
  EXPECT_EQ(keys.find("c")->weight, 1u);
  EXPECT_FALSE(keys.find("d"));
  keys.clear();
  EXPECT_EQ(keys.total(), 0u);
  EXPECT_FALSE(keys.find("b"));
}

// Against exact counts, with few hot keys among many cold ones, and with none.
TEST(HeavyKeysTest, KeepTheirBounds) {
  for (const uint32_t seed : {1u, 2u, 3u, 4u, 5u}) {
    std::mt19937 random(seed);
    constexpr size_t kMost = 20;
    HeavyKeys keys(kMost);
    std::map<std::string, uint64_t> exact;
    for (int i = 0; i < 20'000; ++i) {
      const bool hot = random() % 10 < seed - 1;
      const std::string key = std::to_string(hot ? random() % 5 : random() % 5'000);
      const uint64_t weight = 1 + random() % 9;
      keys.add(key, weight);
      exact[key] += weight;
    }
    ASSERT_EQ(keys.counts().size(), kMost);
    uint64_t sum = 0;
    for (const auto& count : keys.counts()) {
      sum += count.weight;
      EXPECT_GE(count.weight, exact[count.key]) << seed;
      EXPECT_LE(count.weight - count.error, exact[count.key]) << seed;
      EXPECT_GE(count.weight, keys.least()) << seed;
      EXPECT_LE(count.error, keys.total() / kMost) << seed;
      EXPECT_EQ(keys.find(count.key).value().weight, count.weight) << seed;
    }
    EXPECT_EQ(sum, keys.total()) << seed;
    for (const auto& [key, weight] : exact) {
      if (weight > keys.total() / kMost) {
        EXPECT_TRUE(keys.find(key)) << seed << " " << key;
      } else if (!keys.find(key)) {
        EXPECT_LE(weight, keys.least()) << seed << " " << key;
      }
    }
  }
}

TEST(HotKeysTest, TellTheHeaviestFirst) {
  HotKeys keys(0);
  for (int i = 0; i < 100; ++i) keys.add("key " + std::to_string(i), static_cast<uint64_t>(i), kSecondNs);
  const HotKeys::Top top = keys.top(3, 2 * kSecondNs);
  EXPECT_EQ(top.window_ns, 2 * kSecondNs);
  EXPECT_EQ(top.total, 4'950u);
  ASSERT_EQ(top.keys.size(), 3u);
  EXPECT_EQ(top.keys[0].key, "key 99");
  EXPECT_EQ(top.keys[0].weight, 99u);
  EXPECT_EQ(top.keys[2].key, "key 97");
}

TEST(HotKeysTest, ForgetWhatIsOld) {
  HotKeys keys(0);
  const auto weight_of = [&](const std::string& key, int64_t now_ns) -> uint64_t {
    for (const auto& count : keys.top(100, now_ns).keys) {
      if (count.key == key) return count.weight;
    }
    return 0;
  };
  keys.add("old", 7, kSecondNs);
  EXPECT_EQ(weight_of("old", 29 * kSecondNs), 7u);
  keys.add("old", 1, 31 * kSecondNs);
  keys.add("new", 2, 31 * kSecondNs);
  EXPECT_EQ(weight_of("old", 32 * kSecondNs), 8u);
  EXPECT_EQ(keys.top(1, 32 * kSecondNs).window_ns, 32 * kSecondNs);
  EXPECT_EQ(weight_of("old", 62 * kSecondNs), 1u);
  EXPECT_EQ(keys.top(1, 62 * kSecondNs).window_ns, 31 * kSecondNs);
  EXPECT_EQ(weight_of("new", 92 * kSecondNs), 0u);
  // Without a request in between.
  keys.add("new", 2, 100 * kSecondNs);
  EXPECT_EQ(weight_of("new", 101 * kSecondNs), 2u);
  EXPECT_EQ(weight_of("new", 160 * kSecondNs), 0u);
  EXPECT_EQ(keys.top(1, 160 * kSecondNs).total, 0u);
}

// A key that only one half of the window still counts.
TEST(HotKeysTest, BoundWhatAHalfHasForgotten) {
  HotKeys keys(0);
  keys.add("hot", 1'000, kSecondNs);
  keys.add("risen", 1, kSecondNs);
  for (size_t i = 0; i < 2 * HotKeys::kMostKeys; ++i) keys.add("first " + std::to_string(i), 2, kSecondNs);
  static_cast<void>(keys.top(1, 30 * kSecondNs));
  keys.add("risen", 900, 31 * kSecondNs);
  for (size_t i = 0; i < 2 * HotKeys::kMostKeys; ++i) keys.add("second " + std::to_string(i), 3, 31 * kSecondNs);
  const HotKeys::Top top = keys.top(2, 32 * kSecondNs);
  ASSERT_EQ(top.keys.size(), 2u);
  EXPECT_EQ(top.keys[1].key, "risen");
  EXPECT_GE(top.keys[1].weight, 901u);
  EXPECT_LE(top.keys[1].weight - top.keys[1].error, 901u);
  EXPECT_EQ(top.keys[0].key, "hot");
  EXPECT_GE(top.keys[0].weight, 1'000u);
  EXPECT_LE(top.keys[0].weight - top.keys[0].error, 1'000u);
  EXPECT_GT(top.keys[0].error, 0u);
}

TEST(HotKeysTest, CountOnlyWhileSomebodyAsks) {
  HotKeys keys(0);
  EXPECT_TRUE(keys.add("key", 1, 59 * kSecondNs));
  static_cast<void>(keys.top(1, 59 * kSecondNs));
  EXPECT_EQ(keys.asked_ns(), 59 * kSecondNs);
  EXPECT_TRUE(keys.add("key", 1, 118 * kSecondNs));
  EXPECT_FALSE(keys.add("key", 1, 119 * kSecondNs));
  EXPECT_EQ(keys.top(1, 119 * kSecondNs).keys.size(), 1u);
}

}  // namespace
}  // namespace partita::throttle
