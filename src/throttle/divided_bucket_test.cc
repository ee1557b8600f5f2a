#include "throttle/divided_bucket.h"

#include <gtest/gtest.h>

namespace partita::throttle {
namespace {

using model::HalfUnits;

constexpr int64_t kNs = 1'000'000'000;
constexpr int64_t kNowNs = 50 * kNs;

// A bucket of 100 units a second that holds 10 seconds of them.
class DividedBucketTest : public ::testing::Test {
 protected:
  DividedBucketTest() {
    bucket_.set_rate(100, 10 * kNs, share_, kNowNs);
    bucket_.initialise(share_, kNowNs);
  }
  void divide(uint32_t divisor) {
    share_.divide(divisor, kNowNs);
    bucket_.update(share_, kNowNs);
  }
  void renew(int64_t until_ns) {
    share_.renew(until_ns);
    bucket_.update(share_, kNowNs);
  }
  HalfUnits level(int64_t now_ns = kNowNs) const { return bucket_.state(now_ns).level; }

  CapacityShare share_;
  DividedBucket bucket_;
};

TEST_F(DividedBucketTest, AShareHoldsAPart) {
  EXPECT_EQ(level(), 2'000);
  divide(4);
  EXPECT_EQ(level(), 2'000 / 8);
  divide(1);
  EXPECT_EQ(level(), 2'000 / 8);
  EXPECT_EQ(level(kNowNs + kNs), 2'000 / 8 + 200);
}

TEST_F(DividedBucketTest, NoChangeOfTheShareForgivesADebt) {
  bucket_.add(-2'000 - 1'900, kNowNs);
  ASSERT_EQ(level(), -1'900);
  for (const uint32_t divisor : {5U, 2U, 1U}) {
    divide(divisor);
    EXPECT_EQ(level(), -1'900) << divisor;
  }
  renew(kNowNs);
  EXPECT_TRUE(bucket_.closed());
  renew(kNowNs + kNs);
  EXPECT_FALSE(bucket_.closed());
  EXPECT_EQ(level(), -1'900);
  divide(0);
  EXPECT_EQ(level(), -1'900);
  divide(3);
  EXPECT_EQ(level(), -1'900);
  EXPECT_NEAR(static_cast<double>(level(kNowNs + 3 * kNs)), -1'900 + 200, 1);
}

TEST_F(DividedBucketTest, AShareLosesItsUnitsOnly) {
  divide(0);
  EXPECT_EQ(level(), 0);
  divide(2);
  EXPECT_EQ(level(), 0);
}

// As one server's, whose Scan of everything closes the table for as long as the bucket holds.
TEST_F(DividedBucketTest, TheDebtOfAShareMayBeThatOfTheWhole) {
  divide(5);
  bucket_.tokens.charge(kNowNs, 1'000'000);
  EXPECT_EQ(level(), -2'000);
}

TEST_F(DividedBucketTest, LoweredUnitsLowerADebtToWhatTheBucketHoldsThen) {
  for (const bool closed : {false, true}) {
    renew(closed ? kNowNs : kNowNs + kNs);
    bucket_.add(-level() - 2'000, kNowNs);
    bucket_.set_rate(1, 10 * kNs, share_, kNowNs);
    renew(kNowNs + kNs);
    EXPECT_EQ(level(), -20) << closed;
    bucket_.set_rate(100, 10 * kNs, share_, kNowNs);
  }
}

}  // namespace
}  // namespace partita::throttle
