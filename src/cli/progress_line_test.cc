#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace partita::cli {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr int64_t kSecond = 1'000'000'000;

TEST(Progress, ShowsTotalAndExpectedEnd) {
  EXPECT_EQ(progress(25 * kMiB, 100 * kMiB, 7 * kSecond), "25.0 of about 100.0 MiB (25 %), about 22 s left");
  EXPECT_EQ(progress(100 * kMiB, 100 * kMiB, 7 * kSecond), "100.0 of about 100.0 MiB (100 %), about 1 s left");
}

TEST(Progress, ExpectsNothingWithoutGrounds) {
  EXPECT_EQ(progress(kMiB, 0, 7 * kSecond), "1.0 MiB");
  EXPECT_EQ(progress(3 * kMiB, 2 * kMiB, 7 * kSecond), "3.0 MiB");  // the total was too low
  EXPECT_EQ(progress(0, 2 * kMiB, 7 * kSecond), "0.0 of about 2.0 MiB (0 %)");
  EXPECT_EQ(progress(kMiB, 2 * kMiB, kSecond / 2), "1.0 of about 2.0 MiB (50 %)");
}

}  // namespace
}  // namespace partita::cli
