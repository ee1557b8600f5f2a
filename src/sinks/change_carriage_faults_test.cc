// Sinks that take every change, when the other end or something beside it is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "model/item_codec.h"
#include "sinks/change_letters.h"
#include "sinks/dead_letters.h"
#include "sinks/sinks_testing.h"
#include "table/control/tables.h"
#include "table/maintenance/repair_store.h"
#include "table/maintenance/verify_store.h"
#include "table/rows/item_rows.h"
#include "table/rows/job_row.h"

namespace partita::sinks {
namespace {

class ChangeSinkFaults : public SinksTest {
 protected:
  static constexpr const char* kLetters = "T-dead-letters";

  std::vector<DeadLetter> letters(const table::Sink& sink) {
    return wait_for(read_dead_letters(db(), sink, "")).value();
  }
  void shrink(const table::Sink& sink) {
    const auto less = [](table::Sink& one) {
      one.max_backlog_bytes = 2'000;
      return true;
    };
    ASSERT_TRUE(wait_for(change_sink(*engine_, sink.table_id, sink.number, less)).ok());
  }
  size_t slice_of(const std::string& pk) {
    model::Item key;
    key.set("pk", model::AttributeValue::string(pk));
    return table::sink_slice(table::item_key(*db().catalog().find("T"), key).bytes);
  }
  // Keys of which no two have the same slice.
  std::vector<std::string> one_of_each_slice() {
    std::vector<std::string> keys(table::kSinkSlices);
    for (int i = 0; std::ranges::any_of(keys, &std::string::empty); ++i) {
      const std::string pk = "key" + std::to_string(i);
      keys[slice_of(pk)] = pk;
    }
    return keys;
  }
};

TEST_F(ChangeSinkFaults, WaitsForTheOtherEnd) {
  create_table("T");
  const auto server = serve();
  create_changes();
  put("T", "a", 1);
  wait_until_carried();
  changes_.down = true;
  put("T", "a", 2);
  wait_until([&] { return status().progress.trouble == "nobody listens"; }, "until the trouble is told");
  EXPECT_EQ(status().state(), SinkState::kCarrying);
  EXPECT_EQ(status().sentence(), "nobody listens");
  EXPECT_TRUE(engine_->health().ok());
  changes_.down = false;
  wait_until_replayed();
  wait_until([&] { return status().progress.trouble.empty(); }, "until the trouble is over");
}

// Nobody listens when the server begins.
TEST_F(ChangeSinkFaults, WaitsBeforeTheFirstChange) {
  create_table("T");
  changes_.down = true;
  const auto server = serve();
  create_changes();
  put("T", "a", 1);
  wait_until([&] { return status().progress.trouble == "nobody listens"; }, "until the trouble is told");
  changes_.down = false;
  wait_until_replayed();
}

// A key that is being replaced is refused for a moment. A server that starts then is no reason to fail.
TEST_F(ChangeSinkFaults, WaitsIfItIsRefusedAfterARestart) {
  create_table("T");
  auto server = serve();
  create_changes();
  put("T", "a", 1);
  wait_until_carried();
  server.reset();
  changes_.wrong = true;
  server = serve();
  put("T", "a", 2);
  wait_until([&] { return !status().sentence().empty(); }, "until the trouble is told");
  EXPECT_EQ(status().state(), SinkState::kCarrying);
  EXPECT_EQ(status().sentence(), "The name of the topic is wrong.");
  changes_.wrong = false;
  wait_until_replayed();
}

TEST_F(ChangeSinkFaults, FailsAtOnceIfItIsRefusedAtItsStart) {
  create_table("T");
  changes_.wrong = true;
  const auto server = serve();
  create_changes();
  wait_until([&] { return status().state() == SinkState::kFailed; }, "until it fails");
  EXPECT_EQ(status().sentence(), "The name of the topic is wrong.");
}

TEST_F(ChangeSinkFaults, FailsUntilItIsResumed) {
  create_table("T");
  const auto server = serve();
  create_changes();
  put("T", "a", 1);
  wait_until_carried();
  changes_.wrong = true;
  put("T", "a", 2);
  wait_until([&] { return status().state() == SinkState::kFailed; }, "until it fails");
  EXPECT_EQ(status().sentence(), "The name of the topic is wrong.");
  changes_.wrong = false;
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(changes_.taken(), 1U);
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_replayed();
}

TEST_F(ChangeSinkFaults, ASlowSliceHoldsUpNoOther) {
  create_table("T");
  const auto server = serve();
  create_changes();
  const std::vector<std::string> keys = one_of_each_slice();
  changes_.stuck_slice = 2;
  for (const std::string& pk : keys) put("T", pk, 1);
  wait_until([&] { return changes_.taken() == 3 && changes_.stuck == 1; }, "until the others have arrived");
  for (const std::string& pk : keys) put("T", pk, 2);
  wait_until([&] { return changes_.taken() == 6; }, "until the others have arrived again");
  wait_until([&] { return status().progress.sent == 6; }, "until that is stored");
  EXPECT_EQ(changes_.taken(2).size(), 0U);
  changes_.stuck_slice = -1;
  wait_until_replayed();
}

TEST_F(ChangeSinkFaults, SaysWhyALetterIsNotStored) {
  create_table("T");
  api::CreateTableRequest request;
  request.name = kLetters;
  request.definitions = {{"sink", model::Type::kS}, {"id", model::Type::kS}, {"time", model::Type::kN}};
  request.keys = {{"sink", api::KeyRole::kHash}, {"id", api::KeyRole::kRange}};
  request.billing_mode = api::BillingMode::kPayPerRequest;
  api::IndexRequest index;
  index.name = "by-time";
  index.keys = {{"time", api::KeyRole::kHash}};
  index.projection = api::ProjectionKind::kAll;
  request.global_indexes = {{index}};
  ASSERT_TRUE(wait_for(table::create_table(db(), request)).ok());
  const auto server = serve();
  create_changes();
  put("T", "bad", 1, true);
  wait_until([&] { return status().state() == SinkState::kFailed; }, "until the sink has failed");
  const std::string failure = status().sink.failure;
  EXPECT_TRUE(failure.starts_with("The table T-dead-letters does not take a dead letter: ")) << failure;
  EXPECT_TRUE(failure.contains("by-time")) << failure;
}

TEST_F(ChangeSinkFaults, KeepsRejectedChangesAndSendsThemAgain) {
  create_table("T");
  const auto server = serve();
  const table::Sink sink = create_changes();
  put("T", "bad", 1);
  put("T", "bad", 2, true);
  put("T", "bad", 3);
  put("T", "good", 1);
  wait_until_carried();
  EXPECT_EQ(changes_.taken(), 3U);
  EXPECT_EQ(status().progress.rejected, 1U);
  std::vector<DeadLetter> found = letters(sink);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key.find("pk")->as_string(), "bad");
  EXPECT_EQ(found[0].more.find("reason")->as_string(), "it is poison");
  EXPECT_EQ(found[0].more.find("event")->as_string(), "MODIFY");
  EXPECT_EQ(found[0].more.find("images")->as_string(),
            R"({"NewImage":{"pk":{"S":"bad"},"poison":{"BOOL":true},"value":{"N":"2"}},)"
            R"("OldImage":{"pk":{"S":"bad"},"value":{"N":"1"}}})");
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return status().progress.retries == 1; }, "until the letter was tried");
  EXPECT_EQ(letters(sink).size(), 1U);
  EXPECT_EQ(changes_.resent, 1U);
  changes_.takes_poison = true;
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return status().progress.retries == 2; }, "until the letter was tried again");
  EXPECT_TRUE(letters(sink).empty());
  const std::vector<ChangesEnd::Taken> taken = changes_.taken(slice_of("bad"));
  const ChangesEnd::Taken& last = taken.back();
  EXPECT_TRUE(model::decode_item(last.new_image).value().contains("poison"));
  EXPECT_EQ(model::decode_item(last.old_image).value().find("value")->as_number().to_int64(), 1);
  EXPECT_EQ(changes_.taken(), 4U);
}

// One of a sink of the same name that was deleted.
TEST_F(ChangeSinkFaults, KeepsOneLetterOfAChangeThatIsRejectedAgain) {
  create_table("T");
  const auto server = serve();
  create_changes();
  put("T", "bad", 1, true);
  wait_until_carried();
  ASSERT_TRUE(wait_for(delete_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return wait_for(list_sinks(db(), "T")).value().empty(); }, "until the sink is gone");
  const table::Sink sink = create_changes();
  ASSERT_EQ(letters(sink).size(), 1U);
  for (uint64_t i = 1; i <= 2; ++i) {
    ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
    wait_until([&] { return status().progress.retries == i; }, "until the letter was tried");
    EXPECT_EQ(changes_.resent, i);
    EXPECT_EQ(letters(sink).size(), 1U);
  }
  changes_.takes_poison = true;
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return status().progress.retries == 3; }, "until the letter was tried");
  EXPECT_TRUE(letters(sink).empty());
}

// While the other end does not answer to letters, changes that are not letters wait for nothing.
TEST_F(ChangeSinkFaults, RetriesAfterARestart) {
  create_table("T");
  auto server = serve();
  const table::Sink sink = create_changes();
  for (int i = 0; i < 30; ++i) put("T", "bad" + std::to_string(i), 2, true);
  wait_until_carried();
  ASSERT_EQ(letters(sink).size(), 30U);
  server.reset();
  changes_.takes_poison = true;
  changes_.refused = 30;
  changes_.most_changes = 3;
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  server = serve();
  wait_until([&] { return status().progress.retries == 1; }, "until the letters were tried");
  EXPECT_TRUE(letters(sink).empty());
  EXPECT_GE(changes_.taken(), 30U);
  server.reset();
  server = serve();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(status().progress.retries, 1U);
}

TEST_F(ChangeSinkFaults, FailsIfALetterCannotBeStored) {
  create_table("T");
  const auto server = serve();
  create_changes();
  ASSERT_TRUE(wait_for(table::delete_table(db(), kLetters)).ok());
  wait_until([&] { return wait_for(db().newest_table(kLetters)).value() == nullptr; }, "until the letters are gone");
  create_table(kLetters);
  put("T", "a", 1, true);
  put("T", "b", 1);
  wait_until([&] { return status().state() == SinkState::kFailed; }, "until it fails");
  EXPECT_NE(status().sentence().find("cannot hold dead letters"), std::string::npos) << status().sentence();
  ASSERT_TRUE(wait_for(table::delete_table(db(), kLetters)).ok());
  wait_until([&] { return wait_for(db().newest_table(kLetters)).value() == nullptr; }, "until the letters are gone");
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_carried();
  EXPECT_EQ(status().progress.rejected, 1U);
}

// More waits than may: all of it is dropped, the sink says how much that was, and goes on behind it.
TEST_F(ChangeSinkFaults, TellsWhatItDropped) {
  create_table("T");
  const auto server = serve();
  const table::Sink sink = create_changes();
  put("T", "a", 0);
  wait_until_carried();
  shrink(sink);
  changes_.down = true;
  for (int64_t i = 1; i <= 100; ++i) put("T", "a", i);
  wait_until([&] { return status().state() == SinkState::kFailed; }, "until it fails");
  const uint64_t dropped = status().sink.dropped;
  EXPECT_GT(dropped, 0U);
  EXPECT_NE(status().sentence().find(std::to_string(dropped) + " changes were dropped"), std::string::npos);
  changes_.down = false;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(changes_.taken(), 1U);
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  put("T", "a", 101);
  wait_until_carried();
  EXPECT_EQ(status().state(), SinkState::kCarrying);
  EXPECT_EQ(changes_.taken(), 102 - status().progress.dropped);
  const std::vector<ChangesEnd::Taken> taken = changes_.taken(slice_of("a"));
  EXPECT_EQ(model::decode_item(taken.back().new_image).value().find("value")->as_number().to_int64(), 101);
  for (size_t i = 2; i < taken.size(); ++i) EXPECT_EQ(taken[i].old_image, taken[i - 1].new_image);
}

// Paused, and written to on and on.
TEST_F(ChangeSinkFaults, DropsAgainWhileNobodyResumes) {
  create_table("T");
  const table::Sink sink = create_changes();
  shrink(sink);
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  const auto server = serve();
  for (int64_t i = 1; i <= 60; ++i) put("T", "a", i);
  wait_until([&] { return status().sink.dropped > 0; }, "until some are dropped");
  const uint64_t dropped = status().sink.dropped;
  for (int64_t i = 61; i <= 120; ++i) put("T", "a", i);
  wait_until([&] { return status().sink.dropped > dropped; }, "until more are dropped");
  EXPECT_EQ(status().state(), SinkState::kFailed);
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_carried();
  EXPECT_EQ(changes_.taken() + status().progress.dropped, 120U);
}

// A server is killed at each of its calls of the store while it drops changes.
TEST_F(ChangeSinkFaults, CountsWhatItDroppedWhereverItIsCutOff) {
  create_table("T");
  const table::Sink sink = create_changes();
  shrink(sink);
  uint64_t written = 0;
  for (int64_t calls = 1; calls <= 50; ++calls) {
    for (int i = 0; i < 40; ++i) put("T", "a", static_cast<int64_t>(++written));
    ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
    CutEngine engine(*engine_);
    const auto server = serve(engine, options_, [&] { return engine.cut(); });
    ASSERT_NE(server, nullptr);
    engine.left = calls;
    wait_until([&] { return engine.left <= 0; }, "until the server is cut off");
  }
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  const auto server = serve();
  wait_until([&] { return status().sink.dropped > 0 || status().state() == SinkState::kCarrying; }, "until it begins");
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_carried();
  std::set<storage::Position> positions;
  for (const ChangesEnd::Taken& each : changes_.taken(slice_of("a"))) positions.insert(each.position);
  EXPECT_EQ(positions.size() + status().progress.dropped, written);
  EXPECT_GT(status().progress.dropped, 0U);
}

// A server that is suspended with a request on its way, and another one that takes over.
TEST_F(ChangeSinkFaults, ALateServerLosesNothing) {
  create_table("T");
  table::DatabaseOptions shared = options_;
  shared.exclusive = false;
  shared.lease_ms = 60;
  CutEngine engine(*engine_);
  auto one = serve(engine, shared);
  create_changes();
  put("T", "a", 1);
  wait_until_carried();
  changes_.deaf = true;
  changes_.stuck_slice = static_cast<int>(slice_of("a"));
  put("T", "a", 2);
  wait_until([&] { return changes_.stuck == 1; }, "until the request is on its way");
  engine.left = 0;
  put("T", "a", 3);
  const auto other = serve(*engine_, shared);
  wait_until([&] { return changes_.stuck == 2; }, "until the other server has taken over");
  changes_.stuck_slice = -1;
  put("T", "a", 4);
  wait_until_carried();
  one.reset();
  const std::vector<ChangesEnd::Taken> taken = changes_.taken(slice_of("a"));
  std::set<storage::Position> positions;
  for (const ChangesEnd::Taken& each : taken) positions.insert(each.position);
  EXPECT_EQ(positions.size(), 4U);
  EXPECT_EQ(status().progress.sent, 4U) << "the late server's answer counts for nothing";
}

TEST_F(ChangeSinkFaults, ADamagedEntryBecomesALetter) {
  create_table("T");
  const table::Sink sink = create_changes();
  put("T", "a", 1);
  const std::string topic = table::sink_topic(sink.table_id, sink.number, slice_of("a"));
  const storage::Decide append = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.append(topic, "nonsense");
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine_->transact({}, {}, append)).ok());
  put("T", "a", 2);
  const auto server = serve();
  wait_until_replayed();
  EXPECT_EQ(changes_.taken(), 2U);
  const std::vector<DeadLetter> found = letters(sink);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].more.find("reason")->as_string().find("damaged"), std::string::npos);
  // It can only be looked at.
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return status().progress.retries == 1; }, "until the letters were tried");
  EXPECT_EQ(letters(sink).size(), 1U);
}

TEST_F(ChangeSinkFaults, StopsWhileARequestIsStuck) {
  create_table("T");
  auto server = serve();
  create_changes();
  changes_.stuck_slice = static_cast<int>(slice_of("a"));
  put("T", "a", 1);
  wait_until([&] { return changes_.stuck == 1; }, "until the request is on its way");
  const auto began = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3));
  EXPECT_EQ(changes_.finished, 1U);
}

// The progress is of a later state of the store than the logs.
TEST_F(ChangeSinkFaults, GoesOnInAnOlderStore) {
  create_table("T");
  auto server = serve();
  const table::Sink sink = create_changes();
  put("T", "a", 1);
  wait_until_carried();
  server.reset();
  const std::vector<storage::Key> keys{table::job_key(table::JobKind::kCarry, sink.table_id, sink.number)};
  auto job = table::job_from(keys[0].bytes, wait_for(engine_->read(keys)).value()[0]->value).value();
  Progress progress = progress_from(job.carried).value();
  for (storage::Position& one : progress.delivered) one.bytes[0] = 0x7f;
  job.carried = encode(progress);
  const storage::Decide change = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(keys[0], table::job_row(job));
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine_->transact({}, {}, change)).ok());
  server = serve();
  put("T", "a", 2);
  wait_until([&] { return changes_.taken() == 2; }, "until the next change arrives");
}

// A salvage may lose entries of logs, and what is lost cannot be sent again.
TEST_F(ChangeSinkFaults, FailsAfterASalvage) {
  create_table("T");
  create_changes();
  put("T", "a", 1);
  close_all();
  ASSERT_TRUE(table::repair_store(*engine_, table::RepairOptions()).ok());
  EXPECT_EQ(status().state(), SinkState::kFailed);
  EXPECT_NE(status().sentence().find("was salvaged"), std::string::npos);
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  put("T", "a", 2);
  const auto server = serve();
  wait_until_replayed();
  EXPECT_EQ(changes_.taken(), 2U);
}

TEST_F(ChangeSinkFaults, VerifyNoticesALogOfTheOtherKind) {
  create_table("T");
  const table::Sink sink = create_changes();
  EXPECT_EQ(table::verify_store(*engine_, {}).value().front().differences, 0U);
  const auto mistake = [](table::Sink& one) {
    one.changes = false;
    return true;
  };
  ASSERT_TRUE(wait_for(change_sink(*engine_, sink.table_id, sink.number, mistake)).ok());
  const std::vector<table::Verified> found = table::verify_store(*engine_, {}).value();
  EXPECT_TRUE(std::ranges::any_of(found, [](const table::Verified& one) {
    return std::ranges::any_of(one.named, [](const std::string& text) { return text.contains("its sink memory"); });
  }));
}

}  // namespace
}  // namespace partita::sinks
