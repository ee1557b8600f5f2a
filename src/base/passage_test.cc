#include "base/passage.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/task.h"

namespace partita {
namespace {

Task<void> go_through(Passage& passage, std::atomic<int>& inside, std::atomic<int>& passed) {
  Passage::Visit visit(passage);
  co_await visit;
  ++inside;
  std::this_thread::yield();
  --inside;
  ++passed;
}

TEST(Passage, WhoComesWhileItIsShutWaitsAndIsLetIn) {
  Passage passage;
  std::atomic<int> inside = 0;
  std::atomic<int> passed = 0;
  passage.shut();
  start(go_through(passage, inside, passed), [] {});
  start(go_through(passage, inside, passed), [] {});
  EXPECT_EQ(passed, 0);
  passage.open();
  EXPECT_EQ(passed, 2);
  wait_for(go_through(passage, inside, passed));
  EXPECT_EQ(passed, 3);
}

TEST(Passage, WhoDoesNotWaitIsLetInOrNot) {
  Passage passage;
  passage.shut();
  {
    Passage::Visit visit(passage);
    EXPECT_FALSE(visit.enters());
  }
  passage.open();
  std::atomic<bool> alone = false;
  std::jthread shutting;
  {
    Passage::Visit visit(passage);
    EXPECT_TRUE(visit.enters());
    shutting = std::jthread([&] {
      passage.shut();
      alone = true;
    });
    for (bool open = true; open;) open = Passage::Visit(passage).enters();
    EXPECT_FALSE(alone);
  }
  shutting.join();
  passage.open();
}

TEST(Passage, WhoShutsItIsAlone) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 500;
  Passage passage;
  std::atomic<int> inside = 0;
  std::atomic<int> passed = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int time = 0; time < kTimes; ++time) wait_for(go_through(passage, inside, passed));
    });
  }
  int times = 0;
  while (passed < kThreads * kTimes) {
    passage.shut();
    const int before = passed;
    EXPECT_EQ(inside, 0);
    std::this_thread::yield();
    EXPECT_EQ(inside, 0);
    EXPECT_EQ(passed, before);
    passage.open();
    std::this_thread::yield();
    ++times;
  }
  threads.clear();
  EXPECT_EQ(passed, kThreads * kTimes);
  EXPECT_GT(times, 0);
}

}  // namespace
}  // namespace partita
