#include "table/upkeep.h"

#include <algorithm>
#include <thread>

#include "base/bytes.h"
#include "expr/update.h"
#include "table/table_testing.h"

namespace partita::table {
namespace {

using Kind = WriteAction::Kind;
using model::Type;

constexpr int kWriters = 3;

Item key(int64_t number) { return item({{"pk", s("p" + std::to_string(number % 7))}, {"sk", n(number)}}); }

Item row(int64_t number, int64_t group) {
  Item made = key(number);
  made.set("g", s("g" + std::to_string(group)));
  made.set("note", n(group));
  return made;
}

WriteAction set_other(int64_t number, int64_t value) {
  WriteAction action;
  action.kind = Kind::kUpdate;
  action.item = key(number);
  auto given = expr::Placeholders::make(std::nullopt, item({{":v", n(value)}})).value();
  action.update = expr::parse_update("SET note = :v", given).value();
  return action;
}

TableUpdate add_by_g(ProjectionKind kind = ProjectionKind::kKeysOnly) {
  return add_index("T", index_request("by-g", {hash("g")}, kind), {{"g", Type::kS}});
}

class UpkeepTest : public TableTest {
 protected:
  UpkeepTest() { create(plain_table()); }

  // One random change of one of `items` items. False when the table can not be written any more.
  bool change_something(Random& random, uint64_t items) {
    const Result<Table> table = db().ready_table("T");
    if (!table.ok()) return false;
    const auto number = static_cast<int64_t>(random.below(items));
    WriteAction action;
    switch (random.below(4)) {
      case 0:
        action.kind = Kind::kDelete;
        action.item = key(number);
        break;
      case 1:
        action = set_other(number, static_cast<int64_t>(random.below(100)));
        break;
      default:
        action.item = row(number, static_cast<int64_t>(random.below(5)));
        if (random.below(4) == 0) action.item.erase("g");
    }
    EXPECT_TRUE(wait_for(write_item(db(), *table, action)).ok());
    return true;
  }

  // Threads that change items at random, each `changes` times or until the table is gone.
  std::vector<std::thread> start_writers(int changes, uint64_t items) {
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([this, i, changes, items] {
        SeededRandom random(static_cast<uint64_t>(i) + 100);
        for (int left = changes; left > 0 && change_something(random, items); --left) {
          if (left % 50 == 0) std::this_thread::yield();
        }
      });
    }
    return writers;
  }

  void fill_table(int64_t items) {
    for (int64_t number = 0; number < items; ++number) put("T", row(number, number % 5));
  }
};

TEST_F(UpkeepTest, ANewIndexHoldsTheItemsThatWereThere) {
  fill_table(2'500);
  EXPECT_EQ(update(add_by_g(ProjectionKind::kAll))->find_index("by-g")->status, Status::kCreating);
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  EXPECT_FALSE(find("T")->find_index("by-g")->backfilling);
  expect_consistent("T");
}

TEST_F(UpkeepTest, ValuesThatCanNotBeKeysAreLeftOut) {
  put("T", row(1, 1));
  Item number = key(2);
  number.set("g", n(2));
  Item empty = key(3);
  empty.set("g", s(""));
  Item longest = key(4);
  longest.set("g", s(std::string(2'048, 'x')));
  Item too_long = key(5);
  too_long.set("g", s(std::string(100'000, 'x')));
  for (const Item& one : {number, empty, longest, too_long}) put("T", one);
  update(add_by_g());
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  EXPECT_EQ(rows("T", "by-g").size(), 2u);
  // The items themselves can still be changed and removed.
  EXPECT_TRUE(write(Kind::kDelete, "T", key(5)).ok());
  EXPECT_TRUE(write(Kind::kDelete, "T", key(4)).ok());
  EXPECT_EQ(rows("T", "by-g").size(), 1u);
}

// An update that the index does not see comes between the fill's look at the item and its write.
TEST_F(UpkeepTest, AnItemThatChangesWhileItIsFilledGetsItsRow) {
  fill_table(3);
  const std::string base = model::index_prefix(find("T")->id, model::kBaseIndex);
  bool changed = false;
  wait_for_jobs();  // the start's own
  engine_.after_scan = [&](const storage::Range& range) {
    if (changed || !range.begin.starts_with(base)) return;
    changed = true;
    const WriteAction unseen = set_other(1, 77);
    EXPECT_TRUE(wait_for(write_item(db(), find("T"), unseen)).ok());
    EXPECT_TRUE(write(Kind::kPut, "T", row(2, 4)).ok());
    EXPECT_TRUE(write(Kind::kDelete, "T", key(0)).ok());
    EXPECT_TRUE(write(Kind::kPut, "T", row(10, 3)).ok());
  };
  update(add_by_g());
  wait_for_jobs();
  engine_.after_scan = nullptr;
  EXPECT_TRUE(changed);
  EXPECT_EQ(rows("T", "by-g").size(), 3u);
  expect_consistent("T");
}

TEST_F(UpkeepTest, AnIndexIsFilledWhileOthersWrite) {
  fill_table(600);
  auto writers = start_writers(1'500, 700);
  update(add_by_g(ProjectionKind::kAll));
  for (auto& writer : writers) writer.join();
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  // What was written during the count may be counted twice; the rows are exact, and so is a count in peace.
  schedule_count(db(), find("T"));
  wait_for_jobs();
  expect_consistent("T");
}

TEST_F(UpkeepTest, AnInterruptedFillIsTakenUpAgain) {
  for (const bool clean : {true, false}) {
    const std::string name = clean ? "clean" : "unclean";
    fill_table(500);
    TableUpdate adding = add_index("T", index_request(name, {hash("g")}), {{"g", Type::kS}});
    engine_.writes_left = 4;  // the change, the fill's begin, two times a hundred items
    update(adding);
    while (engine_.writes_left >= 0) std::this_thread::yield();
    EXPECT_EQ(find("T")->find_index(name)->status, Status::kCreating);
    EXPECT_TRUE(find("T")->find_index(name)->backfilling);
    EXPECT_EQ(rows("T", name).size(), 200u);
    if (clean) engine_.writes_left = INT64_MAX;
    clean ? close() : crash();
    open();
    auto writers = start_writers(200, 600);
    for (auto& writer : writers) writer.join();
    wait_for_jobs();
    EXPECT_EQ(find("T")->find_index(name)->status, Status::kActive);
    EXPECT_FALSE(find("T")->find_index(name)->backfilling);
    schedule_count(db(), find("T"));
    wait_for_jobs();
    expect_consistent("T");
  }
}

TEST_F(UpkeepTest, AFillThatTheStoreRefusesIsTriedAgain) {
  fill_table(300);
  engine_.writes_left = 3;
  update(add_by_g());
  while (engine_.writes_left >= 0) std::this_thread::yield();
  engine_.writes_left = INT64_MAX;
  while (find("T")->find_index("by-g")->status != Status::kActive) std::this_thread::yield();
  wait_for_jobs();
  expect_consistent("T");
}

TEST_F(UpkeepTest, ADroppedIndexLeavesNothing) {
  fill_table(100);
  update(add_by_g());
  wait_for_jobs();
  EXPECT_EQ(stored_rows(find("T")->id), 200u);
  auto writers = start_writers(500, 100);
  update(drop_index("T", "by-g"));
  for (auto& writer : writers) writer.join();
  wait_for_jobs();
  EXPECT_TRUE(find("T")->indexes.empty());
  EXPECT_EQ(find("T")->find_definition("g"), nullptr);
  EXPECT_EQ(stored_rows(find("T")->id), rows("T").size());
  // The name is free again, for an index that knows nothing of the first.
  update(add_index("T", index_request("by-g", {hash("note")}), {{"note", Type::kN}}));
  wait_for_jobs();
  expect_consistent("T");
}

TEST_F(UpkeepTest, AnInterruptedDropIsTakenUpAgain) {
  fill_table(100);
  update(add_by_g());
  wait_for_jobs();
  engine_.writes_left = 1;
  update(drop_index("T", "by-g"));
  while (engine_.writes_left >= 0) std::this_thread::yield();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kDeleting);
  crash();
  open();
  wait_for_jobs();
  EXPECT_TRUE(find("T")->indexes.empty());
  EXPECT_EQ(stored_rows(find("T")->id), 100u);
  expect_consistent("T");
}

// Somebody is still at work with the table as it was before the index was dropped.
TEST_F(UpkeepTest, ADropWaitsForThoseWhoStillKnowTheIndex) {
  fill_table(10);
  update(add_by_g());
  wait_for_jobs();
  Table old = find("T");
  update(drop_index("T", "by-g"));
  WriteAction late;
  late.item = row(50, 1);
  EXPECT_TRUE(wait_for(write_item(db(), old, late)).ok());
  const uint32_t id = old->id;
  old.reset();
  wait_for_jobs();
  EXPECT_EQ(stored_rows(id), 11u);
}

// A change of one index leaves another one's fill alone, whether it has begun or not.
TEST_F(UpkeepTest, AnActiveIndexDoesNotBecomeUnfinishedAgain) {
  fill_table(10);
  update(add_by_g());
  TableUpdate settings;
  settings.name = "T";
  settings.indexes.emplace_back();
  wait_for_jobs();
  settings.indexes.back().changed = "by-g";
  settings.indexes.back().on_demand.max_read_units = 5;
  update(settings);
  schedule_index_fill(db(), find("T"), find("T")->find_index("by-g")->id);
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  EXPECT_FALSE(find("T")->find_index("by-g")->backfilling);
  EXPECT_EQ(find("T")->find_index("by-g")->on_demand.max_read_units, 5);
  expect_consistent("T");
}

TEST_F(UpkeepTest, ATableIsDeletedWhileOthersWrite) {
  update(add_by_g());
  wait_for_jobs();
  fill_table(200);
  const uint32_t id = find("T")->id;
  auto writers = start_writers(100'000, 300);
  const auto deleted = wait_for(delete_table(db(), "T"));
  ASSERT_TRUE(deleted.ok());
  EXPECT_EQ((*deleted)->status, Status::kDeleting);
  for (auto& writer : writers) writer.join();
  wait_for_jobs();
  EXPECT_EQ(find("T"), nullptr);
  EXPECT_EQ(stored_rows(id), 0u);
  EXPECT_NE(create(plain_table())->id, id);
  EXPECT_TRUE(rows("T").empty());
}

TEST_F(UpkeepTest, AnInterruptedDeletionIsTakenUpAgain) {
  fill_table(200);
  const uint32_t id = find("T")->id;
  engine_.writes_left = 2;  // the change and the erasing, but not the entry in the catalogue
  EXPECT_TRUE(wait_for(delete_table(db(), "T")).ok());
  while (engine_.writes_left >= 0) std::this_thread::yield();
  EXPECT_FALSE(db().ready_table("T").ok());
  crash();
  open();
  wait_for_jobs();
  EXPECT_EQ(find("T"), nullptr);
  EXPECT_EQ(stored_rows(id), 0u);
}

TEST_F(UpkeepTest, WhatIsAtWorkIsNotChangedTwice) {
  fill_table(1);
  Table held = find("T");
  update(add_by_g());  // its fill waits for `held`
  const TableUpdate second = add_index("T", index_request("two", {hash("pk")}), {});
  const auto two = wait_for(update_table(db(), second));
  ASSERT_FALSE(two.ok());
  EXPECT_EQ(model::fault_of(two.error()), Fault::kOneOnlineIndex);
  const TableUpdate dropping = drop_index("T", "by-g");
  const auto dropped = wait_for(update_table(db(), dropping));
  ASSERT_FALSE(dropped.ok());
  EXPECT_EQ(model::fault_of(dropped.error()), Fault::kIndexInUse);
  const auto deleted = wait_for(delete_table(db(), "T"));
  ASSERT_FALSE(deleted.ok());
  EXPECT_EQ(model::fault_of(deleted.error()), Fault::kTableInUse);
  held.reset();
  wait_for_jobs();
  expect_consistent("T");
}

TEST_F(UpkeepTest, ANewIndexProjectsNoMoreThanATableMay) {
  IndexRequest wide = index_request("wide", {hash("g")}, ProjectionKind::kInclude);
  wide.projected.emplace();
  for (int i = 0; i < 60; ++i) wide.projected->push_back("a" + std::to_string(i));
  update(add_index("T", wide, {{"g", Type::kS}}));
  wait_for_jobs();
  wide.name = "wider";
  const TableUpdate second = add_index("T", wide, {});
  const auto refused = wait_for(update_table(db(), second));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kProjectionAttributesTooMany);
}

TEST_F(UpkeepTest, AStopDoesNotWaitForRequestsThatHoldATable) {
  Table held = find("T");
  update(add_by_g());
  close();
  held.reset();
  open();
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
}

}  // namespace
}  // namespace partita::table
