#include "base/budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace partita {
namespace {

TEST(Budget, RefusesWhatWouldPassTheLimit) {
  Budget budget(100);
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(41));
  EXPECT_FALSE(budget.take(SIZE_MAX));
  EXPECT_TRUE(budget.take(40));
  EXPECT_TRUE(budget.take(0));
  EXPECT_FALSE(budget.take(1));
  budget.give_back(100);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(Budget, LeavesRoomForOthersWhenAsked) {
  Budget budget(100);
  EXPECT_FALSE(budget.take_within(60, 50));
  EXPECT_TRUE(budget.take_within(50, 50));
  EXPECT_FALSE(budget.take_within(1, 50));
  EXPECT_TRUE(budget.take(50));
  EXPECT_FALSE(budget.take_within(1, 50));
  budget.give_back(100);
}

TEST(Budget, SharesGiveBackWhatTheyHave) {
  Budget budget(100);
  {
    BudgetShare a(budget);
    BudgetShare b(budget);
    EXPECT_TRUE(a.resize(70));
    EXPECT_FALSE(b.resize(31));
    EXPECT_EQ(b.bytes(), 0u);
    EXPECT_TRUE(a.resize(10));
    EXPECT_TRUE(b.resize(90));
    EXPECT_FALSE(a.resize(11));
    EXPECT_EQ(a.bytes(), 10u);
    a.resize_anyway(50);
    EXPECT_EQ(budget.used(), 140u);
    EXPECT_TRUE(a.resize(5));
    const BudgetShare moved(std::move(a));
    EXPECT_EQ(moved.bytes(), 5u);
    EXPECT_EQ(budget.used(), 95u);
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(Budget, IsExactBetweenThreads) {
  Budget budget(1000);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&budget] {
      for (int turn = 0; turn < 10'000; ++turn) {
        BudgetShare share(budget);
        if (share.resize(300)) {
          EXPECT_LE(budget.used(), 1000u);
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace partita
