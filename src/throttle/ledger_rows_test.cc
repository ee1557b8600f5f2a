#include "throttle/ledger_rows.h"

#include <gtest/gtest.h>

#include "engines/memory/memory_engine.h"

namespace partita::throttle {
namespace {

TEST(LedgerRowsTest, RowsAreReadAsTheyWereWritten) {
  const auto engine = open_memory_engine();
  StoredLedger seen = wait_for(read_ledger(*engine)).value();
  EXPECT_TRUE(seen.rows.members.empty());
  LedgerWrites writes;
  writes.members = {{1, 2, 3}, {~uint64_t{0}, 5, 0}};
  writes.pools[{7, 0, true}] = Pool{-3, {{1, 20}}};
  writes.pools[{7, 2, false}] = Pool{600, {}};
  EXPECT_EQ(wait_for(write_ledger(*engine, seen, writes)).value(), storage::Outcome::kCommitted);
  EXPECT_EQ(wait_for(write_ledger(*engine, seen, writes)).value(), storage::Outcome::kStale);
  seen = wait_for(read_ledger(*engine)).value();
  EXPECT_EQ(seen.rows.members, writes.members);
  ASSERT_EQ(seen.rows.pools.size(), 2U);
  EXPECT_EQ(seen.rows.pools.at({7, 0, true}), *writes.pools.at({7, 0, true}));
  EXPECT_EQ(seen.rows.pools.at({7, 2, false}), *writes.pools.at({7, 2, false}));
  // Without members nothing is left.
  EXPECT_EQ(wait_for(write_ledger(*engine, seen, {})).value(), storage::Outcome::kCommitted);
  seen = wait_for(read_ledger(*engine)).value();
  EXPECT_FALSE(seen.version);
  EXPECT_TRUE(seen.rows.pools.empty());
}

TEST(LedgerRowsTest, DamageIsFound) {
  EXPECT_FALSE(decode_members("too short"));
  EXPECT_FALSE(decode_pool("short"));
  EXPECT_FALSE(decode_pool("12345678 and a half"));
  EXPECT_TRUE(decode_pool("12345678"));
}

}  // namespace
}  // namespace partita::throttle
