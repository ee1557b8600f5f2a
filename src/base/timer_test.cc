#include "base/timer.h"

#include <gtest/gtest.h>

#include <atomic>

namespace partita {
namespace {

Task<int64_t> measured(Timer& timer, int64_t ms) {
  const auto begin = std::chrono::steady_clock::now();
  co_await timer.sleep(ms);
  co_return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
}

TEST(Timer, SleepsAtLeastAsLongAsAsked) {
  Timer timer;
  EXPECT_GE(wait_for(measured(timer, 20)), 20);
  EXPECT_GE(wait_for(measured(timer, 0)), 0);
}

TEST(Timer, WakesInTheOrderOfTheirTimes) {
  Timer timer;
  std::atomic<int> woken{0};
  std::atomic<int> short_at{0}, long_at{0};
  start(timer.sleep(60), [&] { long_at = ++woken; });
  start(timer.sleep(5), [&] { short_at = ++woken; });
  wait_for(timer.sleep(120));
  EXPECT_EQ(short_at, 1);
  EXPECT_EQ(long_at, 2);
}

TEST(Timer, WakesEveryoneAtItsEnd) {
  std::atomic<bool> woken{false};
  {
    Timer timer;
    start(timer.sleep(600'000), [&] { woken = true; });
  }
  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace partita
