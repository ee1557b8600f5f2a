#include "throttle/ledger_rows.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "engines/memory/memory_engine.h"
#include "table/rows/system_rows.h"

namespace partita::throttle {
namespace {

void put(storage::Engine& engine, std::string_view rest, std::string_view value) {
  std::vector<storage::Key> none;
  const storage::Decide decide = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(table::system_key(table::SystemRow::kLedger, rest), std::string(value));
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine.transact(std::move(none), {}, decide)).ok());
}

TEST(LedgerRowsTest, RowsAreReadAsTheyWereWritten) {
  const auto engine = open_memory_engine();
  StoredLedger seen = wait_for(read_ledger(*engine)).value();
  EXPECT_TRUE(seen.rows.members.empty());
  LedgerWrites writes;
  writes.members = {{1, 2, 3}, {~uint64_t{0}, 5, 0}};
  writes.pools[{7, 0, true}] = Pool{3, {{1, 20}}, 9, 12'000, 500};
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

// What the versions before the format byte wrote is not readable either.
TEST(LedgerRowsTest, OtherFormatsAndImpossibleNumbersAreNotReadable) {
  const std::string zero(8, '\0');
  const std::string negative(8, '\xff');
  EXPECT_FALSE(decode_members(""));
  EXPECT_FALSE(decode_members("\1"));
  EXPECT_FALSE(decode_members("\1too short"));
  EXPECT_FALSE(decode_members(zero + zero + "\0\0\0\1"));
  EXPECT_FALSE(decode_members("\2" + std::string(20, '\1')));
  EXPECT_TRUE(decode_members("\1" + std::string(20, '\1')));
  EXPECT_FALSE(decode_pool(""));
  EXPECT_FALSE(decode_pool(zero));
  EXPECT_FALSE(decode_pool("\2" + zero + zero + zero + zero));
  EXPECT_FALSE(decode_pool("\1" + zero + zero + zero));
  EXPECT_FALSE(decode_pool("\1" + zero + zero + zero + zero + "half a demand"));
  EXPECT_FALSE(decode_pool("\1" + negative + zero + zero + zero));
  EXPECT_FALSE(decode_pool("\1" + zero + zero + zero + zero + zero + negative));
  EXPECT_TRUE(decode_pool("\1" + zero + zero + zero + zero + zero + zero));
}

TEST(LedgerRowsTest, RowsThatCannotBeReadAreReplaced) {
  const auto engine = open_memory_engine();
  const BucketId id{7, 0, true};
  std::string pool("B");
  append_u32(pool, id.table);
  append_u16(pool, id.index);
  pool.push_back('W');
  put(*engine, "", std::string(20, '\7'));
  put(*engine, pool, "???");
  put(*engine, "Z of a later version", "");
  StoredLedger seen = wait_for(read_ledger(*engine)).value();
  EXPECT_EQ(seen.rows.members, Members{kUnknownServers});
  ASSERT_EQ(seen.rows.pools.size(), 1U);
  EXPECT_EQ(seen.rows.pools.at(id), Pool{}) << "empty";
  LedgerWrites writes;
  writes.members = {kUnknownServers, {1, 2, 0}};
  EXPECT_EQ(wait_for(write_ledger(*engine, seen, writes)).value(), storage::Outcome::kCommitted);
  seen = wait_for(read_ledger(*engine)).value();
  EXPECT_EQ(seen.rows.members, writes.members);
  EXPECT_TRUE(seen.unreadable.empty());
  EXPECT_EQ(seen.rows.pools.at(id), Pool{});
  // Rows of a server that has changed the pool meanwhile stay.
  put(*engine, pool, "???");
  seen = wait_for(read_ledger(*engine)).value();
  writes.pools[id] = Pool{5, {}, 0, 0, 0};
  EXPECT_EQ(wait_for(write_ledger(*engine, seen, writes)).value(), storage::Outcome::kCommitted);
  EXPECT_EQ(wait_for(read_ledger(*engine)).value().rows.pools.at(id).level, 5);
}

}  // namespace
}  // namespace partita::throttle
