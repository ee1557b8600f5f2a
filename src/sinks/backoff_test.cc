#include "sinks/backoff.h"

#include <gtest/gtest.h>

namespace partita::sinks {
namespace {

TEST(Backoff, DoublesUpToHalfAMinuteWithJitter) {
  SeededRandom random(1);
  Backoff backoff(random);
  int64_t most_ms = Backoff::kFirstMs;
  for (int i = 0; i < 100; ++i) {
    const int64_t ms = backoff.next_ms();
    EXPECT_GE(ms, most_ms / 2);
    EXPECT_LE(ms, most_ms);
    most_ms = std::min(2 * most_ms, Backoff::kMostMs);
  }
  EXPECT_EQ(most_ms, Backoff::kMostMs);
  EXPECT_NE(backoff.next_ms(), backoff.next_ms());
  backoff.reset();
  EXPECT_LE(backoff.next_ms(), Backoff::kFirstMs);
}

}  // namespace
}  // namespace partita::sinks
