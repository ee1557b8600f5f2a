#include "base/poll_wakeup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>

#include <string>
#include <thread>

namespace partita {
namespace {

bool is_awake(const PollWakeup& wakeup, int ms = 0) {
  pollfd events[] = {{wakeup.descriptor(), POLLIN, 0}};
  return poll(events, 1, ms) == 1;
}

TEST(PollWakeup, LastsUntilItIsCleared) {
  auto wakeup = PollWakeup::open();
  ASSERT_TRUE(wakeup.ok());
  EXPECT_FALSE(is_awake(*wakeup));
  for (int i = 0; i < 100'000; ++i) wakeup->wake();  // never waits, though nobody clears
  EXPECT_TRUE(is_awake(*wakeup));
  EXPECT_TRUE(is_awake(*wakeup));
  wakeup->clear();
  EXPECT_FALSE(is_awake(*wakeup));
  wakeup->clear();
  wakeup->wake();
  EXPECT_TRUE(is_awake(*wakeup));
}

TEST(PollWakeup, EndsThePollOfAnotherThread) {
  auto wakeup = PollWakeup::open();
  ASSERT_TRUE(wakeup.ok());
  const std::jthread other([&] { wakeup->wake(); });
  EXPECT_TRUE(is_awake(*wakeup, 60'000));
}

TEST(PollWakeup, MovesWithItsDescriptor) {
  auto opened = PollWakeup::open();
  ASSERT_TRUE(opened.ok());
  PollWakeup moved;
  moved = std::move(*opened);
  EXPECT_LT(opened->descriptor(), 0);
  EXPECT_EQ(fcntl(moved.descriptor(), F_GETFD), FD_CLOEXEC);
  moved.wake();
  EXPECT_TRUE(is_awake(moved));
}

TEST(PollWakeup, SaysThatNoDescriptorIsLeft) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto wakeup = PollWakeup::open();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(wakeup.ok());
  EXPECT_EQ(wakeup.error().kind(), ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace partita
