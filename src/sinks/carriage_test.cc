#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <thread>

#include "sinks/dead_letters.h"
#include "sinks/sinks_testing.h"
#include "table/control/tables.h"
#include "table/maintenance/verify_store.h"

namespace partita::sinks {
namespace {

std::string pk_of(uint64_t number) { return "item" + std::to_string(number); }

TEST_F(SinksTest, FillsThenFollows) {
  create_table("T");
  for (uint64_t i = 0; i < 100; ++i) put("T", pk_of(i), 1);
  const auto server = serve();
  create();
  wait_until_carried();
  EXPECT_EQ(other_.published(), expected("T"));
  put("T", pk_of(3), 2);
  put("T", pk_of(1'000), 2);
  erase("T", pk_of(4));
  wait_until_carried();
  EXPECT_EQ(other_.published(), expected("T"));
  EXPECT_EQ(other_.published().size(), 100u);
}

TEST_F(SinksTest, SendsNothingIfNothingChanged) {
  create_table("T");
  for (uint64_t i = 0; i < 20; ++i) put("T", pk_of(i), 1);
  auto server = serve();
  create();
  wait_until_carried();
  put("T", pk_of(3), 2);
  wait_until_carried();
  server.reset();
  const uint64_t documents = other_.documents;
  put("T", pk_of(3), 2);  // as it is
  server = serve();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(other_.documents, documents);
}

// One that is idle stores nothing either.
TEST_F(SinksTest, IsQuietWhenIdle) {
  create_table("T");
  const auto server = serve();
  create();
  wait_until_carried();
  const auto version = [&] {
    const SinkStatus now = status();
    const std::vector<storage::Key> keys{table::job_key(table::JobKind::kCarry, now.sink.table_id, now.sink.number)};
    return wait_for(engine_->read(keys)).value()[0]->version;
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const storage::Version before = version();
  std::this_thread::sleep_for(std::chrono::milliseconds(1'200));
  EXPECT_EQ(version(), before);
}

// A server is killed at each of its calls of the store and of the other end; the next one makes good.
TEST_F(SinksTest, EndsRightWhereverItIsCutOff) {
  create_table("T");
  for (uint64_t i = 0; i < 12; ++i) put("T", pk_of(i), 1);
  create();
  other_.later = 10;
  SeededRandom random(3);
  for (int64_t calls = 1; calls <= 160; ++calls) {
    {
      CutEngine engine(*engine_);
      const auto server = serve(engine, options_, [&] { return engine.cut(); });
      ASSERT_NE(server, nullptr);
      engine.left = calls;
      for (int i = 0; i < 6; ++i) {
        const std::string pk = pk_of(random.below(16));
        if (random.below(3) == 0) {
          erase("T", pk);
        } else {
          put("T", pk, static_cast<int64_t>(random.below(1'000)));
        }
      }
      if (calls % 40 == 20) {
        ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", true)).ok());
      }
      wait_until([&] { return engine.left <= 0; }, "until the server is cut off");
    }
    if (calls % 8 != 0) continue;
    const auto server = serve();
    wait_until_carried();
    ASSERT_EQ(other_.published(), expected("T")) << calls;
  }
}

// Writers, a bad connection, and servers that come and go.
void run_storm(std::function<void(const std::string&, int64_t)> put, std::function<void(const std::string&)> erase,
               std::atomic<bool>& stop, uint64_t seed) {
  SeededRandom random(seed);
  while (!stop) {
    const std::string pk = pk_of(random.below(300));
    if (random.below(4) == 0) {
      erase(pk);
    } else {
      put(pk, static_cast<int64_t>(random.below(1'000'000)));
    }
    if (random.below(20) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class Storm : public SinksTest {
 protected:
  void run(int rounds) {
    create_table("T");
    for (uint64_t i = 0; i < 300; ++i) put("T", pk_of(i), 1);
    other_.refused = 5;
    other_.unanswered = 5;
    other_.later = 3;
    create();
    std::atomic<bool> stop{false};
    std::vector<std::thread> writers;
    for (uint64_t i = 0; i < 2; ++i) {
      writers.emplace_back([&, i] {
        run_storm([&](const std::string& pk, int64_t value) { put("T", pk, value); },
                  [&](const std::string& pk) { erase("T", pk); }, stop, i);
      });
    }
    SeededRandom random(11);
    for (int i = 0; i < rounds; ++i) {
      CutEngine engine(*engine_);
      const auto server = serve(engine, options_, [&] { return engine.cut(); });
      ASSERT_NE(server, nullptr);
      std::this_thread::sleep_for(std::chrono::milliseconds(random.below(150)));
      engine.left = static_cast<int64_t>(random.below(100));
      wait_until([&] { return engine.left <= 0; }, "until the server is cut off");
    }
    stop = true;
    for (std::thread& writer : writers) writer.join();
    other_.refused = other_.unanswered = other_.later = 0;
    const auto server = serve();
    wait_until_carried();
    EXPECT_EQ(other_.published(), expected("T"));
    EXPECT_EQ(other_.generations().size(), 1u);
  }
};

TEST_F(Storm, InMemory) { run(25); }

TEST_F(Storm, InRocksdb) {
  const std::string directory = testing::TempDir() + "/sinks_storm_" + std::to_string(system_random().next());
  use_directory(directory);
  run(12);
  close_all();
  engine_.reset();
  std::filesystem::remove_all(directory);
}

// Two servers share the store: the lease decides which one carries.
TEST_F(Storm, WithTwoServers) {
  table::DatabaseOptions shared = options_;
  shared.exclusive = false;
  shared.lease_ms = 60;
  const auto one = serve(*engine_, shared);
  const auto other = serve(*engine_, shared);
  run(5);
}

// A server that is suspended with a request on its way: another one takes over, and the request arrives after newer
// ones.
TEST_F(SinksTest, ALateRequestChangesNothing) {
  create_table("T");
  put("T", "a", 1);
  table::DatabaseOptions shared = options_;
  shared.exclusive = false;
  shared.lease_ms = 60;
  CutEngine engine(*engine_);
  auto one = serve(engine, shared);
  create();
  wait_until_carried();
  other_.late = true;
  put("T", "a", 2);
  wait_until([&] { return other_.kept_late == 1; }, "until the request is on its way");
  engine.left = 0;
  put("T", "a", 3);
  const auto other = serve(*engine_, shared);
  wait_until([&] { return other_.published() == expected("T"); }, "until the other server has taken over");
  other_.late = false;
  wait_until([&] { return other_.arrived_late == 1; }, "until the late request arrives");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  one.reset();
  EXPECT_EQ(other_.published(), expected("T"));
}

TEST_F(SinksTest, KeepsDeadLettersAndRetriesThem) {
  create_table("T");
  put("T", "good", 1);
  put("T", "bad", 1, true);
  const auto server = serve();
  const table::Sink sink = create();
  wait_until_carried();
  EXPECT_EQ(other_.published().size(), 1u);
  std::vector<DeadLetter> letters = wait_for(read_dead_letters(db(), sink, "")).value();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].key.find("pk")->as_string(), "bad");
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return status().progress.retries == 1; }, "until the letter was tried");
  EXPECT_EQ(wait_for(read_dead_letters(db(), sink, "")).value().size(), 1u);
  put("T", "bad", 2);
  wait_until_carried();
  EXPECT_EQ(other_.published(), expected("T"));
  ASSERT_TRUE(wait_for(retry_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return status().progress.retries == 2; }, "until the letter was tried again");
  EXPECT_TRUE(wait_for(read_dead_letters(db(), sink, "")).value().empty());
}

TEST_F(SinksTest, FiltersItems) {
  create_table("T");
  for (uint64_t i = 0; i < 10; ++i) put("T", pk_of(i), static_cast<int64_t>(i));
  const auto server = serve();
  SinkRequest request;
  request.filter = "#v >= :least";
  request.filter_names = {{"#v", "value"}};
  request.filter_values.set(":least", model::AttributeValue::number(model::Number::of(5)));
  create(request);
  wait_until_carried();
  EXPECT_EQ(other_.published().size(), 5u);
  EXPECT_EQ(other_.documents, 5u) << "a new index has nothing to delete";
  put("T", pk_of(9), 0);
  put("T", pk_of(0), 9);
  put("T", pk_of(1), 9);
  wait_until_carried();
  EXPECT_EQ(other_.published().size(), 6u);
}

TEST_F(SinksTest, PausesAndResumes) {
  create_table("T");
  put("T", "a", 1);
  const auto server = serve();
  create();
  wait_until_carried();
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  EXPECT_EQ(status().state(), SinkState::kPaused);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const uint64_t documents = other_.documents;
  put("T", "a", 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(other_.documents, documents);
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_carried();
  EXPECT_EQ(other_.published(), expected("T"));
}

// What waits is bounded: the logs are dropped, and the table is sent anew.
TEST_F(SinksTest, FillsAnewAfterTooMuchWaited) {
  create_table("T");
  const auto server = serve();
  const table::Sink sink = create();
  wait_until_carried();
  const auto shrink = [](table::Sink& one) {
    one.max_backlog_bytes = 1'000;
    return true;
  };
  ASSERT_TRUE(wait_for(change_sink(*engine_, sink.table_id, sink.number, shrink)).ok());
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  for (uint64_t i = 0; i < 100; ++i) put("T", pk_of(i), 1);
  wait_until([&] { return status().sink.generation != sink.generation; }, "until the logs are dropped");
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_carried();
  EXPECT_EQ(other_.published(), expected("T"));
  EXPECT_NE(status().sink.filled_because.find("were dropped"), std::string::npos);
}

TEST_F(SinksTest, FillsAnewWithoutItsIndex) {
  carry_and_lose_index();
  put("T", pk_of(1), 2);
  const auto server = serve();
  wait_until([&] { return other_.published() == expected("T"); }, "until all is sent anew");
}

// With too few threads, the last of them would begin when the first have ended.
TEST_F(SinksTest, EnginesThatHangHoldUpNoOthers) {
  constexpr uint64_t kTables = 24;
  for (uint64_t i = 0; i < kTables; ++i) {
    create_table("Table" + std::to_string(i));
    put("Table" + std::to_string(i), "a", 1);
  }
  const auto server = serve();
  other_.slow_ms = 4'000;
  const auto began = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < kTables; ++i) create({.table = "Table" + std::to_string(i)});
  wait_until([&] { return other_.requests >= kTables; }, "until each has been asked");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(7));
  other_.slow_ms = 0;
}

TEST_F(SinksTest, PausesBetweenFillsThatCannotBegin) {
  create_table("T");
  const auto server = serve();
  other_.has_all = true;
  const uint64_t first = create().generation;
  std::set<uint64_t> generations;
  const auto look = [&] {
    generations.insert(status().sink.generation);
    return false;
  };
  for (int i = 0; i < 1'000; ++i) {
    look();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GE(generations.size(), 3U);
  EXPECT_LE(generations.size(), 10U) << "since " << first;
  other_.has_all = false;
  put("T", "a", 1);
  wait_until_carried();
  EXPECT_EQ(other_.published(), expected("T"));
}

TEST_F(SinksTest, FillsAnewWithoutItsIndexThoughNothingChanges) {
  carry_and_lose_index();
  const auto server = serve();
  wait_until([&] { return other_.published() == expected("T"); }, "until all is sent anew");
}

TEST_F(SinksTest, FillsAnewAfterARollback) {
  create_table("T");
  for (uint64_t i = 0; i < 10; ++i) put("T", pk_of(i), 1);
  auto server = serve();
  create();
  wait_until_carried();
  server.reset();
  const uint64_t documents = other_.documents;
  options_.rolled_back_ms = 77;
  server = serve();
  wait_until([&] { return other_.documents >= documents + 10; }, "until all is sent anew");
  wait_until_carried();
  EXPECT_EQ(status().sink.rolled_back_ms, 77);
}

// The other end has versions that the logs have not reached: the store was restored from a backup.
TEST_F(SinksTest, FillsAnewWhereTheStoreIsOlder) {
  create_table("T");
  put("T", "a", 1);
  auto server = serve();
  create();
  wait_until_carried();
  put("T", "a", 2);
  wait_until_carried();
  server.reset();
  const SinkStatus before = status();
  auto destination = other_.factory(nullptr)({}, {}).value();
  ASSERT_TRUE(destination->write_mark(before.sink.generation, "99999999 0 0 0", 99'999'999).value());
  server = serve();
  wait_until([&] { return status().sink.generation != before.sink.generation; }, "until it is noticed");
  wait_until_carried();
  EXPECT_EQ(other_.published(), expected("T"));
}

TEST_F(SinksTest, WaitsForTheOtherEnd) {
  create_table("T");
  put("T", "a", 1);
  const auto server = serve();
  create();
  wait_until_carried();
  other_.down = true;
  put("T", "a", 2);
  wait_until([&] { return status().progress.trouble == "nobody listens"; }, "until the trouble is told");
  EXPECT_TRUE(engine_->health().ok());
  other_.down = false;
  wait_until_carried();
  EXPECT_EQ(other_.published(), expected("T"));
  wait_until([&] { return status().progress.trouble.empty(); }, "until the trouble is over");
}

TEST_F(SinksTest, LeavesNothingBehind) {
  create_table("T");
  put("T", "a", 1);
  const auto server = serve();
  const table::Sink sink = create();
  wait_until_carried();
  ASSERT_TRUE(wait_for(delete_sink(db(), "T", "memory", true)).ok());
  wait_until([&] { return wait_for(list_sinks(db(), "")).value().empty(); }, "until the sink is gone");
  EXPECT_TRUE(other_.generations().empty());
  put("T", "a", 2);
  for (size_t i = 0; i < table::kSinkSlices; ++i) {
    const std::string topic = table::sink_topic(sink.table_id, sink.number, i);
    EXPECT_TRUE(wait_for(engine_->read_log(topic, {}, 1, 1)).value().empty());
  }
  const table::Sink second = create();
  EXPECT_EQ(second.number, sink.number + 1);
  EXPECT_EQ(second.id.size(), 12U);
  EXPECT_NE(second.id, sink.id) << "other indexes at the other end";
  EXPECT_EQ(status().sink.id, second.id);
  wait_until_carried();
  ASSERT_TRUE(wait_for(table::delete_table(db(), "T")).ok());
  wait_until([&] { return wait_for(list_sinks(db(), "")).value().empty(); }, "until the table's sink is gone");
  const std::vector<table::Verified> verified = table::verify_store(*engine_, {}).value();
  for (const table::Verified& one : verified) {
    EXPECT_EQ(one.differences, 0u) << (one.named.empty() ? "" : one.named[0]);
  }
}

TEST_F(SinksTest, RefusesWhatIsWrong) {
  create_table("T");
  const DestinationFactory factory = other_.factory(nullptr);
  const FindDestination find = [factory](std::string_view) { return Result<DestinationFactory>(factory); };
  const auto refused = [&](SinkRequest request) {
    request.url = kTestUrl;
    const auto made = wait_for(create_sink(db(), std::move(request), find));
    return made.ok() ? std::string("it was created") : std::string(made.error().sentence());
  };
  EXPECT_NE(refused({.table = "T", .name = "a b"}).find("'a b' is none"), std::string::npos);
  EXPECT_NE(refused({.table = "T", .filter = "a ="}), "it was created");
  EXPECT_NE(refused({.table = "T", .dead_letters = "T"}).find("cannot be named"), std::string::npos);
  const std::string others = refused({.table = "T", .dead_letters = "Other", .by_administrator = false});
  EXPECT_NE(others.find("DeadLetterTableName is 'T-dead-letters'"), std::string::npos) << others;
  EXPECT_EQ(wait_for(db().newest_table("Other")).value(), nullptr);
  EXPECT_NE(refused({.table = "none"}), "it was created");
  create();
  EXPECT_NE(refused({.table = "T", .name = "memory"}).find("already"), std::string::npos);
  EXPECT_FALSE(find_destination("gopher://x").ok());
}

}  // namespace
}  // namespace partita::sinks
