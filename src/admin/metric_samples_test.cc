#include "admin/metric_samples.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "base/meter.h"

namespace partita::admin {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

// Counts like a server.
struct Counts {
  Timing gets;
  Timing puts;
  uint64_t errors = 0;
  uint64_t throttled = 0;
  api::Capacity consumed;
  CoarseTiming table_times;

  ops::RequestTotals totals() const {
    ops::RequestTotals totals;
    if (gets.totals().count() > 0) totals.operations.push_back({"GetItem", gets.totals(), errors, throttled});
    if (puts.totals().count() > 0) totals.operations.push_back({"PutItem", puts.totals(), 0, 0});
    totals.tables.push_back({"", "music", table_times.totals(), consumed, throttled});
    totals.tables.push_back({"ann", "music", {}, {}, 0});
    return totals;
  }
};

TEST(Quantile, IsWithinItsBucket) {
  Timing timing;
  for (int i = 0; i < 90; ++i) timing.add(20'000);   // 16,384 to 32,768 ns
  for (int i = 0; i < 10; ++i) timing.add(900'000);  // 524,288 to 1,048,576 ns
  EXPECT_NEAR(quantile_ms(timing.totals(), 0.5), 0.016384 * (1 + 50.0 / 90), 1e-9);
  EXPECT_DOUBLE_EQ(quantile_ms(timing.totals(), 0.9), 0.032768);
  EXPECT_NEAR(quantile_ms(timing.totals(), 0.99), 0.524288 * 1.9, 1e-9);
  CoarseTiming coarse;
  coarse.add(20'000);  // 16,384 to 65,536 ns
  EXPECT_DOUBLE_EQ(quantile_ms(coarse.totals(), 1), 0.065536);
  Timing slow;
  slow.add(uint64_t{60} * kSecondNs);
  EXPECT_NEAR(quantile_ms(slow.totals(), 0.5), 17'179.869, 0.001);  // at least
  Timing quick;
  quick.add(1);
  EXPECT_DOUBLE_EQ(quantile_ms(quick.totals(), 1), 0.016384);
}

TEST(MetricRing, TellsWhatHappenedInBetween) {
  Counts counts;
  counts.gets.add(20'000);
  counts.consumed = {.read = 7, .write = 0};
  MetricRing ring;
  ring.begin(counts.totals(), kSecondNs);
  EXPECT_TRUE(ring.since(0).empty());

  for (int i = 0; i < 3; ++i) counts.gets.add(20'000);
  counts.puts.add(900'000);
  counts.table_times.add(20'000);
  counts.errors = 2;
  counts.throttled = 1;
  counts.consumed = {.read = 10, .write = 4};
  ring.add(counts.totals(), 3 * kSecondNs, 5'000);
  ring.add(counts.totals(), 4 * kSecondNs, 6'000);

  const MetricRing::Samples samples = ring.since(0);
  ASSERT_EQ(samples.size(), 2u);
  const MetricSample& first = *samples[0];
  EXPECT_EQ(first.time_ms, 5'000);
  EXPECT_DOUBLE_EQ(first.seconds, 2);
  EXPECT_EQ(first.all.count, 4u);
  EXPECT_EQ(first.all.errors, 2u);
  EXPECT_EQ(first.all.throttled, 1u);
  EXPECT_EQ(first.latency.count(), 4u);
  EXPECT_NEAR(first.all.p99_ms, 0.524288 * 1.96, 1e-9);
  ASSERT_EQ(first.operations.size(), 2u);
  EXPECT_EQ(first.operations[0].name, "GetItem");
  EXPECT_EQ(first.operations[0].requests.count, 3u);
  EXPECT_EQ(first.operations[1].requests.count, 1u);
  EXPECT_EQ(first.operations[1].requests.errors, 0u);
  ASSERT_EQ(first.tables.size(), 1u) << "the other one did nothing";
  EXPECT_EQ(first.tables[0].name, "music");
  EXPECT_EQ(first.tables[0].space, "");
  EXPECT_EQ(first.tables[0].requests.count, 1u);
  EXPECT_EQ(first.tables[0].consumed.read, 3);
  EXPECT_EQ(first.tables[0].consumed.write, 4);

  const MetricSample& idle = *samples[1];
  EXPECT_DOUBLE_EQ(idle.seconds, 1);
  EXPECT_EQ(idle.all.count, 0u);
  EXPECT_TRUE(idle.operations.empty());
  EXPECT_TRUE(idle.tables.empty());
}

TEST(MetricRing, TakesATableThatCountsLessForANewOne) {
  Counts old;
  old.consumed = {.read = 100, .write = 100};
  for (int i = 0; i < 5; ++i) old.table_times.add(20'000);
  MetricRing ring;
  ring.begin(old.totals(), 0);
  Counts young;
  young.consumed = {.read = 6, .write = 2};
  young.table_times.add(20'000);
  ring.add(young.totals(), kSecondNs, 1);
  ASSERT_EQ(ring.since(0).size(), 1u);
  const MetricSample sample = *ring.since(0)[0];
  ASSERT_EQ(sample.tables.size(), 1u);
  EXPECT_EQ(sample.tables[0].consumed.read, 6);
  EXPECT_EQ(sample.tables[0].consumed.write, 2);
  EXPECT_EQ(sample.tables[0].requests.count, 1u);
}

TEST(MetricRing, KeepsTheLastTenMinutes) {
  MetricRing ring;
  ring.begin({}, 0);
  for (int64_t i = 1; i <= 700; ++i) ring.add({}, i * kSecondNs, i * 1'000);
  EXPECT_EQ(ring.since(0).size(), MetricRing::kMost);
  EXPECT_EQ(ring.since(0).front()->time_ms, 101'000);
  EXPECT_EQ(ring.since(699'000).size(), 1u);
  EXPECT_EQ(ring.since(699'999).size(), 1u);
  EXPECT_TRUE(ring.since(700'000).empty());
  // The system's clock was set back: times still grow, so that no sample is missed.
  ring.add({}, 701 * kSecondNs, 5'000);
  ASSERT_EQ(ring.since(700'000).size(), 1u);
  EXPECT_EQ(ring.since(700'000)[0]->time_ms, 700'001);
  ring.clear();
  EXPECT_TRUE(ring.since(0).empty());
}

TEST(MetricRing, NamesTheTablesWithTheMostUnits) {
  MetricRing ring;
  ring.begin({}, 0);
  ops::RequestTotals totals;
  for (int i = 0; i < 300; ++i) totals.tables.push_back({"", "t" + std::to_string(i), {}, {.read = i, .write = 1}, 0});
  ring.add(std::move(totals), kSecondNs, 1'000);
  const auto& tables = ring.since(0)[0]->tables;
  ASSERT_EQ(tables.size(), 100u);
  EXPECT_EQ(tables.front().name, "t299");
  EXPECT_EQ(tables.back().name, "t200");
}

// Waits for up to a minute.
template <class Holds>
bool comes_true(Holds holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TEST(MetricSampler, RunsWhileSomebodyAsks) {
  ManualClock clock(1'000'000);
  std::atomic<int> taken{0};
  MetricSampler sampler(
      [&] {
        ++taken;
        return ops::RequestTotals();
      },
      clock);
  EXPECT_EQ(taken, 0);
  EXPECT_TRUE(sampler.since(0)->empty());
  EXPECT_EQ(taken, 1);
  EXPECT_TRUE(comes_true([&] { return !sampler.since(0)->empty(); }));
  clock.advance_ms(600'000);
  const int before = taken;
  ASSERT_TRUE(comes_true([&] { return taken > before; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
  EXPECT_EQ(taken, before + 1) << "nobody asked for ten minutes";
  EXPECT_TRUE(sampler.since(0)->empty()) << "the old samples are gone";
  EXPECT_TRUE(comes_true([&] { return !sampler.since(0)->empty(); }));
}

// It would end after a second, or ten times that here.
TEST(MetricSampler, EndsAtOnceWithItsThread) {
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) {
    const ManualClock clock(0);
    MetricSampler sampler([] { return ops::RequestTotals(); }, clock);
    ASSERT_TRUE(sampler.since(0).ok());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

}  // namespace
}  // namespace partita::admin
