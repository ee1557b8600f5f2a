// Sinks when something beside the other end is wrong, or slow.
#include <gtest/gtest.h>

#include <thread>

#include "sinks/carry_job.h"
#include "sinks/dead_letters.h"
#include "sinks/mark.h"
#include "sinks/sinks_testing.h"
#include "table/control/tables.h"
#include "table/rows/item_rows.h"
#include "table/rows/job_row.h"

namespace partita::sinks {
namespace {

class CarriageFaults : public SinksTest {
 protected:
  static std::string pk_of(uint64_t number) { return "item" + std::to_string(number); }

  void drop_letters() {
    ASSERT_TRUE(wait_for(table::delete_table(db(), kLetters)).ok());
    wait_until([&] { return wait_for(db().newest_table(kLetters)).value() == nullptr; }, "until the letters are gone");
  }
  // Their table becomes one that cannot hold them.
  void spoil_letters() {
    drop_letters();
    create_table(kLetters);
  }
  // What the other end should have of the table "T".
  std::map<std::string, model::Item> sound() {
    std::map<std::string, model::Item> items = expected("T");
    std::erase_if(items, [](const auto& one) { return one.second.contains(OtherEnd::kPoison); });
    return items;
  }

  // A server of several, which makes destinations so.
  std::unique_ptr<table::Database> serve_with(const FindDestination& find) {
    table::DatabaseOptions shared = options_;
    shared.exclusive = false;
    shared.lease_ms = 60'000;
    shared.make_job = [find](table::JobKind kind) -> std::unique_ptr<table::JobType> {
      return kind == table::JobKind::kCarry ? make_carry_job(find, find_change_destination) : nullptr;
    };
    return table::Database::open(*engine_, system_clock(), system_random(), shared).value();
  }

  static constexpr const char* kLetters = "T-dead-letters";
};

TEST_F(CarriageFaults, AFillForgetsNothingIfALetterCannotBeStored) {
  create_table("T");
  for (uint64_t i = 0; i < 60; ++i) put("T", pk_of(i), 1, i % 10 == 0);
  create();
  spoil_letters();
  other_.later = 50;
  const auto server = serve();
  wait_until([&] { return status().state() == SinkState::kFailed; }, "until the letters fail");
  other_.later = 0;
  drop_letters();
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_carried();
  EXPECT_TRUE(other_.published() == sound());
}

// More is written during a fill than may wait, and the other end puts some of it off.
TEST_F(CarriageFaults, WhatGathersDuringAFillIsSentAfterIt) {
  create_table("T");
  for (uint64_t i = 0; i < 20; ++i) put("T", pk_of(i), 1);
  const table::Sink sink = create();
  const auto shrink = [](table::Sink& one) {
    one.max_backlog_bytes = 1'000;
    return true;
  };
  ASSERT_TRUE(wait_for(change_sink(*engine_, sink.table_id, sink.number, shrink)).ok());
  other_.slow_ms = 400;
  other_.later = 60;
  const auto server = serve();
  wait_until([&] { return other_.requests > 0; }, "until the fill has begun");
  for (uint64_t i = 0; i < 100; ++i) put("T", pk_of(i), 2);
  wait_until([&] { return other_.requests >= 6; }, "until what waits was counted");
  other_.later = 0;
  wait_until([&] { return status().state() == SinkState::kCarrying; }, "until the fill is complete");
  put("T", "last", 1);
  wait_until_carried();
  EXPECT_EQ(status().sink.generation, sink.generation);
  EXPECT_TRUE(other_.published() == expected("T"));
}

// A retry that cannot read the letters is told, and what fails in it does not keep changes back.
TEST_F(CarriageFaults, ARetryWithoutLettersIsTold) {
  create_table("T");
  put("T", "bad", 1, true);
  const auto server = serve();
  create();
  wait_until_carried();
  spoil_letters();
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  put("T", "good", 1);
  wait_until([&] { return status().state() == SinkState::kFailed; }, "until the retry fails");
  EXPECT_NE(status().sentence().find("cannot hold dead letters"), std::string::npos);
  EXPECT_TRUE(other_.published() == sound());
  drop_letters();
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until([&] { return status().progress.retries == 1; }, "until the letters were tried");
}

// Many letters are tried by turns with the changes.
TEST_F(CarriageFaults, ChangesAreCarriedDuringARetry) {
  create_table("T");
  for (uint64_t i = 0; i < 1'500; ++i) put("T", pk_of(i), 1, true);
  const auto server = serve();
  create();
  wait_until_carried();
  other_.slow_ms = 200;
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return other_.documents >= 1'700; }, "until letters are tried");
  put("T", "good", 1);
  wait_until([&] { return other_.published() == sound(); }, "until the change is carried");
  EXPECT_EQ(status().progress.retries, 0u);
  other_.slow_ms = 0;
  wait_until([&] { return status().progress.retries == 1; }, "until the letters were tried");
}

// A server that does not know yet that another has taken the sink over drops no changes of it.
TEST_F(CarriageFaults, TheLogsAreTheNewOwners) {
  create_table("T");
  table::DatabaseOptions shared = options_;
  shared.exclusive = false;
  shared.lease_ms = 60'000;
  const auto server = serve(*engine_, shared);
  const table::Sink sink = create();
  wait_until_carried();
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const storage::Key key = table::job_key(table::JobKind::kCarry, sink.table_id, sink.number);
  const storage::Decide take_over = [&](std::span<const storage::Record* const> found, storage::Changes& changes) {
    table::Job job = table::job_from(key.bytes, found[0]->value).value();
    ++job.claim;
    changes.put(key, table::job_row(job));
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine_->transact({key}, {}, take_over)).ok());
  const auto shrink = [](table::Sink& one) {
    one.max_backlog_bytes = 1'000;
    return true;
  };
  ASSERT_TRUE(wait_for(change_sink(*engine_, sink.table_id, sink.number, shrink)).ok());
  for (uint64_t i = 0; i < 100; ++i) put("T", pk_of(i), 1);
  wait_until([&] { return status().sink.generation != sink.generation; }, "until too much waits");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  size_t entries = 0;
  for (size_t i = 0; i < table::kSinkSlices; ++i) {
    entries += wait_for(engine_->read_log(table::sink_topic(sink.table_id, sink.number, i), {}, 1'000, 1 << 20))
                   .value()
                   .size();
  }
  EXPECT_EQ(entries, 100u);
}

// The other end is gone for good, so its index cannot be deleted.
TEST_F(CarriageFaults, ADeletionNeedNotWaitForTheOtherEnd) {
  create_table("T");
  const auto server = serve();
  create();
  wait_until_carried();
  other_.down = true;
  ASSERT_TRUE(wait_for(delete_sink(db(), "T", "memory", true)).ok());
  wait_until([&] { return !status().progress.trouble.empty(); }, "until the deletion waits");
  ASSERT_TRUE(wait_for(delete_sink(db(), "T", "memory", true)).ok());
  EXPECT_EQ(status().state(), SinkState::kDeleting);
  ASSERT_TRUE(wait_for(delete_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return wait_for(list_sinks(db(), "")).value().empty(); }, "until the sink is gone");
  EXPECT_EQ(other_.generations().size(), 1u);
}

// A backup was made while a fill waited to begin. What followed filled that index, before the backup was restored.
TEST_F(CarriageFaults, AFillTakesNoIndexOfAnAbandonedFuture) {
  create_table("T");
  put("T", "a", 1);
  const auto server = serve();
  create();
  wait_until_carried();
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", true)).ok());
  const Generation wanted = status().sink.generation;
  auto future = other_.factory(nullptr)({}, {}).value();
  ASSERT_TRUE(future->prepare(wanted).ok());
  model::Item later;
  later.set("pk", model::AttributeValue::string("a"));
  const table::Table table = db().catalog().find("T");
  const Delivery delivery{table::item_key(*table, later).bytes, INT64_MAX, &later};
  ASSERT_TRUE(future->send(wanted, {&delivery, 1}).ok());
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_carried();
  EXPECT_GT(status().sink.generation, wanted);
  EXPECT_TRUE(other_.published() == expected("T"));
  EXPECT_EQ(other_.generations().size(), 1u);
}

// Of two servers that took each other for gone, each wrote a mark; no version of either is forgotten.
TEST_F(CarriageFaults, AMarkIsNeverLowered) {
  create_table("T");
  for (uint64_t i = 0; i < 40; ++i) put("T", pk_of(i), 1);
  const auto server = serve();
  const table::Sink sink = create();
  wait_until_carried();
  auto other = other_.factory(nullptr)({}, {}).value();
  ASSERT_TRUE(other->write_mark(sink.generation, "900000 0 0 0", 900'000).value());
  for (uint64_t i = 0; i < 40; ++i) put("T", pk_of(i), 2);
  wait_until_carried();
  const Versions versions = versions_in(other->read_mark(sink.generation).value().value_or(""));
  EXPECT_EQ(versions[0], 900'000u);
  for (const uint64_t one : versions) EXPECT_GT(one, 1u);
}

// Another server can do what this one, without libcurl, cannot.
TEST_F(CarriageFaults, AServerThatCannotConnectLeavesTheSinkToOthers) {
  create_table("T");
  put("T", "a", 1);
  create();
  std::atomic<int> asked{0};
  const FindDestination lacking = [&asked](std::string_view) -> Result<DestinationFactory> {
    ++asked;
    return Error(ErrorKind::kInvalid, "libcurl is missing.");
  };
  const auto one = serve_with(lacking);
  wait_until([&] { return asked > 0 && status().progress.trouble == "libcurl is missing."; }, "until it is told");
  const DestinationFactory factory = other_.factory(nullptr);
  const auto other = serve_with([factory](std::string_view) { return Result<DestinationFactory>(factory); });
  wait_until_carried();
  EXPECT_TRUE(other_.published() == expected("T"));
  wait_until([&] { return status().progress.trouble.empty(); }, "until the trouble is over");
}

TEST_F(CarriageFaults, ARequestWithoutMemoryIsTriedAgain) {
  create_table("T");
  put("T", "a", 1);
  const auto server = serve();
  create();
  wait_until_carried();
  other_.no_memory = 2;
  put("T", "a", 2);
  wait_until_carried();
  EXPECT_EQ(other_.no_memory, 0);
  EXPECT_TRUE(other_.published() == expected("T"));
}

TEST_F(CarriageFaults, ReadsLargeItemsOneAfterTheOther) {
  create_table("T");
  model::Item item;
  item.set("text", model::AttributeValue::string(std::string(100'000, 'x')));
  const auto put_all = [&](int64_t value) {
    for (uint64_t i = 0; i < 60; ++i) {
      item.set("pk", model::AttributeValue::string(pk_of(i)));
      item.set("value", model::AttributeValue::number(model::Number::of(value)));
      put_item("T", item);
    }
  };
  put_all(1);
  CutEngine engine(*engine_);
  const auto server = serve(engine, options_);
  create();
  wait_until_carried();
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  put_all(2);
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_carried();
  EXPECT_TRUE(other_.published() == expected("T"));
  EXPECT_LT(engine.largest_read, size_t{2} << 20);
}

TEST_F(CarriageFaults, TrimsOnlyTheLogsThatWereRead) {
  create_table("T");
  CutEngine engine(*engine_);
  const auto server = serve(engine, options_);
  create();
  wait_until_carried();
  for (uint64_t i = 0; i < 40; ++i) put("T", pk_of(i), 1);
  wait_until_carried();
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const uint64_t trims = engine.trims;
  put("T", "a", 2);
  wait_until_carried();
  wait_until([&] { return engine.trims > trims; }, "until the log is trimmed");
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  EXPECT_EQ(engine.trims, trims + 1);
}

}  // namespace
}  // namespace partita::sinks
