#include "throttle/partition_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "throttle/heat_testing.h"

namespace partita::throttle {
namespace {

constexpr int64_t kMapNowNs = 5'000'000'000;

size_t index_of(const PartitionMap& map, std::string_view position) {
  size_t index = 0;
  while (index + 1 < map.size() && map.at(index + 1).low() <= position) ++index;
  return index;
}

TEST(PartitionMapTest, WantsWhatDynamoDbWould) {
  EXPECT_EQ(wanted_partitions(0, 0, 0), 1);
  EXPECT_EQ(wanted_partitions(1'500, 500, 10LL << 30), 1);
  EXPECT_EQ(wanted_partitions(1'501, 500, 0), 2);
  EXPECT_EQ(wanted_partitions(3'001, 0, 0), 2);
  EXPECT_EQ(wanted_partitions(12'000, 4'000, 0), 8);
  EXPECT_EQ(wanted_partitions(0, 4'001, 0), 5);
  EXPECT_EQ(wanted_partitions(1, 1, (10LL << 30) + 1), 2);
  EXPECT_EQ(wanted_partitions(INT64_MAX, 0, 0), INT64_MAX / 3'000 + 1);
}

TEST(PartitionMapTest, BeginsWithEvenRanges) {
  for (const int64_t count : {1, 2, 3, 4, 7, 64, 128}) {
    const PartitionMap map(count, kMapNowNs);
    ASSERT_EQ(map.size(), static_cast<size_t>(count));
    for (size_t i = 0; i < map.size(); ++i) {
      const double width = place_of(map.high(i), 1) - place_of(map.at(i).low(), 0);
      EXPECT_NEAR(width * static_cast<double>(count), 1, 1e-9);
    }
  }
  EXPECT_EQ(PartitionMap(1'000'000, kMapNowNs).size(), PartitionMap::kMost);
  EXPECT_EQ(PartitionMap(0, kMapNowNs).size(), 1u);
}

TEST(PartitionMapTest, FindsWhatALinearSearchFinds) {
  SeededRandom random(1);
  for (int round = 0; round < 20; ++round) {
    PartitionMap map(static_cast<int64_t>(1 + random.below(9)), kMapNowNs);
    std::vector<std::string> positions;
    for (size_t i = 0; i < 400; ++i) {
      // A few collections with many items, so that boundaries share hashes.
      positions.push_back(position_of("p" + std::to_string(random.below(6)), padded(random.below(1'000))));
    }
    while (map.size() < PartitionMap::kMost) {
      const std::string cut = positions[random.below(positions.size())].substr(0, random.below(3) == 0 ? 8 : 128);
      const size_t index = index_of(map, cut);
      if (map.at(index).low() == cut) {
        positions.push_back(position_of(padded(random.next() % 100'000'000)));
        continue;
      }
      ASSERT_TRUE(map.split(index, {cut}));
    }
    for (const std::string& position : positions)
      ASSERT_EQ(&map.find(position), &map.at(index_of(map, position))) << round;
    for (size_t i = 1; i < map.size(); ++i) ASSERT_EQ(&map.find(map.at(i).low()), &map.at(i)) << round;
    for (const uint64_t hash : {uint64_t{0}, UINT64_MAX}) {
      ASSERT_EQ(&map.find(before_hash(hash)), &map.at(index_of(map, before_hash(hash))));
    }
  }
}

TEST(PartitionMapTest, PartsOfASplitShareItsDebt) {
  PartitionMap map(1, kMapNowNs);
  Partition& whole = map.at(0);
  while (whole.take(AccessKind::kWrite, 200, kMapNowNs) == 0) continue;
  const int64_t wait_ns = whole.take(AccessKind::kWrite, 2, kMapNowNs);
  ASSERT_GT(wait_ns, 0);
  ASSERT_TRUE(map.split(0, {before_hash(5), before_hash(6)}));
  EXPECT_EQ(&map.at(0), &whole);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(map.at(i).take(AccessKind::kWrite, 2, kMapNowNs), wait_ns);
  EXPECT_EQ(map.high(0), before_hash(5));
  EXPECT_EQ(map.high(2), "");
}

TEST(PartitionMapTest, GrowsUntilNoRangeIsWiderThanItsShare) {
  PartitionMap map(3, kMapNowNs);
  EXPECT_FALSE(map.grow(3));
  EXPECT_FALSE(map.grow(1));
  // A hot key alone: it takes no share.
  ASSERT_TRUE(map.split(1, {before_hash(UINT64_MAX / 2), before_hash(UINT64_MAX / 2 + 1)}));
  EXPECT_TRUE(map.grow(4));
  for (size_t i = 0; i < map.size(); ++i) {
    EXPECT_LE(place_of(map.high(i), 1) - place_of(map.at(i).low(), 0), 0.25 + 1e-9);
  }
  EXPECT_LE(map.size(), 9u);
  EXPECT_FALSE(map.grow(4));
  EXPECT_TRUE(map.grow(1'000'000));
  EXPECT_EQ(map.size(), PartitionMap::kMost);
  EXPECT_FALSE(map.split(0, {before_hash(1)}));
  EXPECT_EQ(map.size(), PartitionMap::kMost);
}

TEST(PartitionMapTest, ReadersSeeACompleteMapWhileItIsSplit) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    PartitionMap map(1, kMapNowNs);
    std::atomic<bool> done = false;
    std::atomic<uint64_t> wrong = 0;
    std::vector<std::jthread> readers;
    for (uint64_t reader = 0; reader < 2; ++reader) {
      readers.emplace_back([&, reader] {
        SeededRandom random(seed + reader);
        // By hash: where it was found last. A partition's range only loses its upper part.
        std::vector<std::string> lows(256);
        while (!done) {
          const uint64_t at = random.below(lows.size());
          const std::string position = before_hash(at << 56) + "x";
          const Partition& found = map.find(position);
          if (found.low() > position || found.low() < lows[at]) ++wrong;
          lows[at] = found.low();
        }
      });
    }
    SeededRandom random(seed + 100);
    while (map.size() < PartitionMap::kMost) {
      const std::string cut = before_hash(random.next());
      const size_t index = index_of(map, cut);
      if (map.at(index).low() < cut) static_cast<void>(map.split(index, {cut}));
      if (random.below(8) == 0) std::this_thread::yield();
    }
    done = true;
    readers.clear();
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace partita::throttle
