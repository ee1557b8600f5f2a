#include "table/catalog.h"

#include <future>
#include <thread>

#include "table/table_testing.h"
#include "table/upkeep.h"

namespace partita::table {
namespace {

using Kind = WriteAction::Kind;

class CatalogTest : public TableTest {};

Item row(int64_t number) { return item({{"pk", s("p")}, {"sk", n(number)}, {"g", s("g" + std::to_string(number))}}); }

TableRequest with_index(const std::string& name) {
  TableRequest request = plain_table(name);
  request.definitions.push_back({"g", model::Type::kS});
  request.global_indexes = {{index_request("by-g", {hash("g")}, ProjectionKind::kKeysOnly)}};
  return request;
}

TEST_F(CatalogTest, ANameIsTakenOnce) {
  create(plain_table());
  const TableRequest again = plain_table();
  const auto refused = wait_for(create_table(db(), again));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kTableExists);
}

TEST_F(CatalogTest, NamesComeInOrderAndPages) {
  for (const char* name : {"b", "c", "a"}) create(plain_table(name));
  EXPECT_EQ(db().catalog().names("", 10), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(db().catalog().names("a", 1), (std::vector<std::string>{"b"}));
  EXPECT_TRUE(db().catalog().names("c", 1).empty());
}

TEST_F(CatalogTest, ARefusedChangeChangesNothing) {
  create(plain_table());
  const Catalog::Change refuse = [](TableInfo& info) -> Result<void> {
    info.deletion_protection = true;
    return model::refuse(Fault::kTableInUse);
  };
  EXPECT_FALSE(wait_for(db().catalog().change("T", refuse)).ok());
  reopen();
  EXPECT_FALSE(find("T")->deletion_protection);
  EXPECT_EQ(find("T")->revision, 1u);
}

TEST_F(CatalogTest, OlderVersionsAreWatchedUntilNobodyHoldsThem) {
  Table held = create(plain_table());
  const Catalog::Change change = [](TableInfo& info) -> Result<void> {
    info.deletion_protection = true;
    return {};
  };
  const Table newer = wait_for(db().catalog().change("T", change)).value();
  EXPECT_TRUE(db().catalog().older_in_use(*newer));
  EXPECT_FALSE(db().catalog().older_in_use(*held));
  held.reset();
  EXPECT_FALSE(db().catalog().older_in_use(*newer));
}

TEST_F(CatalogTest, ARemovedTableStaysAwayAndItsIdIsNotUsedAgain) {
  const Table first = create(plain_table());
  EXPECT_TRUE(wait_for(db().catalog().remove(first)).ok());
  EXPECT_EQ(find("T"), nullptr);
  const Table second = create(plain_table());
  EXPECT_NE(second->id, first->id);
  // Removing the first again does not touch the second.
  EXPECT_TRUE(wait_for(db().catalog().remove(first)).ok());
  reopen();
  ASSERT_NE(find("T"), nullptr);
  EXPECT_EQ(find("T")->id, second->id);
}

TEST_F(CatalogTest, StatusIsCreatingUntilItsTimeIsOver) {
  TableInfo table;
  table.status = Status::kCreating;
  table.settles_at_ms = 100;
  EXPECT_EQ(table.status_at(99), Status::kCreating);
  EXPECT_EQ(table.status_at(100), Status::kActive);
  table.status = Status::kDeleting;
  EXPECT_EQ(table.status_at(100), Status::kDeleting);
}

TEST_F(CatalogTest, ACleanStopKeepsTablesAndCounters) {
  create(with_index("T"));
  for (int64_t number = 0; number < 20; ++number) put("T", row(number));
  const std::string uuid = find("T")->uuid;
  reopen();
  ASSERT_NE(find("T"), nullptr);
  EXPECT_EQ(find("T")->uuid, uuid);
  EXPECT_FALSE(db().catalog().is_uncounted(*find("T")));
  expect_consistent("T");
  put("T", row(20));
  expect_consistent("T");
}

TEST_F(CatalogTest, AnUncleanStopHasEverythingCountedAgain) {
  create(with_index("T"));
  create(plain_table("Empty"));
  for (int64_t number = 0; number < 2'500; ++number) put("T", row(number));
  crash();
  open();
  wait_for_jobs();
  EXPECT_FALSE(db().catalog().is_uncounted(*find("T")));
  expect_consistent("T");
  expect_consistent("Empty");
  // What was stored by an earlier clean stop is not believed after an unclean one.
  reopen();
  put("T", row(9'999));
  crash();
  open();
  wait_for_jobs();
  expect_consistent("T");
}

TEST_F(CatalogTest, AnUnfinishedCountIsNotStored) {
  create(with_index("T"));
  for (int64_t number = 0; number < 10; ++number) put("T", row(number));
  crash();
  // Scans of a base table are the count's; what is written meanwhile must not hide that it never ended.
  std::atomic<bool> counting{false};
  std::promise<void> go_on;
  std::shared_future<void> may_go_on = go_on.get_future().share();
  const uint32_t first_table_id = 1;
  const std::string base = model::index_prefix(first_table_id, model::kBaseIndex);
  engine_.after_scan = [&](const storage::Range& range) {
    if (range.begin.starts_with(base) && !counting.exchange(true)) may_go_on.wait();
  };
  open();
  while (!counting) std::this_thread::yield();
  std::thread stopping([&] { close(); });
  // The job is in its first scan, and the count of the index is still to come when the stop is seen or not: either
  // way the counters are right after the next start.
  go_on.set_value();
  stopping.join();
  engine_.after_scan = nullptr;
  open();
  wait_for_jobs();
  expect_consistent("T");
}

TEST_F(CatalogTest, CountingDoesNotForgetWhatWasWrittenBefore) {
  create(with_index("T"));
  for (int64_t number = 0; number < 10; ++number) put("T", row(number));
  schedule_count(db(), find("T"));
  wait_for_jobs();
  expect_consistent("T");
}

}  // namespace
}  // namespace partita::table
