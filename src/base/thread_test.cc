#include "base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>

#include "base/blocked_signals.h"

namespace partita {
namespace {

TEST(Thread, RunsUnderItsNameAndIsJoinedAtItsEnd) {
  std::string name;
  {
    auto thread = Thread::start("worker", [&](const std::stop_token&) {
      std::array<char, 16> said{};
      pthread_getname_np(pthread_self(), said.data(), said.size());
      name = said.data();
    });
    ASSERT_TRUE(thread.ok());
    EXPECT_TRUE(thread->joinable());
  }
  EXPECT_EQ(name, "worker");
}

TEST(Thread, IsAskedToStopByItsEnd) {
  std::atomic<bool> asked{false};
  {
    auto thread = Thread::start("worker", [&](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      asked = true;
    });
    ASSERT_TRUE(thread.ok());
  }
  EXPECT_TRUE(asked);
}

TEST(Thread, SaysWhichOneTheSystemRefused) {
  const ThreadStartFailure none;
  const auto thread = Thread::start("committer", [](const std::stop_token&) {});
  ASSERT_FALSE(thread.ok());
  EXPECT_EQ(thread.error().kind(), ErrorKind::kUnavailable);
  EXPECT_TRUE(thread.error().sentence().starts_with("The thread \"committer\" cannot be started ("));
}

TEST(Thread, StartsAgainOnceTheSystemMakesThemAgain) {
  {
    const ThreadStartFailure none;
  }
  EXPECT_TRUE(Thread::start("worker", [](const std::stop_token&) {}).ok());
}

// Leaves it so: the last one.
TEST(Thread, LeavesSignalsToTheProgram) {
  const auto takes_alarm = [] {
    bool takes = false;
    auto thread = Thread::start("worker", [&](const std::stop_token&) {
      sigset_t blocked;
      pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      takes = sigismember(&blocked, SIGALRM) == 0;
      EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
    });
    EXPECT_TRUE(thread.ok());
    thread->join();
    return takes;
  };
  EXPECT_TRUE(takes_alarm());
  block_signals_in_threads();
  EXPECT_FALSE(takes_alarm());
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGALRM), 0);
}

}  // namespace
}  // namespace partita
