#include "table/readiness.h"

#include <gtest/gtest.h>

#include "table/table_testing.h"

namespace partita::table {
namespace {

class ReadinessTest : public TableTest {};

TEST_F(ReadinessTest, FollowsTheStore) {
  Readiness readiness(db(), {.fresh_ms = 0, .patience_ms = 2'000});
  EXPECT_EQ(wait_for(readiness.trouble()), "");
  engine_.writes_left = 0;
  EXPECT_NE(wait_for(readiness.trouble()), "");
  engine_.writes_left = INT64_MAX;
  EXPECT_EQ(wait_for(readiness.trouble()), "");
}

// As a store does that is there, and can not write: the engine says that all is well.
TEST_F(ReadinessTest, WritesToKnow) {
  Readiness readiness(db(), {.fresh_ms = 0, .patience_ms = 2'000});
  engine_.unknown = 2;
  ASSERT_TRUE(engine_.health().ok());
  EXPECT_NE(wait_for(readiness.trouble()), "");
  engine_.unknown = 0;
  EXPECT_EQ(wait_for(readiness.trouble()), "");
}

TEST_F(ReadinessTest, BelievesAnAnswerForAWhile) {
  Readiness readiness(db(), {.fresh_ms = 1'000, .patience_ms = 2'000});
  EXPECT_EQ(wait_for(readiness.trouble()), "");
  engine_.unknown = 2;
  EXPECT_EQ(wait_for(readiness.trouble()), "");
  clock_.advance_ms(1'000);
  EXPECT_NE(wait_for(readiness.trouble()), "");
  engine_.unknown = 0;
}

}  // namespace
}  // namespace partita::table
