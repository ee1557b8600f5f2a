#include "base/bell.h"

#include <gtest/gtest.h>

#include <thread>

namespace partita {
namespace {

TEST(Bell, EndsOneWaitForEachRing) {
  Bell bell;
  bell.ring();
  bell.ring();
  bell.wait();
  EXPECT_TRUE(bell.wait_for(0));
  EXPECT_FALSE(bell.wait_for(1));
}

TEST(Bell, WakesWhoeverSleepsWithAndWithoutATime) {
  constexpr int kTimes = 200;
  Bell there;
  Bell back;
  std::jthread other([&] {
    for (int i = 0; i < kTimes; ++i) {
      there.wait();
      back.ring();
    }
  });
  for (int i = 0; i < kTimes; ++i) {
    there.ring();
    ASSERT_TRUE(back.wait_for(60'000));
  }
}

}  // namespace
}  // namespace partita
