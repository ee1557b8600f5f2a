#include "base/periodic_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace partita {
namespace {

using namespace std::chrono_literals;

TEST(PeriodicThread, GoesOnUntilItEnds) {
  std::atomic<int> ticks = 0;
  {
    PeriodicThread thread;
    ASSERT_TRUE(thread.start("test", 1ms, [&] { ++ticks; }).ok());
    while (ticks < 3) std::this_thread::sleep_for(1ms);
  }
  const int done = ticks;
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(ticks, done);
}

// Without the wake-up this would take an hour.
TEST(PeriodicThread, EndsInAPause) {
  std::atomic<int> ticks = 0;
  PeriodicThread thread;
  ASSERT_TRUE(thread.start("test", 1h, [&] { ++ticks; }).ok());
  while (ticks == 0) std::this_thread::sleep_for(1ms);
}

TEST(PeriodicThread, SaysThatThereIsNoThread) {
  const ThreadStartFailure failure;
  PeriodicThread thread;
  EXPECT_TRUE(is_thread_refusal(thread.start("test", 1h, [] {}).error()));
}

}  // namespace
}  // namespace partita
