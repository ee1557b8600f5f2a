#include "base/drain_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/task.h"

namespace partita {
namespace {

Task<void> go_through(DrainLock& lock, std::atomic<int>& inside, std::atomic<int>& passed) {
  DrainLock::SharedGuard guard(lock);
  co_await guard;
  ++inside;
  std::this_thread::yield();
  --inside;
  ++passed;
}

TEST(DrainLock, WhoComesWhileItIsShutWaitsAndIsLetIn) {
  DrainLock lock;
  std::atomic<int> inside = 0;
  std::atomic<int> passed = 0;
  lock.close();
  start(go_through(lock, inside, passed), [] {});
  start(go_through(lock, inside, passed), [] {});
  EXPECT_EQ(passed, 0);
  lock.open();
  EXPECT_EQ(passed, 2);
  wait_for(go_through(lock, inside, passed));
  EXPECT_EQ(passed, 3);
}

TEST(DrainLock, WhoDoesNotWaitIsLetInOrNot) {
  DrainLock lock;
  lock.close();
  {
    DrainLock::SharedGuard guard(lock);
    EXPECT_FALSE(guard.try_enter());
  }
  lock.open();
  std::atomic<bool> alone = false;
  std::jthread shutting;
  {
    DrainLock::SharedGuard guard(lock);
    EXPECT_TRUE(guard.try_enter());
    shutting = std::jthread([&] {
      lock.close();
      alone = true;
    });
    for (bool open = true; open;) open = DrainLock::SharedGuard(lock).try_enter();
    EXPECT_FALSE(alone);
  }
  shutting.join();
  lock.open();
}

TEST(DrainLock, WhoShutsItIsAlone) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 500;
  DrainLock lock;
  std::atomic<int> inside = 0;
  std::atomic<int> passed = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int time = 0; time < kTimes; ++time) wait_for(go_through(lock, inside, passed));
    });
  }
  int times = 0;
  while (passed < kThreads * kTimes) {
    lock.close();
    const int before = passed;
    EXPECT_EQ(inside, 0);
    std::this_thread::yield();
    EXPECT_EQ(inside, 0);
    EXPECT_EQ(passed, before);
    lock.open();
    std::this_thread::yield();
    ++times;
  }
  threads.clear();
  EXPECT_EQ(passed, kThreads * kTimes);
  EXPECT_GT(times, 0);
}

}  // namespace
}  // namespace partita
