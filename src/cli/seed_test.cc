// Seedings that stop anywhere, again and again, with clients that write between them.
#include "cli/seed.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/random.h"
#include "cli/local_calls.h"
#include "engines/memory/memory_engine.h"
#include "storage/prefixed_engine.h"
#include "table/maintenance/seed_mark.h"
#include "table/open/database.h"
#include "wire/json_reader.h"

namespace partita::cli {
namespace {

constexpr int kMany = 230;  // items: three transactions

// Takes so many transactions more, and then none: as if it were killed.
class Stopping final : public storage::PrefixedEngine {
 public:
  explicit Stopping(storage::Engine& base) : PrefixedEngine(base, "of a test ", "of a test ") {}
  void stop_after(int transactions) { left_ = transactions; }
  Task<Result<storage::Outcome>> transact(std::vector<storage::Key> keys, std::vector<storage::Compare> compare,
                                          storage::Decide decide, storage::Version* version) override {
    if (left_-- <= 0) co_return Error(ErrorKind::kUnavailable, "killed");
    co_return co_await PrefixedEngine::transact(std::move(keys), std::move(compare), std::move(decide), version);
  }
  bool stopped() const { return left_ < 0; }

 private:
  std::atomic<int> left_ = 1'000'000;
};

struct Server {
  explicit Server(storage::Engine& store)
      : engine(store),
        database(table::Database::open(engine, system_clock(), system_random(), {.updating_ms = 0, .deleting_ms = 0})
                     .value()),
        service(*database),
        calls(service) {}

  std::string ask(std::string_view operation, const std::string& body) { return calls.ask(operation, body).body; }
  int64_t count(const std::string& table) {
    const std::string reply = ask("Scan", R"({"Select":"COUNT","TableName":")" + table + "\"}");
    const auto body = wire::JsonDocument::parse(reply);
    return body.ok() && body->root().get("Count").present() ? integer_of(body->root().get("Count")) : -1;
  }

  Stopping engine;
  std::unique_ptr<table::Database> database;
  ops::Service service;
  LocalCalls calls;
};

class SeedTest : public testing::Test {
 protected:
  SeedTest() {
    directory_ = testing::TempDir() + "seed-XXXXXX";
    EXPECT_NE(mkdtemp(directory_.data()), nullptr);
    define("First");
    define("Second");
    fill("First", kMany);
    fill("Second", 2);
  }
  ~SeedTest() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& file, const std::string& text) { std::ofstream(directory_ + "/" + file) << text; }
  void define(const std::string& table, const std::string& key = "p") {
    const std::string name = R"({"AttributeName":")" + key + R"(",)";
    write(table + ".json", R"({"TableName":")" + table + R"(","BillingMode":"PAY_PER_REQUEST","KeySchema":[)" + name +
                               R"("KeyType":"HASH"}],"AttributeDefinitions":[)" + name + R"("AttributeType":"S"}]})");
  }
  static std::string line(int item, const std::string& of) {
    return R"({"Item":{"p":{"S":")" + std::to_string(item) + R"("},"of":{"S":")" + of + "\"}}}\n";
  }
  void fill(const std::string& table, int items) {
    std::string lines;
    for (int i = 0; i < items; ++i) lines += line(i, "seed");
    write(table + ".jsonl", lines);
  }

  // Whether it came to its end, and not because it was killed.
  bool seed_with(int transactions, bool& stopped) {
    Server server(*store_);
    server.engine.stop_after(transactions);
    const bool done = seed(directory_, server.service, true).ok();
    stopped = server.engine.stopped();
    return done;
  }
  // A store that had a table before is seeded a table, and a hundred items, at a time.
  void begin_with_another_table() {
    store_ = open_memory_engine();
    Server server(*store_);
    const std::string made = server.ask("CreateTable", R"({"TableName":"Elder","BillingMode":"PAY_PER_REQUEST",
        "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],
        "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})");
    ASSERT_NE(made.find("CREATING"), std::string::npos) << made;
  }
  bool is_marked() {
    Server server(*store_);
    return wait_for(table::find_seed_mark(server.engine)).value().has_value();
  }

  std::string directory_;
  std::unique_ptr<storage::Engine> store_ = open_memory_engine();
};

TEST_F(SeedTest, IsCompletedWhereverItWasStoppedTwiceAndOverwritesNothing) {
  constexpr const char* kChange = R"json({"TableName":"First","Item":{"p":{"S":"7"},"of":{"S":"client"}},
                                          "ConditionExpression":"attribute_exists(p)"})json";
  constexpr const char* kRead = R"({"TableName":"First","Key":{"p":{"S":"7"}}})";
  int stops = 0;
  int changes = 0;
  for (int first = 0;; ++first) {
    bool ended = false;
    bool stopped = false;
    for (int second = 0; !ended; ++second) {
      SCOPED_TRACE(std::to_string(first) + " transactions, then " + std::to_string(second));
      begin_with_another_table();
      ended = seed_with(first, stopped);
      ASSERT_TRUE(ended || stopped);
      if (ended) {
        EXPECT_GT(stops, 100);
        EXPECT_GT(changes, 20);
        return;
      }
      const bool changed = Server(*store_).ask("PutItem", kChange) == "{}";
      ended = seed_with(second, stopped);
      ASSERT_TRUE(ended || stopped);
      ASSERT_TRUE(seed_with(1'000'000, stopped));
      Server client(*store_);
      ASSERT_EQ(client.count("First"), kMany);
      ASSERT_EQ(client.count("Second"), 2);
      ASSERT_FALSE(is_marked());
      ASSERT_EQ(client.ask("GetItem", kRead).find("client") != std::string::npos, changed);
      ++stops;
      changes += changed ? 1 : 0;
    }
  }
}

TEST_F(SeedTest, AStoreThatNeverHadATableGetsAllByOneTransaction) {
  constexpr int kTables = 20;
  for (int i = 0; i < kTables; ++i) {
    const std::string name = "Of" + std::to_string(i);
    define(name);
    fill(name, 5);
  }
  const std::string streamed = R"({"TableName":"Streamed","BillingMode":"PAY_PER_REQUEST",
      "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],
      "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"},{"AttributeName":"of","AttributeType":"S"}],
      "GlobalSecondaryIndexes":[{"IndexName":"by-of","KeySchema":[{"AttributeName":"of","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"ALL"}}],
      "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})";
  write("Streamed.json", streamed);
  fill("Streamed", 3);
  bool stopped = false;
  EXPECT_FALSE(seed_with(0, stopped));
  EXPECT_TRUE(wait_for(store_->scan({}, storage::Direction::kAscending, 1, 1)).value().empty());
  EXPECT_TRUE(seed_with(1, stopped));
  EXPECT_FALSE(is_marked());
  Server server(*store_);
  EXPECT_EQ(server.count("First"), kMany);
  for (int i = 0; i < kTables; ++i) EXPECT_EQ(server.count("Of" + std::to_string(i)), 5);
  const std::string described = server.ask("DescribeTable", R"({"TableName":"Streamed"})");
  EXPECT_NE(described.find(R"("ItemCount":3)"), std::string::npos) << described;
  EXPECT_NE(described.find(R"("TableStatus":"ACTIVE")"), std::string::npos) << described;
  const std::string found = server.ask("Query", R"({"TableName":"Streamed","IndexName":"by-of",
      "KeyConditionExpression":"#o = :o","ExpressionAttributeNames":{"#o":"of"},
      "ExpressionAttributeValues":{":o":{"S":"seed"}},"Select":"COUNT"})");
  EXPECT_NE(found.find(R"("Count":3)"), std::string::npos) << found;
  const auto topics = wait_for(server.engine.topics({}, 10)).value();
  size_t entries = 0;
  for (const auto& topic : topics) entries += wait_for(server.engine.read_log(topic, {}, 100, 1 << 20)).value().size();
  EXPECT_EQ(entries, topics.size() + 3);  // a mark for each shard, and the items
  // Its tables are tables like others.
  EXPECT_EQ(server.ask("PutItem", R"({"TableName":"Of7","Item":{"p":{"S":"new"}}})"), "{}");
  EXPECT_EQ(server.count("Of7"), 6);
  EXPECT_NE(server.ask("DeleteTable", R"({"TableName":"Of7"})").find("DELETING"), std::string::npos);
  EXPECT_EQ(server.count("Of7"), -1);
}

TEST_F(SeedTest, WhatIsMoreThanOneTransactionIsPutInSeveral) {
  std::string lines;
  for (int i = 0; i < 15; ++i) {
    lines += R"({"Item":{"p":{"S":")" + std::to_string(i) + R"("},"of":{"S":")" + std::string(100'000, 'x') + "\"}}}\n";
  }
  write("Second.jsonl", lines);
  bool stopped = false;
  EXPECT_FALSE(seed_with(1, stopped));
  EXPECT_TRUE(is_marked());
  EXPECT_TRUE(seed_with(1'000'000, stopped));
  EXPECT_FALSE(is_marked());
  EXPECT_EQ(Server(*store_).count("First"), kMany);
}

TEST_F(SeedTest, OfSeveralServersOneSeedsAtATime) {
  fill("First", 3'000);
  std::atomic<int> well = 0;
  std::vector<std::thread> servers;
  for (int i = 0; i < 3; ++i) {
    servers.emplace_back([&] {
      Server server(*store_);
      if (!seed(directory_, server.service, false).ok()) return;
      // What a client of a server that has begun to serve deletes stays deleted.
      server.ask("DeleteItem", R"({"TableName":"First","Key":{"p":{"S":"2999"}}})");
      well += server.count("First") == 2'999 ? 1 : 0;
    });
  }
  for (std::thread& server : servers) server.join();
  EXPECT_EQ(well, 3);
  EXPECT_FALSE(is_marked());
  EXPECT_EQ(Server(*store_).count("First"), 2'999);
}

TEST_F(SeedTest, OnlyTheTablesOfTheSameDirectoryAreDone) {
  bool stopped = false;
  begin_with_another_table();
  write("Second.jsonl", "{");
  EXPECT_FALSE(seed_with(1'000'000, stopped));
  const std::string first = std::exchange(directory_, directory_ + "/other");
  std::filesystem::create_directory(directory_);
  define("Third");
  EXPECT_TRUE(seed_with(1'000'000, stopped));
  EXPECT_TRUE(is_marked());
  directory_ = first;
  fill("Second", 9);
  EXPECT_TRUE(seed_with(1'000'000, stopped));
  EXPECT_FALSE(is_marked());
  EXPECT_EQ(Server(*store_).count("Second"), 9);
}

TEST_F(SeedTest, ATableThatWasBegunWithOtherKeysIsNamed) {
  bool stopped = false;
  begin_with_another_table();
  define("First", "q");
  EXPECT_FALSE(seed_with(1'000'000, stopped));
  define("First");
  Server server(*store_);
  const auto seeded = seed(directory_, server.service, true);
  ASSERT_FALSE(seeded.ok());
  EXPECT_NE(seeded.error().sentence().find("First.json: an earlier start has begun the table First with other keys"),
            std::string::npos)
      << seeded.error().sentence();
  server.ask("DeleteTable", R"({"TableName":"First"})");
  EXPECT_TRUE(seed_with(1'000'000, stopped));
}

TEST_F(SeedTest, OfLinesWithOneKeyTheFirstCounts) {
  bool stopped = false;
  std::ofstream(directory_ + "/First.jsonl", std::ios::app) << line(kMany - 1, "later") << line(1, "later");
  EXPECT_TRUE(seed_with(1'000'000, stopped));
  Server server(*store_);
  EXPECT_EQ(server.count("First"), kMany);
  for (const int key : {1, kMany - 1}) {
    const std::string text = R"({"TableName":"First","Key":{"p":{"S":")" + std::to_string(key) + "\"}}}";
    const std::string item = server.ask("GetItem", text);
    EXPECT_NE(item.find("seed"), std::string::npos) << item;
  }
}

TEST_F(SeedTest, TwoFilesOfOneTableAreNamed) {
  std::filesystem::copy_file(directory_ + "/First.json", directory_ + "/Again.json");
  Server server(*store_);
  const auto seeded = seed(directory_, server.service, true);
  ASSERT_FALSE(seeded.ok());
  EXPECT_NE(seeded.error().sentence().find("First.json: another file makes the table First already."),
            std::string::npos);
}

}  // namespace
}  // namespace partita::cli
