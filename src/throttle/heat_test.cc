#include "throttle/heat.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <deque>
#include <map>

#include "throttle/heat_testing.h"

namespace partita::throttle {
namespace {

constexpr uint64_t kSeeds[] = {1, 2, 3};
constexpr int64_t kSliceUnits = kPartitionWriteUnits * kPartitionSliceNs / 1'000'000'000;

struct Sums {
  uint64_t admitted = 0;
  uint64_t refused = 0;
};

// Of all loads but the first, which is the hot one.
Sums neighbours(const LoadDriver& driver) {
  Sums sums;
  for (size_t i = 1; i < driver.loads.size(); ++i) {
    sums.admitted += driver.loads[i].admitted;
    sums.refused += driver.loads[i].refused;
  }
  return sums;
}

Load writes(std::string position, double per_second) {
  Load load;
  load.position = std::move(position);
  load.per_second = per_second;
  return load;
}

// A key that is offered 5,000 writes a second, and 100 neighbours of its range with 5 each: before and after the split.
void prove_isolation(LoadDriver& driver) {
  driver.run(59);
  EXPECT_EQ(driver.changes, 0);
  EXPECT_GT(neighbours(driver).refused, neighbours(driver).admitted);
  driver.run(6);
  EXPECT_EQ(driver.changes, 1);
  driver.run(2);  // the debt that the parts share
  driver.forget_counts();
  driver.run(200);
  EXPECT_EQ(neighbours(driver).refused, 0u);
  EXPECT_EQ(neighbours(driver).admitted, 100u * 5 * 200);
  EXPECT_NEAR(static_cast<double>(driver.loads[0].admitted), 200 * kPartitionWriteUnits, kSliceUnits);
  EXPECT_EQ(driver.changes, 1);  // one item alone is not split again
  Obstacle obstacle = Obstacle::kNone;
  for (const HeatRange& range : driver.heat.report().ranges) {
    if (range.obstacle == Obstacle::kNone) continue;
    EXPECT_EQ(obstacle, Obstacle::kNone);
    obstacle = range.obstacle;
    EXPECT_EQ(range.hottest, driver.loads[0].position);
    EXPECT_NEAR(range.rates.write_units, 1'000, 20);
    EXPECT_NEAR(range.rates.refusals, 4'000, 80);
    EXPECT_NEAR(range.load, 1, 0.02);
  }
  EXPECT_EQ(obstacle, Obstacle::kSingleItem);
}

TEST(HeatTest, AHotKeyDoesNotHarmItsNeighbours) {
  for (const uint64_t seed : kSeeds) {
    for (const int64_t partitions : {1, 4}) {
      LoadDriver driver(Collections::kSingleItems, partitions, seed);
      driver.loads.push_back(writes(position_of("hot"), 5'000));
      const std::string hot = driver.loads[0].position;
      // In the same range.
      for (int i = 0; driver.loads.size() <= 100; ++i) {
        const std::string position = position_of(std::to_string(i));
        if (hash_of(position) >> 62 == hash_of(hot) >> 62) driver.loads.push_back(writes(position, 5));
      }
      prove_isolation(driver);
      EXPECT_EQ(driver.heat.report().ranges.size(), static_cast<size_t>(partitions) + 2);
    }
  }
}

TEST(HeatTest, AHotItemDoesNotHarmItsCollection) {
  for (const uint64_t seed : kSeeds) {
    LoadDriver driver(Collections::kDivisible, 1, seed);
    driver.loads.push_back(writes(position_of("c", padded(50)), 5'000));
    for (size_t i = 0; i <= 100; ++i) {
      if (i != 50) driver.loads.push_back(writes(position_of("c", padded(i)), 5));
    }
    prove_isolation(driver);
  }
}

TEST(HeatTest, ACollectionWithLocalIndexesIsOneRange) {
  LoadDriver driver(Collections::kIndivisible, 1, 1);
  driver.loads.push_back(writes(position_of("c", padded(50)), 5'000));
  for (size_t i = 0; i < 50; ++i) driver.loads.push_back(writes(position_of("c", padded(i)), 5));
  for (size_t i = 0; i < 50; ++i) driver.loads.push_back(writes(position_of("p" + std::to_string(i)), 5));
  driver.run(300);
  const HeatReport report = driver.heat.report();
  ASSERT_EQ(report.ranges.size(), 3u);
  EXPECT_EQ(report.ranges[1].low, position_of("c").substr(0, 8));
  EXPECT_EQ(report.ranges[1].obstacle, Obstacle::kLocalIndex);
  // Other collections are no longer refused.
  driver.forget_counts();
  driver.run(30);
  for (size_t i = 1; i < driver.loads.size(); ++i) {
    const bool inside = hash_of(driver.loads[i].position) == hash_of(position_of("c"));
    EXPECT_EQ(driver.loads[i].refused > 0, inside) << i;
  }
}

// As events are written: each item once, with a sort key above all before it, or below.
TEST(HeatTest, MovingSortKeysAreNotSplit) {
  for (const bool rising : {true, false}) {
    LoadDriver driver(Collections::kDivisible, 1, 1);
    driver.loads.push_back(writes("", 3'000));
    size_t next = 5'000'000;
    const auto move = [&](const Load&, const Heat::Taken&) {
      driver.loads[0].position = position_of("events", padded(rising ? next++ : next--));
    };
    move({}, {});
    driver.run(300, move, [] {});
    const HeatReport report = driver.heat.report();
    ASSERT_EQ(report.ranges.size(), 3u);  // the collection alone
    EXPECT_EQ(report.ranges[1].obstacle, Obstacle::kMovingKeys);
  }
}

TEST(HeatTest, AWideCollectionIsSplitUntilItIsServed) {
  for (const uint64_t seed : kSeeds) {
    LoadDriver driver(Collections::kDivisible, 1, seed);
    for (size_t i = 0; i < 400; ++i) driver.loads.push_back(writes(position_of("c", padded(i)), 10));
    driver.run(400);
    driver.forget_counts();
    driver.run(30);
    for (const Load& load : driver.loads) EXPECT_EQ(load.refused, 0u);
    EXPECT_LE(driver.heat.report().ranges.size(), 12u);
  }
}

// Items that cannot be split further keep no sketch from a partition that can.
TEST(HeatTest, PartitionsThatCanBeSplitHaveSketchesFirst) {
  LoadDriver driver(Collections::kSingleItems, 8, 1);
  std::map<uint64_t, std::vector<std::string>> by_range;
  for (int i = 0; i < 400; ++i) {
    const std::string position = position_of(std::to_string(i));
    by_range[hash_of(position) >> 61].push_back(position);
  }
  for (uint64_t range = 0; range < 5; ++range) driver.loads.push_back(writes(by_range[range].front(), 3'000));
  driver.run(300);
  const size_t before = driver.heat.report().ranges.size();
  EXPECT_EQ(before, 8u + 5 * 2);
  for (size_t i = 0; i < 10; ++i) driver.loads.push_back(writes(by_range[7][i], 300));
  driver.run(70);
  EXPECT_EQ(driver.heat.report().ranges.size(), before + 1);
}

// Writes to many items whose index entries share one key: the index refuses them. What the table's partitions had given
// is given back.
TEST(HeatTest, AHotIndexKeyRefusesWritesOfTheTableAndHarmsNoOther) {
  ManualClock clock(1'000'000);
  Heat table(Collections::kSingleItems, 8, clock.monotonic_ns());
  Heat index(Collections::kDivisible, 1, clock.monotonic_ns());
  Sampler sampler(1);
  const std::string hot = position_of("hot");
  uint64_t admitted = 0;
  Sums hot_writes;
  Sums others;
  Sums readers;
  const auto write = [&](const std::string& item, const std::string& entry, Sums& sums) {
    const int64_t now_ns = clock.monotonic_ns();
    const Heat::Taken base = table.take(item, AccessKind::kWrite, 2, now_ns, sampler);
    ASSERT_EQ(base.wait_ns, 0);
    const Heat::Taken behind = index.take(entry, AccessKind::kWrite, 2, now_ns, sampler);
    if (behind.wait_ns != 0) Heat::settle(*base.partition, item, AccessKind::kWrite, -2, sampler);
    admitted += behind.wait_ns == 0 ? 1 : 0;
    ++(behind.wait_ns == 0 ? sums.admitted : sums.refused);
  };
  for (int64_t ms = 0; ms < 120'000; ++ms) {
    if (ms == 90'000) hot_writes = others = readers = {};
    const std::string key = std::to_string(ms % 100);
    for (int64_t i = 0; i < 5; ++i) write(position_of(std::to_string(ms * 5 + i)), hot + key, hot_writes);
    if (ms % 10 == 0) write(position_of(key), position_of("other" + key) + key, others);
    const Heat::Taken read =
        index.take(position_of("other" + key), AccessKind::kRead, 1, clock.monotonic_ns(), sampler);
    ++(read.wait_ns == 0 ? readers.admitted : readers.refused);
    clock.advance_ms(1);
    if (ms % 1'000 == 0) static_cast<void>(index.review(clock.monotonic_ns()));
  }
  // The key's items are spread over the collection, which is divided: each part serves 1,000 a second.
  EXPECT_GT(hot_writes.refused, 0u);
  EXPECT_GT(hot_writes.admitted, 29'000u);
  EXPECT_EQ(others.refused, 0u);
  EXPECT_EQ(others.admitted, 3'000u);
  EXPECT_EQ(readers.refused, 0u);
  int64_t consumed = 0;
  for (size_t i = 0; i < 8; ++i) {
    const std::string position = before_hash(i << 61) + "x";
    consumed += table.take(position, AccessKind::kRead, 0, clock.monotonic_ns(), sampler)
                    .partition->consumed(AccessKind::kWrite);
  }
  EXPECT_EQ(consumed, static_cast<int64_t>(2 * admitted));
}

TEST(HeatTest, ASketchCountsItsPartitionAlone) {
  const Partition one("", {});
  const Partition other(before_hash(7), {});
  Sampler sampler(1);
  Sketch sketch;
  sketch.restart(&one);
  for (int i = 0; i < 1'600; ++i) {
    sketch.feed(one, position_of("a"), 6, sampler);
    sketch.feed(one, position_of("b"), 2, sampler);
    sketch.feed(other, position_of("c"), 6, sampler);
  }
  sketch.feed(one, position_of("large"), 600, sampler);
  sketch.feed(one, position_of("free"), 0, sampler);
  const Sketch::Seen seen = sketch.seen();
  ASSERT_EQ(seen.keys.size(), 3u);
  uint64_t largest = 0;
  for (const HeavyKeys::Count& count : seen.keys) {
    if (count.key == position_of("large")) largest = count.weight;
  }
  EXPECT_EQ(largest, 600u);
  EXPECT_NEAR(static_cast<double>(seen.total), 1'600 * 8 + 600, 1'600);
  EXPECT_NEAR(static_cast<double>(seen.samples), 200, 40);
  sketch.restart(&other);
  EXPECT_EQ(sketch.seen().samples, 0u);
}

TEST(HeatTest, OnlyAMinuteOfRefusalsSplits) {
  LoadDriver driver(Collections::kSingleItems, 1, 1);
  for (int i = 0; i < 50; ++i) driver.loads.push_back(writes(position_of(std::to_string(i)), 40));
  for (int minute = 0; minute < 5; ++minute) {
    driver.run(40);
    EXPECT_EQ(driver.heat.report().ranges[0].obstacle, Obstacle::kTooEarly);
    for (Load& load : driver.loads) load.per_second = 1;
    driver.run(20);
    EXPECT_EQ(driver.heat.report().ranges[0].obstacle, Obstacle::kNone);
    for (Load& load : driver.loads) load.per_second = 40;
  }
  EXPECT_EQ(driver.changes, 0);
  driver.run(70);
  EXPECT_EQ(driver.changes, 1);
}

TEST(HeatTest, ReadsAndWritesHaveLimitsOfTheirOwn) {
  ManualClock clock(1'000'000);
  Partition partition("", Partition::due_at(clock.monotonic_ns()));
  int64_t reads = 0;
  int64_t writes_done = 0;
  for (int i = 0; i < 10'000; ++i) {
    clock.advance_ms(1);
    for (int j = 0; j < 9; ++j) reads += partition.take(AccessKind::kRead, 1, clock.monotonic_ns()) == 0 ? 1 : 0;
    for (int j = 0; j < 3; ++j) writes_done += partition.take(AccessKind::kWrite, 2, clock.monotonic_ns()) == 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(reads), 10 * 2 * kPartitionReadUnits, 6);
  EXPECT_NEAR(static_cast<double>(writes_done), 10 * kPartitionWriteUnits, 2);
  EXPECT_EQ(partition.consumed(AccessKind::kRead), reads);
  EXPECT_EQ(partition.consumed(AccessKind::kWrite), 2 * writes_done);
  EXPECT_EQ(partition.refused(), static_cast<uint64_t>(120'000 - reads - writes_done));
}

TEST(HeatTest, ARefusalSaysWhenAnAccessIsAdmitted) {
  ManualClock clock(1'000'000);
  Partition partition("", Partition::due_at(clock.monotonic_ns() - kPartitionSliceNs));
  EXPECT_EQ(partition.take(AccessKind::kWrite, 2 * 1'400, clock.monotonic_ns()), 0);  // once, beyond what there is
  const int64_t wait_ns = partition.take(AccessKind::kWrite, 1, clock.monotonic_ns());
  EXPECT_NEAR(static_cast<double>(wait_ns), 400e6, 10);
  EXPECT_EQ(partition.look(AccessKind::kRead, clock.monotonic_ns()), 0);
  EXPECT_NE(partition.look(AccessKind::kWrite, clock.monotonic_ns()), 0);
  EXPECT_NE(partition.take(AccessKind::kWrite, 1, clock.monotonic_ns() + wait_ns - 2), 0);
  EXPECT_EQ(partition.take(AccessKind::kWrite, 1, clock.monotonic_ns() + wait_ns), 0);
  // What is not known before is paid afterwards, and what is given back is there again.
  clock.advance_ms(10'000);
  EXPECT_EQ(partition.take(AccessKind::kRead, 1, clock.monotonic_ns()), 0);
  partition.settle(AccessKind::kRead, 5'999 + 600);
  EXPECT_NEAR(static_cast<double>(partition.take(AccessKind::kRead, 1, clock.monotonic_ns())), 100e6, 10);
  partition.settle(AccessKind::kRead, -600);
  EXPECT_EQ(partition.take(AccessKind::kRead, 1, clock.monotonic_ns()), 0);
}

TEST(HeatTest, SettledCostsAreSeenToo) {
  ManualClock clock(1'000'000);
  Heat heat(Collections::kSingleItems, 1, clock.monotonic_ns());
  Sampler sampler(1);
  const std::string big = position_of("big");
  const std::string small = position_of("small");
  for (int second = 0; second < 90; ++second) {
    for (int i = 0; i < 200; ++i) {
      clock.advance_ms(5);
      const int64_t now_ns = clock.monotonic_ns();
      const Heat::Taken one = heat.take(big, AccessKind::kRead, 1, now_ns, sampler);
      if (one.wait_ns == 0) Heat::settle(*one.partition, big, AccessKind::kRead, 250, sampler);
      heat.take(small, AccessKind::kRead, 2, now_ns, sampler);
    }
    static_cast<void>(heat.review(clock.monotonic_ns()));
  }
  EXPECT_EQ(heat.report().ranges.size(), 3u);
  EXPECT_EQ(heat.take(big, AccessKind::kRead, 1, clock.monotonic_ns(), sampler).partition->low(), big.substr(0, 8));
}

TEST(HeatTest, ASeedReplays) {
  const auto run = [](uint64_t seed) {
    LoadDriver driver(Collections::kDivisible, 2, seed);
    for (size_t i = 0; i < 300; ++i) {
      driver.loads.push_back(
          writes(position_of("p" + std::to_string(i % 7), padded(i)), 3 + static_cast<double>(i % 40)));
    }
    driver.run(200);
    std::string outcome;
    for (const HeatRange& range : driver.heat.report().ranges) outcome += range.low + " ";
    for (const Load& load : driver.loads) outcome += " " + std::to_string(load.admitted);
    return outcome;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

// Random loads that change each minute, on random tables.
class RandomLoads {
 public:
  explicit RandomLoads(uint64_t seed)
      : random_(seed), driver_(collections_of(seed), 1 + static_cast<int64_t>(seed % 3), seed) {}

  void run() {
    for (int minute = 0; minute < 5; ++minute) {
      change_loads();
      driver_.run(
          60, [this](const Load& load, const Heat::Taken& taken) { note(load, taken); }, [this] { end_step(); });
      check_tiling();
    }
    int64_t consumed = 0;
    for (const auto& [admitting, weights] : recent_) {
      const auto& [partition, kind] = admitting;
      consumed += weight_of(kind, partition->consumed(kind));
    }
    EXPECT_EQ(consumed, admitted_);
  }
  int changes() const { return driver_.changes; }

 private:
  // The last second of something, by step.
  struct Recent {
    std::deque<int64_t> steps;
    int64_t now = 0;
    int64_t sum = 0;
  };

  static Collections collections_of(uint64_t seed) { return static_cast<Collections>(seed % 3); }

  void change_loads() {
    driver_.loads.clear();
    const size_t keys = 1 + random_.below(120);
    for (size_t i = 0; i < keys; ++i) {
      const size_t at = random_.below(30);
      const bool single = random_.below(2) == 0 || driver_.loads.empty();
      Load load;
      load.position =
          single ? position_of(padded(random_.below(40))) : position_of("c" + std::to_string(at % 3), padded(at));
      load.kind = random_.below(2) == 0 ? AccessKind::kRead : AccessKind::kWrite;
      load.half_units = 1 + static_cast<int64_t>(random_.below(random_.below(10) == 0 ? 300 : 4));
      load.per_second = static_cast<double>(random_.below(random_.below(20) == 0 ? 3'000 : 60));
      driver_.loads.push_back(load);
    }
  }

  void note(const Load& load, const Heat::Taken& taken) {
    if (taken.wait_ns != 0) return;
    const int64_t weight = weight_of(load.kind, load.half_units);
    admitted_ += weight;
    largest_ = std::max(largest_, weight);
    recent_[{taken.partition, load.kind}].now += weight;
    items_[{load.position, load.kind}].now += weight;
  }

  // In no second does a partition admit more reads or writes than its limit, one slice, and the last access; nor does
  // an item, whose partition may have been split meanwhile.
  void end_step() {
    const int64_t most = kWeightPerSecond + kWeightPerSecond * kPartitionSliceNs / 1'000'000'000 + largest_;
    const auto end = [&](Recent& recent) {
      recent.steps.push_back(recent.now);
      recent.sum += std::exchange(recent.now, 0);
      if (recent.steps.size() > 1'000 / LoadDriver::kStepMs) {
        recent.sum -= recent.steps.front();
        recent.steps.pop_front();
      }
      ASSERT_LE(recent.sum, most);
    };
    for (auto& [partition, recent] : recent_) end(recent);
    for (auto& [position, recent] : items_) end(recent);
  }

  void check_tiling() {
    const HeatReport report = driver_.heat.report();
    EXPECT_EQ(report.ranges.front().low, "");
    EXPECT_EQ(report.ranges.back().high, "");
    for (size_t i = 1; i < report.ranges.size(); ++i) {
      ASSERT_LT(report.ranges[i - 1].low, report.ranges[i].low);
      ASSERT_EQ(report.ranges[i - 1].high, report.ranges[i].low);
    }
    for (const auto& [item, recent] : items_) {
      const std::string& position = item.first;
      size_t holding = 0;
      std::string low;
      for (const HeatRange& range : report.ranges) {
        if (position < range.low || (!range.high.empty() && position >= range.high)) continue;
        ++holding;
        low = range.low;
      }
      ASSERT_EQ(holding, 1u);
      Sampler sampler(1);
      // An access that costs nothing.
      EXPECT_EQ(
          driver_.heat.take(position, AccessKind::kRead, 0, driver_.clock.monotonic_ns(), sampler).partition->low(),
          low);
    }
    EXPECT_LE(driver_.heat.bytes(), Heat::kMostBytes);
  }

  SeededRandom random_;
  LoadDriver driver_;
  std::map<std::pair<const Partition*, AccessKind>, Recent> recent_;
  std::map<std::pair<std::string, AccessKind>, Recent> items_;
  int64_t admitted_ = 0;
  int64_t largest_ = 0;
};

TEST(HeatTest, RandomLoadsKeepTheLimits) {
  int changes = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    RandomLoads loads(seed);
    loads.run();
    changes += loads.changes();
  }
  EXPECT_GT(changes, 12);
}

// With the longest keys, all sketches in use, and as many partitions as there may be.
TEST(HeatTest, MemoryIsBounded) {
  const size_t before = mallinfo2().uordblks;
  ManualClock clock(1'000'000);
  const auto heat = std::make_unique<Heat>(Collections::kDivisible, 3, clock.monotonic_ns());
  Sampler sampler(1);
  size_t most = 0;
  for (size_t round = 0; round < 1'500; ++round) {
    clock.advance_ms(1'000);
    for (size_t i = 0; i < 300; ++i) {
      const std::string position = position_of(std::string(100, 'p') + std::to_string(i % 5),
                                               padded(i * 7'919 % 10'000) + std::string(300, 's'));
      for (int j = 0; j < 8; ++j) heat->take(position, AccessKind::kWrite, 200, clock.monotonic_ns(), sampler);
    }
    static_cast<void>(heat->review(clock.monotonic_ns()));
    most = std::max(most, mallinfo2().uordblks - before);
    ASSERT_LE(heat->bytes(), Heat::kMostBytes);
  }
  EXPECT_LE(most, heat->bytes());
  EXPECT_GT(heat->report().ranges.size(), 20u);
  heat->grow(1'000);
  EXPECT_EQ(heat->report().ranges.size(), PartitionMap::kMost);
  EXPECT_LE(heat->bytes(), Heat::kMostBytes);
  EXPECT_LE(mallinfo2().uordblks - before, Heat::kMostBytes);
}

TEST(HeatTest, TellsPeople) {
  HeatReport report;
  HeatRange range;
  range.high = before_hash(uint64_t{1} << 63);
  range.rates = {.read_units = 12.25, .write_units = 1'000, .refusals = 4'000};
  range.load = 1.004;
  range.hottest = "k";
  range.hottest_share = 0.97;
  range.obstacle = Obstacle::kSingleItem;
  report.ranges.push_back(range);
  range = {};
  range.low = before_hash(uint64_t{1} << 63);
  range.load = 0.25;
  report.ranges.push_back(range);
  const auto key_text = [](std::string_view position) { return "<" + std::string(position) + ">"; };
  EXPECT_EQ(describe(report, "Votes", key_text),
            "Votes: 2 partitions\n"
            "      hashes in %      reads/s  writes/s   load             refused/s  hottest key\n"
            "   0.0000 -  50.0000       12.2    1000.0   100% ##########     4000.0  <k> (97%)\n"
            "    not split: it holds one hot item alone\n"
            "  50.0000 - 100.0000        0.0       0.0    25% ###               0.0\n");
  for (int i = 1; i <= static_cast<int>(Obstacle::kFull); ++i) {
    EXPECT_FALSE(name_of(static_cast<Obstacle>(i)).empty());
    EXPECT_FALSE(text_of(static_cast<Obstacle>(i)).empty());
  }
}

}  // namespace
}  // namespace partita::throttle
