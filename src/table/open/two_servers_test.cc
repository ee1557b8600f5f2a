// Two databases over one store, as two servers have it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "engines/memory/memory_engine.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "storage/ranges.h"
#include "table/open/table_testing.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;
using model::Type;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Threads that go on until the end of their scope.
class Threads {
 public:
  ~Threads() { end(); }
  template <class Work>
  void add(Work work) {
    threads_.emplace_back([this, work] {
      while (!stop_) work();
    });
  }
  void end() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

class TwoServersTest : public testing::TestWithParam<const char*> {
 protected:
  TwoServersTest() {
    if (std::string(GetParam()) == "memory") {
      engine_ = open_memory_engine();
    } else {
      directory_ = std::filesystem::temp_directory_path() / ("partita-two-" + system_random().uuid());
      RocksdbOptions options;
      options.directory = directory_;
      options.sync = false;
      engine_ = open_rocksdb_engine(options).value();
    }
    for (size_t i : {0, 1}) start(i);
  }
  ~TwoServersTest() override {
    for (auto& server : servers_) server.reset();
    for (auto& way : ways_) way.reset();
    engine_.reset();
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  void start(size_t i) {
    servers_[i].reset();
    ways_[i] = std::make_unique<FaultyEngine>(*engine_);
    ways_[i]->after_scan = after_scan_[i];
    DatabaseOptions options{.updating_ms = 1, .deleting_ms = 1, .late_ms = 30, .look_ms = 10};
    options.lease_ms = lease_ms_;
    servers_[i] = Database::open(*ways_[i], system_clock(), randoms_[i], options).value();
  }
  // A server that cannot reach the store any more, and ends.
  void kill(size_t i) {
    ways_[i]->writes_left = 0;
    servers_[i].reset();
  }
  Database& server(size_t i) { return *servers_[i]; }

  Table settled(size_t i, const std::string& name) { return wait_for(server(i).settled_table(name)).value(); }
  Result<Table> create(size_t i, const api::CreateTableRequest& request) {
    return wait_for(create_table(server(i), request));
  }
  Result<Table> update(size_t i, const api::UpdateTableRequest& request) {
    return wait_for(update_table(server(i), request));
  }
  // Waits until the index is ACTIVE, or gone, for that server.
  bool wait_for_index(size_t i, const std::string& name, bool there) {
    const auto end = steady_clock::now() + std::chrono::seconds(20);
    while (steady_clock::now() < end) {
      const Table table = settled(i, "T");
      const IndexInfo* index = table == nullptr ? nullptr : table->find_index(name);
      if (there ? index != nullptr && index->status == Status::kActive : index == nullptr) return true;
      std::this_thread::sleep_for(milliseconds(2));
    }
    return false;
  }
  void put(size_t i, Item item) {
    api::WriteAction action;
    action.item = model::encode_item(item);
    EXPECT_TRUE(carry_out(server(i), "T", action).ok());
  }
  void expect_consistent_everywhere() {
    for (size_t i : {0, 1}) wait_for_jobs(server(i));
    for (size_t i : {0, 1}) expect_consistent(server(i), "T");
  }
  size_t stored_rows(uint32_t table_id) {
    std::string prefix = model::index_prefix(table_id, model::kBaseIndex);
    prefix.resize(sizeof(table_id));
    const storage::Range all = storage::range_of(prefix);
    return wait_for(engine_->scan(all, storage::Direction::kAscending, 1'000'000, 1 << 30)).value().size();
  }
  // One put or delete through that server.
  void change_something(size_t i, Random& random) {
    const auto number = static_cast<int64_t>(random.below(300));
    const bool deletes = random.below(4) == 0;
    Item named = key(number);
    if (!deletes) {
      if (random.below(5) != 0) named.set("g", s("g" + std::to_string(random.below(7))));
      named.set("note", s(std::string(random.below(50), 'n')));
    }
    const api::WriteAction action = action_of(deletes ? Kind::kDelete : Kind::kPut, std::move(named));
    EXPECT_TRUE(carry_out(server(i), "T", action).ok());
    ++written_;
  }
  static Item key(int64_t number) { return item({{"pk", s("p" + std::to_string(number % 7))}, {"sk", n(number)}}); }
  static api::UpdateTableRequest add_by_g(api::ProjectionKind kind) {
    return add_index("T", index_request("by-g", {hash("g")}, kind), {{"g", Type::kS}});
  }

 private:
  std::filesystem::path directory_;
  std::unique_ptr<storage::Engine> engine_;
  SeededRandom randoms_[2] = {SeededRandom(1), SeededRandom(2)};

 protected:
  int64_t lease_ms_ = 300;  // of who starts next
  std::function<void(const storage::Range&, size_t)> after_scan_[2];
  std::atomic<int> written_ = 0;
  std::unique_ptr<FaultyEngine> ways_[2];
  std::unique_ptr<Database> servers_[2];
};

TEST_P(TwoServersTest, IndexesComeAndGoThroughOneWhileTheOtherWrites) {
  ASSERT_TRUE(create(0, plain_table()).ok());
  SeededRandom random(11);
  Threads writers;
  for (size_t i : {0, 1, 1}) writers.add([&, i] { change_something(i, random); });
  for (int round = 0; round < 4; ++round) {
    const size_t by = round % 2;
    ASSERT_TRUE(update(by, add_by_g(round % 3 == 0 ? api::ProjectionKind::kAll : api::ProjectionKind::kKeysOnly)).ok());
    EXPECT_TRUE(wait_for_index(1 - by, "by-g", true));
    if (round == 3) break;
    ASSERT_TRUE(update(1 - by, drop_index("T", "by-g")).ok());
    EXPECT_TRUE(wait_for_index(by, "by-g", false));
  }
  while (written_ <= 100) std::this_thread::yield();
  writers.end();
  expect_consistent_everywhere();
  const Table table = settled(0, "T");
  EXPECT_EQ(stored_rows(table->id), rows_of(server(0), "T").size() + rows_of(server(1), "T", "by-g").size());
}

// Each item says which table it was written to.
TEST_P(TwoServersTest, ATableThatIsDroppedAndMadeAgainIsNotMixedUp) {
  ASSERT_TRUE(create(0, plain_table()).ok());
  SeededRandom random(21);
  Threads writers;
  for (size_t i : {0, 1}) {
    writers.add([&, i] {
      const Result<Table> table = server(i).ready_table("T");
      if (!table.ok()) {
        if (!Database::binds_again(table.error())) return;
        const auto waited = wait_for(server(i).before_binding_again(table.error()));
        static_cast<void>(waited.ok());
        return;
      }
      api::WriteAction action;
      Item named = key(static_cast<int64_t>(random.below(50)));
      named.set("table", s((*table)->uuid));
      action.item = model::encode_item(named);
      written_ += wait_for(write_item(server(i), *table, action)).ok() ? 1 : 0;
    });
  }
  std::vector<uint32_t> ids;
  for (size_t round = 0; round < 6; ++round) {
    const Table made = settled(round % 2, "T");
    ASSERT_NE(made, nullptr);
    ids.push_back(made->id);
    std::this_thread::sleep_for(milliseconds(20));
    ASSERT_TRUE(wait_for(delete_table(server(round % 2), "T")).ok());
    // Through the one that deleted it the name is free in a moment; the other may still be late.
    ASSERT_TRUE(create(round % 2, plain_table()).ok());
    const auto end = steady_clock::now() + std::chrono::seconds(5);
    for (Table other = made; steady_clock::now() < end && (other == nullptr || other->id == made->id);) {
      std::this_thread::sleep_for(milliseconds(1));
      other = settled(1 - round % 2, "T");
    }
  }
  std::this_thread::sleep_for(milliseconds(20));
  writers.end();
  EXPECT_GT(written_, 100);
  expect_consistent_everywhere();
  const Table last = settled(0, "T");
  EXPECT_EQ(last->id, settled(1, "T")->id);
  const auto rows = rows_of(server(1), "T");
  EXPECT_FALSE(rows.empty());
  for (const Item& row : rows) EXPECT_EQ(*row.find("table"), s(last->uuid));
  for (const uint32_t id : ids) EXPECT_EQ(stored_rows(id), 0u) << id;
}

TEST_P(TwoServersTest, WhatOneCreatesTheOtherSees) {
  ASSERT_TRUE(create(0, plain_table()).ok());
  put(1, key(1));
  EXPECT_EQ(wait_for(server(1).catalog().names("", 10)).value(), std::vector<std::string>{"T"});
  EXPECT_NE(settled(1, "T"), nullptr);
  const auto twice = create(1, plain_table());
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(model::fault_of(twice.error()), Fault::kTableExists);
  ASSERT_TRUE(wait_for(delete_table(server(1), "T")).ok());
  EXPECT_EQ(settled(1, "T"), nullptr);
  const auto end = steady_clock::now() + std::chrono::seconds(5);
  while (steady_clock::now() < end && settled(0, "T") != nullptr) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(settled(0, "T"), nullptr);
}

TEST_P(TwoServersTest, CountsAreExactWhenAServerDies) {
  ASSERT_TRUE(create(0, plain_table()).ok());
  ASSERT_TRUE(update(1, add_by_g(api::ProjectionKind::kAll)).ok());
  EXPECT_TRUE(wait_for_index(0, "by-g", true));
  SeededRandom random(31);
  Threads other;
  other.add([&] { change_something(0, random); });
  for (int round = 0; round < 3; ++round) {
    Threads dying;
    dying.add([&] { change_something(1, random); });
    std::this_thread::sleep_for(milliseconds(30));
    dying.end();
    kill(1);
    start(1);
  }
  other.end();
  expect_consistent_everywhere();
}

// One server has read items for an index when the other drops it, and writes what it read when all of it is gone.
TEST_P(TwoServersTest, AnIndexIsDroppedByOneWhileTheOtherFillsIt) {
  ASSERT_TRUE(create(0, plain_table()).ok());
  constexpr int64_t kItems = 50;
  for (int64_t number = 0; number < kItems; ++number) {
    Item row = key(number);
    row.set("g", s("g"));
    put(0, row);
  }
  for (size_t i : {0, 1}) wait_for_jobs(server(i));
  const uint32_t id = settled(0, "T")->id;
  const std::string items = model::index_prefix(id, model::kBaseIndex);
  std::atomic<bool> dropped = false;
  lease_ms_ = 60'000;  // nobody takes the fill over
  for (size_t i : {0, 1}) {
    const auto drop = [&, other = 1 - i] {
      EXPECT_TRUE(update(other, drop_index("T", "by-g")).ok());
      EXPECT_TRUE(wait_for_index(other, "by-g", false));
      const auto drops = [&] {
        const auto jobs = wait_for(server(other).jobs().all()).value();
        return std::ranges::find(jobs, JobKind::kDropIndex, &Job::kind) != jobs.end();
      };
      while (drops()) std::this_thread::yield();
    };
    after_scan_[i] = [&dropped, items, drop](const storage::Range& range, size_t) {
      if (range.begin == items && !dropped.exchange(true)) std::thread(drop).join();
    };
  }
  for (size_t i : {0, 1}) start(i);
  ASSERT_TRUE(update(0, add_by_g(api::ProjectionKind::kAll)).ok());
  for (size_t i : {0, 1}) wait_for_jobs(server(i));
  EXPECT_TRUE(dropped);
  EXPECT_TRUE(settled(0, "T")->indexes.empty());
  EXPECT_EQ(stored_rows(id), static_cast<size_t>(kItems));
  // The name is free for an index that knows nothing of the first.
  ASSERT_TRUE(update(1, add_by_g(api::ProjectionKind::kKeysOnly)).ok());
  EXPECT_TRUE(wait_for_index(0, "by-g", true));
  expect_consistent_everywhere();
}

api::TransactWriteRequest increment(const std::string& token, int64_t by) {
  api::TransactWriteRequest request;
  request.parts.resize(1);
  request.parts[0].table = "T";
  api::WriteAction& action = request.parts[0].action;
  action.kind = Kind::kUpdate;
  action.key = item({{"pk", s("count")}, {"sk", n(0)}});
  auto given = expr::Placeholders::make(std::nullopt, item({{":by", n(by)}})).value();
  action.update = expr::parse_update("ADD v :by", given).value();
  request.token = token;
  request.digest = std::to_string(by);
  return request;
}

TEST_P(TwoServersTest, ATokenSentThroughBothIsCarriedOutOnce) {
  ASSERT_TRUE(create(0, plain_table()).ok());
  constexpr int kTokens = 200;
  std::array<std::vector<Result<api::WritesReply>>, 2> outcomes;
  std::array<std::atomic<int>, 2> at{};
  std::vector<std::thread> threads;
  for (size_t i : {0, 1}) {
    threads.emplace_back([&, i] {
      for (int token = 0; token < kTokens; ++token) {
        at[i] = token;
        while (at[1 - i] < token) std::this_thread::yield();
        // Every third is another request with the same token.
        const int64_t by = token % 3 == 0 ? static_cast<int64_t>(i) + 1 : 1;
        outcomes[i].push_back(carry_out(server(i), increment("token " + std::to_string(token), by)));
      }
      at[i] = kTokens;
    });
  }
  for (auto& thread : threads) thread.join();
  int64_t expected = 0;
  for (int token = 0; token < kTokens; ++token) {
    const auto& [first, second] = std::tie(outcomes[0][token], outcomes[1][token]);
    if (token % 3 == 0) {
      ASSERT_NE(first.ok(), second.ok());
      EXPECT_EQ(model::fault_of((first.ok() ? second : first).error()), Fault::kTokenMismatch);
      expected += first.ok() ? 1 : 2;
    } else {
      ASSERT_TRUE(first.ok() && second.ok());
      EXPECT_NE(first->repeated, second->repeated);
      ++expected;
    }
  }
  const auto rows = rows_of(server(0), "T");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(*rows[0].find("v"), n(expected));
}

TEST_P(TwoServersTest, AJobOfADeadServerIsTakenOverWhereItWas) {
  ASSERT_TRUE(create(0, plain_table()).ok());
  for (int64_t number = 0; number < 1'500; ++number) {
    Item row = key(number);
    row.set("g", s("g"));
    put(0, row);
  }
  wait_for_jobs(server(0));
  kill(1);
  // The first server dies in the middle of the fill.
  ways_[0]->writes_left = 8;
  ASSERT_TRUE(update(0, add_by_g(api::ProjectionKind::kKeysOnly)).ok());
  while (ways_[0]->writes_left >= 0) std::this_thread::yield();
  kill(0);
  start(1);
  const auto jobs = wait_for(server(1).jobs().all()).value();
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].done, 250u);
  EXPECT_NE(jobs[0].claim, 0u);
  const auto begin = steady_clock::now();
  EXPECT_TRUE(wait_for_index(1, "by-g", true));
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10));
  start(0);
  expect_consistent_everywhere();
}

INSTANTIATE_TEST_SUITE_P(Engines, TwoServersTest, testing::Values("memory", "rocksdb"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace partita::table
