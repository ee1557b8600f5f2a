#include "throttle/token_bucket.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace partita::throttle {
namespace {

constexpr int64_t kOneSecondNs = 1'000'000'000;
constexpr int64_t kStartNs = 5 * kOneSecondNs;
constexpr model::HalfUnits kUnit = 2;

// How many units one by one it admits at that moment.
int admitted(TokenBucket& bucket, int64_t now_ns, int tries, model::HalfUnits each = kUnit) {
  int count = 0;
  int64_t wait_ns = 0;
  for (int i = 0; i < tries; ++i) count += bucket.take(now_ns, each, wait_ns) ? 1 : 0;
  return count;
}

int64_t wait_of(TokenBucket& bucket, int64_t now_ns) {
  int64_t wait_ns = 0;
  return bucket.has_any(now_ns, wait_ns) ? 0 : wait_ns;
}

// Proof 4 of the research: 100 units a second, idle for 300 s.
TEST(TokenBucketTest, TheBurstAtOnceAndThenTheRate) {
  TokenBucket bucket(100, kBurstNs, kStartNs);
  EXPECT_EQ(admitted(bucket, kStartNs, 40'000), 30'000);
  EXPECT_EQ(admitted(bucket, kStartNs + kOneSecondNs / 2, 1'000), 50);
  int later = 0;
  for (int tick = 1; tick <= 100; ++tick) {
    later += admitted(bucket, kStartNs + kOneSecondNs / 2 + tick * kOneSecondNs / 10, 1'000);
  }
  EXPECT_EQ(later, 1'000);
}

TEST(TokenBucketTest, UnusedUnitsAreKeptForNoLongerThanTheBurst) {
  TokenBucket bucket(10, kBurstNs, kStartNs);
  EXPECT_EQ(admitted(bucket, kStartNs + 3'600 * kOneSecondNs, 10'000), 3'000);
}

TEST(TokenBucketTest, HalvesAreExact) {
  TokenBucket bucket(3, kOneSecondNs, kStartNs);
  EXPECT_EQ(admitted(bucket, kStartNs, 100, 1), 6);
  EXPECT_EQ(admitted(bucket, kStartNs + kOneSecondNs, 100, 1), 6);
}

TEST(TokenBucketTest, AnyLevelAboveZeroAdmitsAnyCost) {
  TokenBucket bucket(10, kOneSecondNs * 60, kStartNs);
  EXPECT_EQ(admitted(bucket, kStartNs, 599), 599);
  EXPECT_EQ(admitted(bucket, kStartNs, 5, 50 * kUnit), 1);  // one unit was left; 49 are owed
  EXPECT_EQ(wait_of(bucket, kStartNs), 49 * kOneSecondNs / 10 + 1);
  EXPECT_EQ(admitted(bucket, kStartNs + 49 * kOneSecondNs / 10, 1), 0);
  EXPECT_EQ(admitted(bucket, kStartNs + 49 * kOneSecondNs / 10 + 1, 1), 1);
}

TEST(TokenBucketTest, ChargesAreTakenWhateverTheLevelIsAndDebtsEnd) {
  TokenBucket bucket(10, kOneSecondNs * 60, kStartNs);
  bucket.charge(kStartNs, 800 * kUnit);
  EXPECT_EQ(wait_of(bucket, kStartNs), 20 * kOneSecondNs + 1);
  bucket.charge(kStartNs, -300 * kUnit);
  EXPECT_EQ(admitted(bucket, kStartNs, 1'000), 100);
  bucket.charge(kStartNs, 1'000'000 * kUnit);
  EXPECT_EQ(wait_of(bucket, kStartNs), 60 * kOneSecondNs + 1);
}

TEST(TokenBucketTest, MoreThanFullIsNotGivenBack) {
  TokenBucket bucket(10, kOneSecondNs * 60, kStartNs);
  bucket.charge(kStartNs, -300 * kUnit);
  EXPECT_EQ(admitted(bucket, kStartNs, 1'000), 600);
}

TEST(TokenBucketTest, AChangedRateKeepsTheUnits) {
  TokenBucket bucket(10, kBurstNs, kStartNs);
  EXPECT_EQ(admitted(bucket, kStartNs, 2'000), 2'000);
  bucket.set_rate(kStartNs, 100, kBurstNs);
  EXPECT_EQ(admitted(bucket, kStartNs, 400), 400);
  bucket.set_rate(kStartNs, 1, kBurstNs);  // of the 600 left it holds 300
  EXPECT_EQ(admitted(bucket, kStartNs, 1'000), 300);
  bucket.charge(kStartNs, 50 * kUnit);
  bucket.set_rate(kStartNs, 100, kBurstNs);
  EXPECT_EQ(wait_of(bucket, kStartNs), kOneSecondNs / 2 + 1);
}

// Each request keeps the time when it began.
TEST(TokenBucketTest, AnOlderRequestFindsTheSameDebt) {
  TokenBucket bucket(10, kOneSecondNs, kStartNs);
  bucket.charge(kStartNs, 1'000 * kUnit);
  EXPECT_GT(wait_of(bucket, kStartNs - 30 * kOneSecondNs), 30 * kOneSecondNs);
}

TEST(TokenBucketTest, OneCostBeyondMeasureIsADebtThatEnds) {
  TokenBucket bucket(10, kOneSecondNs * 60, kStartNs);
  bucket.charge(kStartNs, 1'000'000 * kUnit);
  EXPECT_EQ(wait_of(bucket, kStartNs), 60 * kOneSecondNs + 1);
}

TEST(TokenBucketTest, WhatWasTakenBeyondTheDepthIsGivenBackAndNoMore) {
  TokenBucket bucket(1, kOneSecondNs * 300, kStartNs);
  EXPECT_EQ(admitted(bucket, kStartNs, 297), 297);
  EXPECT_EQ(admitted(bucket, kStartNs, 1, 400 * kUnit), 1);
  bucket.charge(kStartNs, -400 * kUnit);
  EXPECT_EQ(admitted(bucket, kStartNs, 1'000), 3);
}

TEST(TokenBucketTest, AChargeLetsADebtBeyondTheDepthStand) {
  TokenBucket bucket(1, kOneSecondNs * 300, kStartNs);
  EXPECT_EQ(admitted(bucket, kStartNs, 1, 700 * kUnit), 1);
  bucket.charge(kStartNs, 10 * kUnit);
  EXPECT_EQ(wait_of(bucket, kStartNs), 400 * kOneSecondNs + 1);
}

TEST(TokenBucketTest, ManyThreadsTakeExactlyWhatThereIs) {
  constexpr int kThereAre = 2'000'000;
  TokenBucket bucket(kThereAre, kOneSecondNs, kStartNs);
  std::atomic<int> taken = 0;
  std::vector<std::jthread> threads;
  std::latch together(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      together.arrive_and_wait();
      taken += admitted(bucket, kStartNs, kThereAre);
    });
  }
  threads.clear();
  EXPECT_EQ(taken, kThereAre);
}

TEST(TokenBucketTest, ManyThreadsTakeNoMoreThanThereIs) {
  TokenBucket bucket(1'000, kOneSecondNs, kStartNs);
  std::atomic<int64_t> now_ns = kStartNs;
  std::atomic<int> taken = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000; ++k) {
        taken += admitted(bucket, now_ns.load(), 1);
        if (k % 10 == 0) now_ns += 1'000'000;  // 8 s in all
      }
    });
  }
  threads.clear();
  EXPECT_LE(taken, 9'001);  // the burst, and 8 s
  EXPECT_GE(taken, 8'000);
}

}  // namespace
}  // namespace partita::throttle
