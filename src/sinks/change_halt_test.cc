// Sinks that take every change, when they have to end in the middle of a call; and what one sink takes from others.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/task.h"
#include "model/item_codec.h"
#include "sinks/sinks_testing.h"
#include "table/rows/item_rows.h"
#include "table/rows/job_row.h"

namespace partita::sinks {
namespace {

class ChangeHalts : public SinksTest {
 protected:
  // A sink that has sent a change, and waits for an answer to the next one.
  void wait_in_a_call() {
    create_table("T");
    server_ = serve(*engine_, options_);
    sink_ = create_changes();
    put("T", "a", 1);
    wait_until_carried();
    stick();
  }
  void stick() {
    changes_.stuck_slice = static_cast<int>(slice_of("a"));
    put("T", "a", 2);
    wait_until([&] { return changes_.stuck == 1; }, "until the request is on its way");
  }
  // The call ends soon, though nobody answers it.
  void expect_the_end() {
    const auto began = std::chrono::steady_clock::now();
    wait_until([&] { return changes_.finished == 1; }, "until the call has ended");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3));
    wait_until([&] { return changes_.destroyed == 1; }, "until the destination is gone");
    EXPECT_EQ(changes_.destroyed_at_home, 0U);
  }
  size_t slice_of(const std::string& pk) {
    model::Item key;
    key.set("pk", model::AttributeValue::string(pk));
    return table::sink_slice(table::item_key(*db().catalog().find("T"), key).bytes);
  }
  void change(const std::function<void(table::Sink&)>& how) {
    const auto done = [&](table::Sink& sink) {
      how(sink);
      return true;
    };
    ASSERT_TRUE(wait_for(change_sink(*engine_, sink_.table_id, sink_.number, done)).ok());
  }

  std::unique_ptr<table::Database> server_;
  table::Sink sink_;
};

// What was not confirmed is sent again.
TEST_F(ChangeHalts, PausesInTheMiddleOfACall) {
  changes_.is_lost = true;
  wait_in_a_call();
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  expect_the_end();
  EXPECT_EQ(changes_.taken(), 1U);
  EXPECT_EQ(status().progress.sent, 1U);
  EXPECT_EQ(status().progress.trouble, "") << "the other end is well";
  changes_.stuck_slice = -1;
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_replayed();
  EXPECT_EQ(changes_.taken(), 2U);
}

// What was confirmed at the last moment is not.
TEST_F(ChangeHalts, KeepsWhatWasConfirmedMeanwhile) {
  wait_in_a_call();
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  expect_the_end();
  wait_until([&] { return status().progress.sent == 2; }, "until it is stored");
  changes_.stuck_slice = -1;
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  put("T", "a", 3);
  wait_until_replayed();
  EXPECT_EQ(changes_.taken(), 3U);
}

TEST_F(ChangeHalts, IsDeletedInTheMiddleOfACall) {
  wait_in_a_call();
  ASSERT_TRUE(wait_for(delete_sink(db(), "T", "memory", false)).ok());
  expect_the_end();
  wait_until([&] { return wait_for(list_sinks(db(), "T")).value().empty(); }, "until the sink is gone");
}

TEST_F(ChangeHalts, DropsInTheMiddleOfACall) {
  changes_.is_lost = true;
  wait_in_a_call();
  change([](table::Sink& sink) { sink.max_backlog_bytes = 2'000; });
  for (int64_t i = 3; i <= 100; ++i) put("T", "a", i);
  expect_the_end();
  wait_until([&] { return status().sink.dropped > 0; }, "until the changes are dropped");
  EXPECT_EQ(status().progress.dropped, 99U);
  EXPECT_EQ(changes_.taken(), 1U);
}

TEST_F(ChangeHalts, TakesNewSettingsInTheMiddleOfACall) {
  changes_.is_lost = true;
  wait_in_a_call();
  change([](table::Sink& sink) { sink.options["speed"] = "3"; });
  expect_the_end();
  changes_.stuck_slice = -1;
  wait_until_replayed();
}

// Another slice is told that the settings are wrong.
TEST_F(ChangeHalts, FailsInTheMiddleOfACall) {
  wait_in_a_call();
  changes_.wrong = true;
  std::string other = "b";
  while (slice_of(other) == slice_of("a")) other += "b";
  put("T", other, 1);
  expect_the_end();
  wait_until([&] { return status().state() == SinkState::kFailed; }, "until it fails");
}

// Another server has taken the job over.
TEST_F(ChangeHalts, LosesItsLeaseInTheMiddleOfACall) {
  options_.exclusive = false;
  options_.lease_ms = 200;
  changes_.is_lost = true;
  wait_in_a_call();
  const std::vector<storage::Key> keys{table::job_key(table::JobKind::kCarry, sink_.table_id, sink_.number)};
  const storage::Decide take = [&](std::span<const storage::Record* const> found, storage::Changes& changes) {
    auto job = table::job_from(keys[0].bytes, found[0]->value).value();
    job.claim = 77;
    changes.put(keys[0], table::job_row(job));
    return storage::Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine_->transact(std::vector<storage::Key>(keys), {}, take)).ok());
  wait_until([&] { return changes_.destroyed == 1; }, "until the call has ended");
  EXPECT_EQ(changes_.finished, 0U) << "what is open is the other server's";
  EXPECT_EQ(changes_.destroyed_at_home, 0U);
  EXPECT_EQ(changes_.taken(), 1U);
  // The other one has died.
  changes_.stuck_slice = -1;
  wait_until_replayed();
}

// Nobody answers before the first change.
TEST_F(ChangeHalts, IsDeletedWhileItConnects) {
  create_table("T");
  server_ = serve();
  changes_.stuck_prepare = true;
  create_changes();
  wait_until([&] { return changes_.prepared == 1; }, "until it connects");
  ASSERT_TRUE(wait_for(delete_sink(db(), "T", "memory", false)).ok());
  expect_the_end();
  wait_until([&] { return wait_for(list_sinks(db(), "T")).value().empty(); }, "until the sink is gone");
}

TEST_F(ChangeHalts, DestroysWhatCannotBePreparedElsewhere) {
  create_table("T");
  server_ = serve();
  changes_.down = true;
  create_changes();
  wait_until([&] { return changes_.destroyed > 1; }, "until it has tried twice");
  EXPECT_EQ(changes_.destroyed_at_home, 0U);
}

// All slices of more sinks than there once were threads for.
TEST_F(ChangeHalts, SilentSinksHoldUpNoOther) {
  constexpr size_t kSilent = 33;
  server_ = serve();
  changes_.holds_slow = true;
  for (size_t i = 0; i < kSilent; ++i) {
    SinkRequest request{.table = "silent" + std::to_string(i / kMostSinks), .name = "sink" + std::to_string(i)};
    request.options["speed"] = "slow";
    if (i % kMostSinks == 0) create_table(request.table);
    create_changes(std::move(request));
  }
  for (size_t i = 0; i <= kSilent / kMostSinks; ++i) {
    for (int key = 0; key < 40; ++key) put("silent" + std::to_string(i), "key" + std::to_string(key), 1);
  }
  const int all = static_cast<int>(kSilent * table::kSinkSlices);
  wait_until([&] { return changes_.stuck == all; }, "until all slices of the silent ones wait");
  create_table("T");
  create_changes();
  put("T", "a", 1);
  wait_until_carried();
  EXPECT_EQ(changes_.stuck, all);
  changes_.holds_slow = false;
}

TEST_F(ChangeHalts, AStoreHasAsManySinksAsHaveThreads) {
  std::optional<Error> refusal;
  for (size_t i = 0; i <= kMostChangeSinks && !refusal; ++i) {
    SinkRequest request{.table = "T" + std::to_string(i / kMostSinks), .name = "sink" + std::to_string(i)};
    request.url = kChangesUrl;
    if (i % kMostSinks == 0) create_table(request.table);
    const auto made = wait_for(create_sink(db(), std::move(request), find_destination, changes_.finder(nullptr)));
    if (!made.ok()) refusal = made.error();
    EXPECT_EQ(made.ok(), i < kMostChangeSinks);
  }
  ASSERT_TRUE(refusal);
  EXPECT_TRUE(refusal->sentence().contains("has 256 sinks that take every change")) << refusal->sentence();
  // Those that keep the newest state need none.
  SinkRequest newest;
  newest.table = "T" + std::to_string(kMostChangeSinks / kMostSinks);
  create(std::move(newest));
}

}  // namespace
}  // namespace partita::sinks
