#include "table/control/policy.h"

#include "storage/ranges.h"
#include "table/control/tags.h"
#include "table/open/table_testing.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

class PolicyTest : public TableTest {
 protected:
  static api::Resource of(const std::string& table) { return {"arn:" + table, table, {}}; }

  std::string put_policy(const std::string& document, const std::optional<std::string>& expected = {}) {
    auto put = wait_for(table::put_policy(db(), of("T"), {document, true}, expected));
    EXPECT_TRUE(put.ok());
    return put.ok() ? *put : "";
  }

  size_t stored_policies() {
    auto page = wait_for(engine_.scan(system_rows(SystemRow::kPolicy), storage::Direction::kAscending, 100, 1 << 20));
    return page.ok() ? page->size() : SIZE_MAX;
  }
};

TEST_F(PolicyTest, RevisionsGrowThoughTheClockStands) {
  create(plain_table());
  const std::string first = put_policy("a");
  EXPECT_EQ(first, std::to_string(clock_.now_ms()));
  EXPECT_EQ(put_policy("a"), first);
  EXPECT_EQ(put_policy("b", first), std::to_string(clock_.now_ms() + 1));
  auto dropped = wait_for(drop_policy(db(), of("T"), {}));
  ASSERT_TRUE(dropped.ok());
  EXPECT_EQ(*dropped, std::to_string(clock_.now_ms() + 1));
  EXPECT_EQ(put_policy("a", kNoPolicy), std::to_string(clock_.now_ms() + 3));
}

TEST_F(PolicyTest, GoesWithItsTable) {
  create(plain_table());
  create(plain_table("Other"));
  put_policy("a");
  ASSERT_TRUE(wait_for(table::put_policy(db(), of("Other"), {"b", true}, {})).ok());
  EXPECT_EQ(stored_policies(), 2);
  ASSERT_TRUE(wait_for(delete_table(db(), "T")).ok());
  wait_for_jobs();
  EXPECT_EQ(stored_policies(), 1);
  EXPECT_TRUE(wait_for(get_policy(db(), of("Other"))).ok());
}

TEST_F(PolicyTest, IsPutThoughAnotherServerChangedTheTable) {
  options_.look_ms = 60'000;
  reopen();
  create(plain_table());
  FaultyEngine way(static_cast<storage::Engine&>(engine_));
  auto other = Database::open(way, clock_, random_, options_);
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE(wait_for(add_tags(**other, of("T"), {{"k", "v"}})).ok());
  put_policy("a");
  auto got = wait_for(get_policy(**other, of("T")));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->policy->document, "a");
}

TEST_F(PolicyTest, OutlivesAKill) {
  create(plain_table());
  const std::string revision = put_policy("a");
  crash();
  open();
  auto got = wait_for(get_policy(db(), of("T")));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(std::to_string(got->revision), revision);
}

TEST_F(PolicyTest, OfADamagedRowIsRefused) {
  create(plain_table());
  std::string key = system_key(SystemRow::kPolicy).bytes + std::string("\0\0\0\1", 4);
  store({key, static_cast<uint32_t>(system_key(SystemRow::kPolicy).place)}, "damage");
  EXPECT_EQ(wait_for(get_policy(db(), of("T"))).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(wait_for(drop_policy(db(), of("T"), {})).error().kind(), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace partita::table
