#include <atomic>
#include <chrono>
#include <thread>

#include "expr/update.h"
#include "table/items/transact.h"
#include "table/jobs/job_runner.h"
#include "table/open/table_testing.h"
#include "table/rows/counts.h"
#include "table/rows/job_row.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;
using model::Type;

constexpr int kWriters = 3;

Item key(int64_t number) { return item({{"pk", s("p" + std::to_string(number % 7))}, {"sk", n(number)}}); }

Item row(int64_t number, int64_t group) {
  Item made = key(number);
  made.set("g", s("g" + std::to_string(group)));
  made.set("note", n(group));
  return made;
}

api::WriteAction set_other(int64_t number, int64_t value) {
  api::WriteAction action;
  action.kind = Kind::kUpdate;
  action.key = key(number);
  auto given = expr::Placeholders::make(std::nullopt, item({{":v", n(value)}})).value();
  action.update = expr::parse_update("SET note = :v", given).value();
  return action;
}

api::UpdateTableRequest add_by_g(api::ProjectionKind kind = api::ProjectionKind::kKeysOnly) {
  return add_index("T", index_request("by-g", {hash("g")}, kind), {{"g", Type::kS}});
}

class JobsTest : public TableTest {
 protected:
  JobsTest() { create(plain_table()); }

  // One random change of one of `items` items. False when the table cannot be written any more.
  bool change_something(Random& random, uint64_t items) {
    const auto number = static_cast<int64_t>(random.below(items));
    api::WriteAction action;
    switch (random.below(4)) {
      case 0:
        action.kind = Kind::kDelete;
        action.key = key(number);
        break;
      case 1:
        action = set_other(number, static_cast<int64_t>(random.below(100)));
        break;
      default:
        Item made = row(number, static_cast<int64_t>(random.below(5)));
        if (random.below(4) == 0) made.erase("g");
        action.item = model::encode_item(made);
    }
    const auto written = write("T", action);
    if (written.ok()) return true;
    EXPECT_EQ(model::fault_of(written.error()), Fault::kResourceNotFound);
    return false;
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

  void put_job(const Job& job) { store(job_key(job), job_row(job)); }

  void fill_table(int64_t items) {
    for (int64_t number = 0; number < items; ++number) put("T", row(number, number % 5));
  }
};

TEST_F(JobsTest, ANewIndexHoldsTheItemsThatWereThere) {
  fill_table(2'500);
  EXPECT_EQ(update(add_by_g(api::ProjectionKind::kAll))->find_index("by-g")->status, Status::kCreating);
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  EXPECT_FALSE(find("T")->find_index("by-g")->backfilling);
  expect_consistent("T");
}

TEST_F(JobsTest, AFillKnowsHowManyItemsItGoesThrough) {
  fill_table(30);
  Job job;
  job.table = "T";
  job.table_id = find("T")->id;
  const std::vector<JobRow> types = all_job_types();
  const auto total = [&](JobKind kind) {
    const auto found = std::ranges::find(types, kind, &JobRow::kind);
    return wait_for(found->type->total(db(), job)).value();
  };
  EXPECT_EQ(total(JobKind::kFillIndex), std::optional<uint64_t>(30));
  EXPECT_EQ(total(JobKind::kFillExpiry), std::optional<uint64_t>(30));
  EXPECT_EQ(total(JobKind::kDropTable), std::nullopt);
}

TEST_F(JobsTest, ValuesThatCanNotBeKeysAreLeftOut) {
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
  // As on AWS such an item can be read, mended and removed, but not otherwise changed.
  const auto unrelated = write("T", set_other(2, 5));
  ASSERT_FALSE(unrelated.ok());
  EXPECT_EQ(model::fault_of(unrelated.error()), Fault::kUpdateIndexKeyType);
  api::WriteAction mend = set_other(2, 5);
  expr::Placeholders none;
  mend.update = expr::parse_update("REMOVE g", none).value();
  EXPECT_TRUE(write("T", mend).ok());
  EXPECT_TRUE(write("T", set_other(2, 5)).ok());
  EXPECT_TRUE(write(Kind::kDelete, "T", key(5)).ok());
  EXPECT_TRUE(write(Kind::kDelete, "T", key(4)).ok());
  EXPECT_EQ(rows("T", "by-g").size(), 1u);
}

// An update that the index does not see comes between the fill's look at the item and its write.
TEST_F(JobsTest, AnItemThatChangesWhileItIsFilledGetsItsRow) {
  fill_table(3);
  const std::string base = model::index_prefix(find("T")->id, model::kBaseIndex);
  bool changed = false;
  wait_for_jobs();  // the start's own
  engine_.after_scan = [&](const storage::Range& range, size_t) {
    if (changed || !range.begin.starts_with(base)) return;
    changed = true;
    const api::WriteAction unseen = set_other(1, 77);
    EXPECT_TRUE(write("T", unseen).ok());
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

TEST_F(JobsTest, AnIndexIsFilledWhileOthersWrite) {
  fill_table(600);
  auto writers = start_writers(1'500, 700);
  update(add_by_g(api::ProjectionKind::kAll));
  for (auto& writer : writers) writer.join();
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  expect_consistent("T");
}

TEST_F(JobsTest, AnInterruptedFillGoesOnWhereItWas) {
  for (const bool clean : {true, false}) {
    const std::string name = clean ? "clean" : "unclean";
    fill_table(500);
    wait_for_jobs();
    api::UpdateTableRequest adding = add_index("T", index_request(name, {hash("g")}), {{"g", Type::kS}});
    engine_.writes_left = 5;  // the change, the claim, the fill's begin, two times fifty items
    update(adding);
    while (engine_.writes_left >= 0) std::this_thread::yield();
    EXPECT_EQ(find("T")->find_index(name)->status, Status::kCreating);
    EXPECT_TRUE(find("T")->find_index(name)->backfilling);
    EXPECT_EQ(rows("T", name).size(), 100u);
    const auto jobs = wait_for(db().jobs().all()).value();
    ASSERT_EQ(jobs.size(), 1u);
    EXPECT_EQ(jobs[0].done, 100u);
    if (clean) engine_.writes_left = INT64_MAX;
    clean ? close() : crash();
    const std::string base = model::index_prefix(1, model::kBaseIndex);
    engine_.after_scan = [&](const storage::Range& range, size_t) { EXPECT_NE(range.begin, base); };
    open();
    wait_for_jobs();
    close();
    engine_.after_scan = nullptr;
    open();
    EXPECT_EQ(find("T")->find_index(name)->status, Status::kActive);
    EXPECT_FALSE(find("T")->find_index(name)->backfilling);
    expect_consistent("T");
  }
}

// Another server takes the job over in the middle of a step, and says that it is done with all items (which it is not,
// so that one sees whose word counts).
TEST_F(JobsTest, AJobThatWasTakenOverIsLeftToTheOther) {
  fill_table(50);
  wait_for_jobs();
  const std::string base = model::index_prefix(find("T")->id, model::kBaseIndex);
  std::atomic<bool> taken = false;
  close();
  engine_.after_scan = [&](const storage::Range& range, size_t) {
    if (range.begin != base || taken.exchange(true)) return;
    Job job = wait_for(db().jobs().all()).value().at(0);
    job.claim = 77;
    job.cursor = base + std::string(20, '\xff');
    put_job(job);
  };
  open();
  update(add_by_g());
  wait_for_jobs();
  close();
  engine_.after_scan = nullptr;
  open();
  EXPECT_TRUE(taken);
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  EXPECT_TRUE(rows("T", "by-g").empty());
}

TEST_F(JobsTest, AFillThatTheStoreRefusesIsTriedAgain) {
  fill_table(300);
  engine_.writes_left = 4;
  update(add_by_g());
  while (engine_.writes_left >= 0) std::this_thread::yield();
  engine_.writes_left = INT64_MAX;
  while (find("T")->find_index("by-g")->status != Status::kActive) std::this_thread::yield();
  wait_for_jobs();
  expect_consistent("T");
}

TEST_F(JobsTest, ADroppedIndexLeavesNothing) {
  fill_table(100);
  update(add_by_g());
  wait_for_jobs();
  EXPECT_EQ(stored_rows(find("T")->id), 200u);
  auto writers = start_writers(500, 100);
  update(drop_index("T", "by-g"));
  for (auto& writer : writers) writer.join();
  wait_for_jobs();
  EXPECT_TRUE(find("T")->indexes.empty());
  TableInfo settled = *find("T");
  settled.settle(clock_.now_ms());
  EXPECT_EQ(settled.find_definition("g"), nullptr);
  EXPECT_EQ(stored_rows(find("T")->id), rows("T").size());
  // The name is free again, for an index that knows nothing of the first.
  update(add_index("T", index_request("by-g", {hash("note")}), {{"note", Type::kN}}));
  wait_for_jobs();
  expect_consistent("T");
}

TEST_F(JobsTest, AnInterruptedDropIsTakenUpAgain) {
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

// What was refused is not taken for done only because the store cannot be asked.
TEST_F(JobsTest, ADropThatWasRefusedWaitsUntilTheStoreCanBeRead) {
  fill_table(100);
  update(add_by_g());
  wait_for_jobs();
  engine_.writes_left = 2;
  update(drop_index("T", "by-g"));
  while (engine_.writes_left >= 0) std::this_thread::yield();
  engine_.blind = true;
  engine_.writes_left = INT64_MAX;
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  engine_.blind = false;
  wait_for_jobs();
  EXPECT_TRUE(find("T")->indexes.empty());
  EXPECT_EQ(stored_rows(find("T")->id), 100u);
}

// Somebody is still at work with the table as it was before the index was there, or while it still was.
TEST_F(JobsTest, AWriteByAnOlderDescriptionNeverHappens) {
  fill_table(10);
  const Table without = find("T");
  update(add_by_g());
  wait_for_jobs();
  const Table with = find("T");
  api::WriteAction late;
  late.item = model::encode_item(row(50, 1));
  auto refused = wait_for(write_item(db(), without, late));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(Database::binds_again(refused.error()));
  update(drop_index("T", "by-g"));
  refused = wait_for(write_item(db(), with, late));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(Database::binds_again(refused.error()));
  api::BatchWriteRequest batch;
  batch.parts.push_back({"T", {late}});
  const auto batch_plan = table::bind(batch, std::vector<Result<Table>>{with});
  EXPECT_TRUE(Database::binds_again(wait_for(run(db(), *batch_plan)).error()));
  api::TransactWriteRequest transaction;
  transaction.parts.push_back({"T", late});
  const auto transaction_plan = table::bind(transaction, std::vector<Result<Table>>{with});
  EXPECT_TRUE(Database::binds_again(wait_for(run(db(), *transaction_plan)).error()));
  wait_for_jobs();
  EXPECT_EQ(stored_rows(with->id), 10u);
  expect_consistent("T");
}

// A change of one index leaves another one's fill alone, whether it has begun or not.
TEST_F(JobsTest, AnActiveIndexDoesNotBecomeUnfinishedAgain) {
  fill_table(10);
  update(add_by_g());
  api::UpdateTableRequest settings;
  settings.name = "T";
  settings.indexes.emplace().emplace_back();
  wait_for_jobs();
  settings.indexes->back().changed = "by-g";
  settings.indexes->back().on_demand.max_read_units = 5;
  update(settings);
  Job again;
  again.kind = JobKind::kFillIndex;
  again.table = "T";
  again.table_id = find("T")->id;
  again.index_id = find("T")->find_index("by-g")->id;
  put_job(again);
  wait_for_jobs();
  TableInfo settled = *find("T");
  settled.settle(clock_.now_ms());
  EXPECT_EQ(settled.find_index("by-g")->status, Status::kActive);
  EXPECT_FALSE(settled.find_index("by-g")->backfilling);
  EXPECT_EQ(settled.find_index("by-g")->on_demand.max_read_units, 5);
  expect_consistent("T");
}

TEST_F(JobsTest, ATableIsDeletedWhileOthersWrite) {
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

TEST_F(JobsTest, AnInterruptedDeletionIsTakenUpAgain) {
  fill_table(200);
  const uint32_t id = find("T")->id;
  wait_for_jobs();
  engine_.writes_left = 2;  // the change and the claim, but not the erasing
  EXPECT_TRUE(wait_for(delete_table(db(), "T")).ok());
  while (engine_.writes_left >= 0) std::this_thread::yield();
  EXPECT_FALSE(db().ready_table("T").ok());
  crash();
  open();
  wait_for_jobs();
  EXPECT_EQ(find("T"), nullptr);
  EXPECT_EQ(stored_rows(id), 0u);
}

TEST_F(JobsTest, ANewIndexProjectsNoMoreThanATableMay) {
  api::IndexRequest wide = index_request("wide", {hash("g")}, api::ProjectionKind::kInclude);
  wide.projected.emplace();
  for (int i = 0; i < 60; ++i) wide.projected->push_back("a" + std::to_string(i));
  update(add_index("T", wide, {{"g", Type::kS}}));
  wait_for_jobs();
  wide.name = "wider";
  const api::UpdateTableRequest second = add_index("T", wide, {{"g", Type::kS}});
  const auto refused = wait_for(update_table(db(), second));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kProjectionAttributesTooMany);
}

// What was counted before an unclean stop is what is there, and nothing is counted again.
TEST_F(JobsTest, CountsSurviveAnUncleanStop) {
  update(add_by_g());
  fill_table(300);
  wait_for_jobs();
  const std::string base = model::index_prefix(find("T")->id, model::kBaseIndex);
  crash();
  std::atomic<bool> scanned = false;
  engine_.after_scan = [&](const storage::Range& range, size_t) { scanned = scanned || range.begin == base; };
  open();
  wait_for_jobs();
  EXPECT_FALSE(scanned);
  close();
  engine_.after_scan = nullptr;
  open();
  expect_consistent("T");
  put("T", row(9'999, 1));
  EXPECT_TRUE(write(Kind::kDelete, "T", key(1)).ok());
  expect_consistent("T");
}

// A store that was made before counts were kept in it.
TEST_F(JobsTest, WhatWasNeverCountedIsCountedWhileOthersWrite) {
  update(add_by_g(api::ProjectionKind::kAll));
  fill_table(2'500);
  wait_for_jobs();
  const uint32_t id = find("T")->id;
  close();
  ASSERT_TRUE(wait_for(engine_.erase_range(count_rows(id))).ok());
  open();
  auto writers = start_writers(1'500, 3'000);
  for (auto& writer : writers) writer.join();
  wait_for_jobs();
  EXPECT_TRUE(find("T")->counting.empty());
  expect_consistent("T");
  reopen();
  wait_for_jobs();
  expect_consistent("T");
}

// Between the pages of a count, and between a page and the notes behind it, rows come, change and go on both sides of
// the cursor.
TEST_F(JobsTest, ACountIsExactWhateverChangesMeanwhile) {
  fill_table(2'500);
  wait_for_jobs();
  const uint32_t id = find("T")->id;
  close();
  ASSERT_TRUE(wait_for(engine_.erase_range(count_rows(id))).ok());
  const std::string base = model::index_prefix(id, model::kBaseIndex);
  SeededRandom random(5);
  std::atomic<int> scans = 0;
  std::atomic<bool> opened = false;  // jobs begin before it is
  std::atomic<bool> changing = false;
  engine_.after_scan = [&](const storage::Range& range, size_t) {
    if (!opened || !range.begin.starts_with(base) || changing.exchange(true)) return;
    ++scans;
    for (int i = 0; i < 40; ++i) change_something(random, 3'000);
    changing = false;
  };
  open();
  opened = true;
  wait_for_jobs();
  close();
  engine_.after_scan = nullptr;
  open();
  EXPECT_GE(scans, 3);
  expect_consistent("T");
}

TEST_F(JobsTest, ADamagedItemHasNoRowInANewIndex) {
  fill_table(3);
  storage::Key damaged = item_key(*find("T"), key(7));
  store(damaged, "?");
  damaged = item_key(*find("T"), key(8));
  Item keyless;
  keyless.set("g", s("g"));
  store(damaged, model::encode_item(keyless));
  update(add_by_g());
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  EXPECT_EQ(rows("T", "by-g").size(), 3u);
}

// The count of a new index ends at the base row, which cannot be read: it waits, and goes on when it can.
TEST_F(JobsTest, ADamagedCountRowStopsItsCountAndNothingElse) {
  wait_for_jobs();
  const storage::Key base = base_count_key(find("T")->id);
  std::atomic<bool> damaged = false;
  close();
  engine_.after_scan = [&](const storage::Range& range, size_t) {
    const bool fills = range.begin == model::index_prefix(1, model::kBaseIndex);
    if (fills && !damaged.exchange(true)) store(base, "?");
  };
  open();
  update(add_by_g());
  const auto job_is_stuck = [&] {
    const auto jobs = wait_for(db().jobs().all()).value();
    return jobs.size() == 1 && jobs[0].kind == JobKind::kCount && jobs[0].ended_at != 0;
  };
  while (!job_is_stuck()) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(job_is_stuck());
  put("T", row(1, 1));
  EXPECT_EQ(rows("T", "by-g").size(), 1u);
  std::string sound;
  encode_counts({}, sound);
  store(base, sound);
  wait_for_jobs();
  close();
  engine_.after_scan = nullptr;
  open();
  expect_consistent("T");
}

// Its row comes before those of all others.
TEST_F(JobsTest, ADamagedJobIsSaidAndStopsNoOther) {
  fill_table(3);
  Job damaged;
  damaged.kind = JobKind::kCount;
  damaged.table_id = 0;
  testing::internal::CaptureStderr();
  store(job_key(damaged), "?");
  update(add_by_g());
  wait_for_jobs();
  EXPECT_EQ(find("T")->find_index("by-g")->status, Status::kActive);
  EXPECT_EQ(rows("T", "by-g").size(), 3u);
  close();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the job's row c of table 0, index 0 is damaged"), std::string::npos) << said;
  EXPECT_EQ(said.find("is damaged"), said.rfind("is damaged")) << said;
  open();
}

// A row that changes no more goes into the base row.
TEST_F(JobsTest, CountRowsAreSummedUp) {
  const Catalog::Change nothing = [](TableInfo&) { return Result<void>(); };
  for (int64_t number = 0; number < 50; ++number) {
    put("T", row(number, 1));
    ASSERT_TRUE(wait_for(db().catalog().change("T", nothing)).ok());
  }
  EXPECT_GE(wait_for(read_counts(engine_, find("T")->id)).value().rows, 50u);
  const Table table = find("T");
  EXPECT_TRUE(wait_for(db().sum_up_counts(table)).ok());
  wait_for_jobs();
  EXPECT_LE(wait_for(read_counts(engine_, table->id)).value().rows, 2u);
  expect_consistent("T");
}

// The store says no more of a write than that it may have happened.
TEST_F(JobsTest, CountsAreRightWhateverBecameOfAWrite) {
  for (int number = 0; number < 40; ++number) {
    engine_.unknown = number % 3;  // 0: known, 1: it happened, 2: it did not
    static_cast<void>(write(Kind::kPut, "T", row(number, 1)).ok());
    engine_.unknown = 0;
    put("T", row(100 + number, 1));
  }
  expect_consistent("T");
}

TEST_F(JobsTest, ADeletionDoesNotWaitForAnotherTablesIndex) {
  create(plain_table("Small"));
  fill_table(3'000);
  wait_for_jobs();
  const std::string base = model::index_prefix(find("T")->id, model::kBaseIndex);
  std::atomic<bool> filling = false;
  std::atomic<bool> deleted_first = false;
  engine_.after_scan = [&](const storage::Range& range, size_t) {
    if (!range.begin.starts_with(base)) return;
    filling = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  update(add_by_g());
  while (!filling) std::this_thread::yield();
  EXPECT_TRUE(wait_for(delete_table(db(), "Small")).ok());
  while (find("Small") != nullptr) std::this_thread::yield();
  deleted_first = find("T")->find_index("by-g")->status == Status::kCreating;
  wait_for_jobs();
  close();
  engine_.after_scan = nullptr;
  open();
  EXPECT_TRUE(deleted_first);
  expect_consistent("T");
}

}  // namespace
}  // namespace partita::table
