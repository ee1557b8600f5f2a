#include "base/notifier.h"

#include <gtest/gtest.h>

#include <thread>

namespace partita {
namespace {

TEST(Notifier, EndsOneWaitForEachRing) {
  Notifier notifier;
  notifier.notify();
  notifier.notify();
  notifier.wait();
  EXPECT_TRUE(notifier.wait_for(0));
  EXPECT_FALSE(notifier.wait_for(1));
}

TEST(Notifier, WakesWhoeverSleepsWithAndWithoutATime) {
  constexpr int kTimes = 200;
  Notifier there;
  Notifier back;
  std::jthread other([&] {
    for (int i = 0; i < kTimes; ++i) {
      there.wait();
      back.notify();
    }
  });
  for (int i = 0; i < kTimes; ++i) {
    there.notify();
    ASSERT_TRUE(back.wait_for(60'000));
  }
}

}  // namespace
}  // namespace partita
