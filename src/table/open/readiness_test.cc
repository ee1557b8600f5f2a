#include "table/open/readiness.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "table/open/table_testing.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

class ReadinessTest : public TableTest {};

TEST_F(ReadinessTest, FollowsTheStore) {
  Readiness readiness(db().random(), {.fresh_ms = 0, .patience_ms = 2'000});
  EXPECT_EQ(wait_for(readiness.trouble(db())), "");
  engine_.writes_left = 0;
  EXPECT_NE(wait_for(readiness.trouble(db())), "");
  engine_.writes_left = INT64_MAX;
  EXPECT_EQ(wait_for(readiness.trouble(db())), "");
}

// As a store does that is there, and cannot write: the engine says that all is well.
TEST_F(ReadinessTest, WritesToKnow) {
  Readiness readiness(db().random(), {.fresh_ms = 0, .patience_ms = 2'000});
  engine_.unknown = 2;
  ASSERT_TRUE(engine_.health().ok());
  EXPECT_NE(wait_for(readiness.trouble(db())), "");
  engine_.unknown = 0;
  EXPECT_EQ(wait_for(readiness.trouble(db())), "");
}

TEST_F(ReadinessTest, BelievesAnAnswerForAWhile) {
  Readiness readiness(db().random(), {.fresh_ms = 1'000, .patience_ms = 2'000});
  EXPECT_EQ(wait_for(readiness.trouble(db())), "");
  engine_.unknown = 2;
  EXPECT_EQ(wait_for(readiness.trouble(db())), "");
  clock_.advance_ms(1'000);
  EXPECT_NE(wait_for(readiness.trouble(db())), "");
  engine_.unknown = 0;
}

// A row of its own, so that servers do not wait for each other's.
TEST_F(ReadinessTest, SharesItsRowWithNobody) {
  Readiness one(db().random(), {});
  Readiness other(db().random(), {});
  EXPECT_EQ(wait_for(one.trouble(db())), "");
  EXPECT_EQ(wait_for(other.trouble(db())), "");
  const auto rows = wait_for(engine_.scan(system_rows(SystemRow::kProbe), storage::Direction::kAscending, 10, 1 << 20));
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->size(), 2U);
}

// Whoever asks meanwhile waits for the write that is under way, and no longer than whoever asked first.
TEST_F(ReadinessTest, ASilentStoreKeepsNobodyWaiting) {
  Readiness readiness(db().random(), {.fresh_ms = 0, .patience_ms = 100});
  engine_.silent = true;
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::thread> askers;
  std::atomic<int> told{0};
  for (int i = 0; i < 4; ++i) {
    askers.emplace_back([&, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 * i));
      told += wait_for(readiness.trouble(db())).find("has not answered") != std::string::npos;
    });
  }
  const std::jthread relief([&](const std::stop_token& over) {
    for (int i = 0; i < 3'000 && !over.stop_requested(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    engine_.silent = false;
  });
  for (std::thread& asker : askers) asker.join();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
  EXPECT_EQ(told, 4);
  EXPECT_EQ(engine_.kept_waiting, 1);
}

}  // namespace
}  // namespace partita::table
