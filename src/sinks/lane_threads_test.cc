#include "sinks/lane_threads.h"

#include <gtest/gtest.h>

namespace partita::sinks {
namespace {

size_t take_all(LaneThreads::Share& share) {
  size_t taken = 0;
  while (share.take()) ++taken;
  return taken;
}

// Whatever others have taken before it, and do not give back.
TEST(LaneThreads, AreLeftForEveryHook) {
  LaneThreads threads;
  LaneThreads::Share first(threads);
  LaneThreads::Share second(threads);
  LaneThreads::Share third(threads);
  EXPECT_EQ(take_all(first), LaneThreads::kMost / 2);
  EXPECT_EQ(take_all(second), LaneThreads::kMost / 4);
  EXPECT_EQ(take_all(third), LaneThreads::kMost / 8);
  EXPECT_FALSE(first.take());
  first.give_back();
  EXPECT_TRUE(third.take());
}

}  // namespace
}  // namespace partita::sinks
