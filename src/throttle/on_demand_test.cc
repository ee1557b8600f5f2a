#include "throttle/on_demand.h"

#include <gtest/gtest.h>

#include <cmath>

namespace partita::throttle {
namespace {

constexpr int64_t kSecondsNs = 1'000'000'000;

class OnDemandTest : public testing::Test {
 protected:
  // Offers a load. The level refuses what is above it. Returns the refused units.
  int64_t offer(int64_t per_second, int64_t seconds) {
    int64_t refused = 0;
    for (int64_t i = 0; i < seconds; ++i) {
      const int64_t admitted = std::min(per_second, level_.level());
      refused += per_second - admitted;
      consumed_ += admitted;
      now_ns_ += kSecondsNs;
      level_.review(consumed_, now_ns_);
    }
    return refused;
  }

  int64_t now_ns_ = 7 * kSecondsNs;
  int64_t consumed_ = 0;
  OnDemandLevel level_{4'000, 40'000, now_ns_};
};

TEST_F(OnDemandTest, TwiceThePeakIsServedAtOnce) {
  EXPECT_EQ(level_.level(), 4'000);
  EXPECT_EQ(offer(2'000, 7'200), 0);
  EXPECT_EQ(level_.level(), 4'000);  // it is twice the peak
  EXPECT_EQ(offer(4'000, 600), 0);
  EXPECT_GT(level_.level(), 4'000);
}

TEST_F(OnDemandTest, ALoadAtTheLevelHasTwiceAsMuchHalfAnHourLater) {
  EXPECT_EQ(offer(4'000, 60), 0);
  EXPECT_EQ(level_.level(), 4'000);
  offer(4'000, 900);
  EXPECT_NEAR(static_cast<double>(level_.level()), 4'000 * std::sqrt(2.0), 2);
  offer(4'000, 900);
  EXPECT_NEAR(static_cast<double>(level_.level()), 8'000, 2);
  offer(4'000, 86'400);
  EXPECT_NEAR(static_cast<double>(level_.level()), 8'000, 2);
  EXPECT_EQ(offer(7'990, 60), 0);
}

TEST_F(OnDemandTest, ALoadThatDoublesInHalfAnHourIsNeverRefused) {
  for (int minute = 0; minute < 90; ++minute) {
    EXPECT_EQ(offer(static_cast<int64_t>(3'500 * std::exp2(minute / 30.0)), 60), 0) << minute;
  }
}

TEST_F(OnDemandTest, AFasterLoadIsRefusedUntilTheLevelHasGrown) {
  EXPECT_GT(offer(32'000, 1'800), 0);
  EXPECT_LE(level_.level(), 8'000);
  EXPECT_GT(offer(32'000, 3'600), 0);
  EXPECT_EQ(offer(31'000, 600), 0);
  offer(50'000, 36'000);
  EXPECT_EQ(level_.level(), 40'000);
}

TEST_F(OnDemandTest, AMomentIsNoPeak) {
  for (int i = 0; i < 600; ++i) {
    offer(4'000, 2);
    offer(0, 58);
  }
  EXPECT_EQ(level_.level(), 4'000);
}

TEST_F(OnDemandTest, APeakCountsAfterTheLoadHasFallen) {
  offer(4'000, 60);
  offer(0, 1'800);
  EXPECT_NEAR(static_cast<double>(level_.level()), 8'000, 2);
}

TEST_F(OnDemandTest, AnIdleTableKeepsItsLevel) {
  offer(4'000, 3'600);
  const int64_t before = level_.level();
  now_ns_ += int64_t{30} * 86'400 * kSecondsNs;
  level_.review(consumed_, now_ns_);
  EXPECT_GE(level_.level(), before);
  EXPECT_LE(level_.level(), 8'000);
}

TEST_F(OnDemandTest, WarmThroughputRaisesTheLevelUpToTheQuota) {
  level_.raise(6'000);
  EXPECT_EQ(level_.level(), 6'000);
  level_.raise(5'000);
  EXPECT_EQ(level_.level(), 6'000);
  level_.raise(90'000);
  EXPECT_EQ(level_.level(), 40'000);
  EXPECT_EQ(OnDemandLevel(90'000, 40'000, 0).level(), 40'000);
}

}  // namespace
}  // namespace partita::throttle
