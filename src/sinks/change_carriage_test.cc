#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "model/item_codec.h"
#include "sinks/sinks_testing.h"
#include "sinks/verify_sink.h"
#include "table/control/tables.h"
#include "table/maintenance/verify_store.h"
#include "table/rows/job_row.h"

namespace partita::sinks {
namespace {

class ChangeSinks : public SinksTest {
 protected:
  static std::string pk_of(uint64_t number) { return "item" + std::to_string(number); }
  void write_some(SeededRandom& random, int count) {
    for (int i = 0; i < count; ++i) {
      const std::string pk = pk_of(random.below(16));
      if (random.below(3) == 0) {
        erase("T", pk);
      } else {
        put("T", pk, static_cast<int64_t>(random.below(1'000)));
      }
    }
  }
  // The slice of an item that was put.
  size_t slice_of(const std::string& pk) {
    for (const auto& [key, stored] : stored_items()) {
      if (model::decode_item(stored).value().find("pk")->as_string() == pk) return table::sink_slice(key);
    }
    ADD_FAILURE() << pk << " is not there";
    return 0;
  }
  int64_t value_in(const std::string& image) {
    return image.empty() ? 0 : model::decode_item(image).value().find("value")->as_number().to_int64().value();
  }
  std::string refusal(SinkRequest request) {
    const FindDestination find = [](std::string_view) {
      return Result<DestinationFactory>([](const DestinationSettings&, std::stop_token) {
        return Result<std::unique_ptr<Destination>>(std::unique_ptr<Destination>());
      });
    };
    if (request.table.empty()) request.table = "T";
    const auto made = wait_for(create_sink(db(), std::move(request), find, changes_.finder(nullptr)));
    return made.ok() ? std::string("it was created") : std::string(made.error().sentence());
  }
};

TEST_F(ChangeSinks, SendsEveryChangeAfterTheCreation) {
  create_table("T");
  put("T", "a", 1);
  const auto server = serve();
  create_changes();
  put("T", "a", 2);
  put("T", "a", 2);  // as it is
  put("T", "a", 3);
  erase("T", "a");
  put("T", "a", 4);
  wait_until_carried();
  const std::vector<ChangesEnd::Taken> taken = changes_.taken(slice_of("a"));
  ASSERT_EQ(taken.size(), 4U);
  EXPECT_EQ(changes_.taken(), 4U);
  std::string told;
  for (const ChangesEnd::Taken& one : taken) {
    told += std::to_string(static_cast<int>(one.event)) + ":" + std::to_string(value_in(one.old_image)) + ">" +
            std::to_string(value_in(one.new_image)) + " ";
  }
  EXPECT_EQ(told, "1:1>2 1:2>3 2:3>0 0:0>4 ");
  EXPECT_EQ(status().progress.sent, 4U);
  EXPECT_EQ(status().state(), SinkState::kCarrying);
  EXPECT_EQ(changes_.prepared, 1U);
}

TEST_F(ChangeSinks, GoesBesideOneOfTheOtherKind) {
  create_table("T");
  const auto server = serve();
  create_changes({.name = "changes"});
  create();
  SeededRandom random(4);
  write_some(random, 60);
  wait_until_carried("T", "memory");
  wait_until_carried("T", "changes");
  EXPECT_TRUE(other_.published() == expected("T"));
  std::string wrong_with;
  EXPECT_TRUE(changes_.replayed(wrong_with) == stored_items()) << wrong_with;
}

TEST_F(ChangeSinks, SendsNoMoreAtOnceThanTheOtherEndTakes) {
  create_table("T");
  create_changes();
  changes_.most_changes = 7;
  for (uint64_t i = 0; i < 200; ++i) put("T", pk_of(i), 1);
  const auto server = serve();
  wait_until_replayed();
  EXPECT_EQ(changes_.largest, 7U);
  EXPECT_EQ(changes_.taken(), 200U);
}

// A server is killed at each of its calls of the store and of the other end; the next one makes good.
TEST_F(ChangeSinks, LosesNothingWhereverItIsCutOff) {
  create_table("T");
  create_changes();
  changes_.partial = 10;
  SeededRandom random(3);
  for (int64_t calls = 1; calls <= 120; ++calls) {
    {
      CutEngine engine(*engine_);
      const auto server = serve(engine, options_, [&] { return engine.cut(); });
      ASSERT_NE(server, nullptr);
      engine.left = calls;
      write_some(random, 6);
      wait_until([&] { return engine.left <= 0; }, "until the server is cut off");
    }
    if (calls % 8 != 0) continue;
    const auto server = serve();
    wait_until_replayed();
  }
  EXPECT_GT(changes_.taken(), status().progress.sent) << "nothing was sent twice, so nothing was cut off";
}

class ChangeStorm : public ChangeSinks {
 protected:
  void run(int rounds, const std::function<std::unique_ptr<table::Database>(CutEngine&)>& begin) {
    create_table("T");
    create_changes();
    changes_.refused = changes_.unanswered = changes_.partial = 5;
    std::atomic<bool> stop{false};
    std::vector<std::thread> writers;
    for (uint64_t i = 0; i < 2; ++i) {
      writers.emplace_back([&, i] {
        SeededRandom random(i);
        while (!stop) {
          write_some(random, 5);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      });
    }
    SeededRandom random(11);
    for (int i = 0; i < rounds; ++i) {
      CutEngine engine(*engine_);
      const auto server = begin(engine);
      ASSERT_NE(server, nullptr);
      std::this_thread::sleep_for(std::chrono::milliseconds(random.below(150)));
      engine.left = static_cast<int64_t>(random.below(100));
      wait_until([&] { return engine.left <= 0; }, "until the server is cut off");
    }
    stop = true;
    for (std::thread& writer : writers) writer.join();
    changes_.refused = changes_.unanswered = changes_.partial = 0;
    const auto server = serve();
    wait_until_replayed();
    EXPECT_GE(changes_.taken(), 100U);
  }
  std::unique_ptr<table::Database> begin_cut(CutEngine& engine) {
    return serve(engine, options_, [&engine] { return engine.cut(); });
  }
};

TEST_F(ChangeStorm, InMemory) {
  run(20, [this](CutEngine& engine) { return begin_cut(engine); });
}

TEST_F(ChangeStorm, InRocksdb) {
  const std::string directory = testing::TempDir() + "/change_storm_" + std::to_string(system_random().next());
  use_directory(directory);
  run(10, [this](CutEngine& engine) { return begin_cut(engine); });
  close_all();
  engine_.reset();
  std::filesystem::remove_all(directory);
}

// Another server shares the store all the time: the lease decides which one carries.
TEST_F(ChangeStorm, WithTwoServers) {
  table::DatabaseOptions shared = options_;
  shared.exclusive = false;
  shared.lease_ms = 60;
  const auto other = serve(*engine_, shared);
  run(5, [&](CutEngine& engine) { return serve(engine, shared, [&engine] { return engine.cut(); }); });
}

TEST_F(ChangeSinks, FiltersByTheNewImageOrTheLast) {
  create_table("T");
  SinkRequest request;
  request.filter = "#v >= :least";
  request.filter_names = {{"#v", "value"}};
  request.filter_values.set(":least", model::AttributeValue::number(model::Number::of(5)));
  create_changes(request);
  put("T", "a", 5);
  put("T", "a", 1);
  put("T", "a", 6);
  erase("T", "a");
  put("T", "b", 2);
  erase("T", "b");
  put("T", "c", 5);
  put("T", "c", 1);
  const auto server = serve();
  wait_until_carried();
  EXPECT_EQ(changes_.taken(), 4U);
  EXPECT_EQ(status().progress.sent, 4U);
}

TEST_F(ChangeSinks, PausesAndResumes) {
  create_table("T");
  const auto server = serve();
  create_changes();
  put("T", "a", 1);
  wait_until_carried();
  ASSERT_TRUE(wait_for(pause_sink(db(), "T", "memory")).ok());
  wait_until([&] { return changes_.finished == 1; }, "until the other end is finished with");
  EXPECT_EQ(status().state(), SinkState::kPaused);
  put("T", "a", 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(changes_.taken(), 1U);
  ASSERT_TRUE(wait_for(resume_sink(db(), "T", "memory")).ok());
  wait_until_replayed();
  EXPECT_EQ(changes_.taken(), 2U);
  EXPECT_EQ(changes_.prepared, 2U);
}

TEST_F(ChangeSinks, FinishesWhenTheServerStops) {
  create_table("T");
  auto server = serve();
  create_changes();
  put("T", "a", 1);
  wait_until_carried();
  server.reset();
  EXPECT_EQ(changes_.finished, 1U);
  server = serve();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(changes_.taken(), 1U) << "nothing had changed";
}

// One that is idle stores nothing.
TEST_F(ChangeSinks, IsQuietWhenIdle) {
  create_table("T");
  const auto server = serve();
  create_changes();
  put("T", "a", 1);
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

TEST_F(ChangeSinks, KeepsTheTextOfEachSlice) {
  create_table("T");
  auto server = serve();
  create_changes();
  const auto counted = [&] {
    uint64_t all = 0;
    const SinkStatus now = status();
    for (const std::string& text : now.progress.texts) all += text.empty() ? 0 : std::stoull(text);
    return all;
  };
  for (uint64_t i = 0; i < 30; ++i) put("T", pk_of(i), 1);
  wait_until_carried();
  EXPECT_EQ(counted(), 30U);
  server.reset();
  server = serve();
  for (uint64_t i = 0; i < 30; ++i) put("T", pk_of(i), 2);
  wait_until_carried();
  EXPECT_EQ(counted(), 60U);
}

TEST_F(ChangeSinks, WaitsForMoreInAWindow) {
  create_table("T");
  const auto server = serve();
  changes_.window = 5;
  changes_.window_ms = 600'000;
  create_changes();
  for (int64_t i = 1; i <= 4; ++i) put("T", "a", i);
  wait_until([&] { return changes_.requests > 0; }, "until it is asked");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(changes_.taken(), 0U);
  EXPECT_LT(changes_.requests, 10U) << "it is asked again and again";
  put("T", "a", 5);
  wait_until_replayed();
  changes_.window_ms = 150;
  put("T", "a", 6);
  wait_until_replayed();
}

TEST_F(ChangeSinks, CallsWhatIsDueThoughNothingWaits) {
  create_table("T");
  const auto server = serve();
  create_changes();
  put("T", "a", 1);
  wait_until([&] { return changes_.taken() == 1; }, "until it is there");
  EXPECT_EQ(changes_.due_calls, 0U);
  changes_.is_due = true;
  const auto is_stored = [&] {
    const SinkStatus now = status();
    return std::ranges::find(now.progress.texts, "1!") != now.progress.texts.end();
  };
  wait_until(is_stored, "until the text is stored");
  EXPECT_EQ(status().progress.trouble, "");
  put("T", "a", 2);
  wait_until([&] { return changes_.due_calls == 2; }, "until it is due again");
  wait_until_replayed();
}

TEST_F(ChangeSinks, KeepsATextThoughNothingIsDone) {
  create_table("T");
  auto server = serve();
  changes_.window = 3;
  changes_.window_ms = 600'000;
  changes_.counts_waits = true;
  create_changes();
  const auto counted = [&] {
    uint64_t all = 0;
    const SinkStatus now = status();
    for (const std::string& text : now.progress.texts) all += text.empty() ? 0 : std::stoull(text);
    return all;
  };
  put("T", "a", 1);
  wait_until([&] { return counted() >= 1'000'000; }, "until the text is stored");
  EXPECT_EQ(status().progress.trouble, "it waits " + std::string(991, 'z') + "...");
  EXPECT_EQ(changes_.taken(), 0U);
  const uint64_t before = counted();
  server.reset();
  server = serve();
  put("T", "a", 2);
  wait_until([&] { return counted() > before; }, "until the text goes on");
  EXPECT_EQ(changes_.taken(), 0U);
  put("T", "a", 3);
  wait_until_replayed();
  EXPECT_EQ(counted() % 1'000'000, 3U);
}

TEST_F(ChangeSinks, LeavesNothingBehind) {
  create_table("T");
  const auto server = serve();
  const table::Sink sink = create_changes();
  put("T", "a", 1);
  wait_until_carried();
  ASSERT_TRUE(wait_for(delete_sink(db(), "T", "memory", false)).ok());
  wait_until([&] { return wait_for(list_sinks(db(), "")).value().empty(); }, "until the sink is gone");
  EXPECT_EQ(changes_.finished, 1U);
  put("T", "a", 2);
  for (size_t i = 0; i < table::kSinkSlices; ++i) {
    const std::string topic = table::sink_topic(sink.table_id, sink.number, i);
    EXPECT_TRUE(wait_for(engine_->read_log(topic, {}, 1, 1)).value().empty());
  }
  create_changes();
  put("T", "a", 3);
  wait_until_carried();
  EXPECT_EQ(changes_.taken(), 2U);
  const auto verified = table::verify_store(*engine_, {}).value();
  for (const table::Verified& one : verified) {
    EXPECT_EQ(one.differences, 0u) << (one.named.empty() ? "" : one.named[0]);
  }
  ASSERT_TRUE(wait_for(table::delete_table(db(), "T")).ok());
  wait_until([&] { return wait_for(list_sinks(db(), "")).value().empty(); }, "until the table's sink is gone");
}

TEST_F(ChangeSinks, GivesItsOptionsToTheOtherEnd) {
  create_table("T");
  const auto server = serve();
  const table::Sink sink = create_changes({.options = {{"speed", "11"}}});
  put("T", "a", 1);
  wait_until_carried();
  EXPECT_EQ(changes_.options(), (std::map<std::string, std::string>{{"speed", "11"}}));
  const auto slower = [](table::Sink& one) {
    one.options["speed"] = "3";
    return true;
  };
  ASSERT_TRUE(wait_for(change_sink(*engine_, sink.table_id, sink.number, slower)).ok());
  wait_until([&] { return changes_.prepared == 2; }, "until it begins anew");
  EXPECT_EQ(changes_.options(), (std::map<std::string, std::string>{{"speed", "3"}}));
  put("T", "a", 2);
  wait_until_replayed();
}

TEST_F(ChangeSinks, RefusesDeadLettersThatComeBack) {
  create_table("Music");
  EXPECT_EQ(refusal({.table = "Music", .url = kChangesUrl, .dead_letters = "One"}), "it was created");
  EXPECT_EQ(refusal({.table = "One", .url = kChangesUrl, .dead_letters = "Two"}), "it was created");
  EXPECT_TRUE(refusal({.table = "Two", .url = kChangesUrl, .dead_letters = "Music"}).contains("come back to Two"));
  EXPECT_EQ(refusal({.table = "Two", .url = kChangesUrl, .dead_letters = "Three"}), "it was created");
}

TEST_F(ChangeSinks, RefusesLargeSettings) {
  create_table("T");
  const std::string large(131'072, 'x');
  EXPECT_EQ(refusal({.url = kChangesUrl + large}), "Url has at most 8192 bytes.");
  for (SinkRequest request : {SinkRequest{.url = kChangesUrl, .options = {{"speed", large}}},
                              SinkRequest{.url = kTestUrl, .fields = {large, "x"}},
                              SinkRequest{.url = kTestUrl, .filter_values = {}, .by_administrator = true}}) {
    if (request.options.empty() && request.fields.empty()) {
      request.filter_values.set(":v", model::AttributeValue::string(large));
    }
    EXPECT_TRUE(refusal(std::move(request)).starts_with("Options, Fields, the filter"));
  }
}

TEST_F(ChangeSinks, RefusesWhatOnlyTheOtherKindHas) {
  create_table("T");
  EXPECT_NE(refusal({.url = kTestUrl, .options = {{"speed", "1"}}}).find("'speed'"), std::string::npos);
  EXPECT_NE(refusal({.url = kChangesUrl, .options = {{"sped", "1"}}}).find("'sped'"), std::string::npos);
  EXPECT_NE(refusal({.url = kChangesUrl, .index = "x"}).find("IndexName (--index)"), std::string::npos);
  EXPECT_NE(refusal({.url = kChangesUrl, .fields = {"x"}}).find("Fields (--fields)"), std::string::npos);
  EXPECT_NE(refusal({.url = kChangesUrl, .flat = true}).find("Document (--document)"), std::string::npos);
  EXPECT_NE(refusal({.url = "changes+file:///x", .by_administrator = false}).find("server's machine"),
            std::string::npos);
  EXPECT_EQ(refusal({.url = "changes+file:///x"}), "it was created");
  create_changes();
  const auto filled = wait_for(retry_sink(db(), "T", "memory", true));
  ASSERT_FALSE(filled.ok());
  EXPECT_NE(filled.error().sentence().find("cannot be filled"), std::string::npos);
  const auto deleted = wait_for(delete_sink(db(), "T", "memory", true));
  ASSERT_FALSE(deleted.ok());
  EXPECT_NE(deleted.error().sentence().find("--delete-index"), std::string::npos);
  SinkVerifier verifier("T", "memory", find_destination);
  const auto verified = wait_for(verifier.read(db()));
  ASSERT_FALSE(verified.ok());
  EXPECT_NE(verified.error().sentence().find("no documents"), std::string::npos);
}

TEST_F(ChangeSinks, BelongsToItsOwner) {
  create_table("T");
  create_changes({.owner = "Kinesis streaming"});
  EXPECT_EQ(wait_for(db().newest_table("T-dead-letters")).value(), nullptr) << "made with the first letter";
  const auto refused = [](const Result<void>& done) { return done.ok() ? "" : std::string(done.error().sentence()); };
  const std::string told = "The sink 'memory' belongs to Kinesis streaming: use its calls.";
  EXPECT_EQ(refused(wait_for(pause_sink(db(), "T", "memory"))), told);
  EXPECT_EQ(refused(wait_for(resume_sink(db(), "T", "memory"))), told);
  EXPECT_EQ(refused(wait_for(delete_sink(db(), "T", "memory", false))), told);
  EXPECT_TRUE(wait_for(pause_sink(db(), "T", "memory", "Kinesis streaming")).ok());
  EXPECT_EQ(status().state(), SinkState::kPaused);
  EXPECT_TRUE(wait_for(delete_sink(db(), "T", "memory", false, "Kinesis streaming")).ok());
}

}  // namespace
}  // namespace partita::sinks
