#include "table/catalog/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace partita::table {
namespace {

struct TwoWorks {
  Background background;
  std::atomic<int> begun{0};
  bool passed = false;  // of the background thread alone
  int naps = 0;         // during the stop, before `passed`
};

constexpr int kMostNaps = 10'000;

Task<void> sleep_until_passed(TwoWorks& works) {
  ++works.begun;
  while (!works.passed && works.naps < kMostNaps) {
    co_await works.background.sleep(1);
    if (works.background.stopping()) ++works.naps;
  }
}

Task<void> pass_until_stop(TwoWorks& works) {
  ++works.begun;
  while (!works.background.stopping()) co_await works.background.pass();
  co_await works.background.pass();
  works.passed = true;
}

// A sleep ends at once during a stop. Who polls by sleeping must not keep what it waits for from going on.
TEST(BackgroundTest, SleepersDoNotHoldUpOtherWorkDuringAStop) {
  TwoWorks works;
  ASSERT_TRUE(works.background.start().ok());
  works.background.begin([&works] { return sleep_until_passed(works); });
  works.background.begin([&works] { return pass_until_stop(works); });
  while (works.begun < 2) std::this_thread::yield();
  works.background.stop();
  EXPECT_TRUE(works.passed);
  EXPECT_LT(works.naps, 10);
}

// Work that is always ready does not keep sleepers asleep.
TEST(BackgroundTest, ReadyWorkDoesNotHoldUpSleepers) {
  TwoWorks works;
  ASSERT_TRUE(works.background.start().ok());
  std::atomic<bool> woke{false};
  works.background.begin([&works] { return pass_until_stop(works); });
  const auto nap = [](TwoWorks& all, std::atomic<bool>& flag) -> Task<void> {
    co_await all.background.sleep(5);
    flag = !all.background.stopping();
  };
  works.background.begin([&] { return nap(works, woke); });
  for (int i = 0; i < 5'000 && !woke; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(woke);
  works.background.stop();
}

}  // namespace
}  // namespace partita::table
