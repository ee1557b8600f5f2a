// What the engine on FoundationDB does beside the contract: many on one key, and what a lost answer leaves.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/exposition.h"
#include "contract.h"
#include "engines/foundationdb/foundationdb_engine.h"
#include "engines/foundationdb/install.h"

namespace partita::contract {
namespace {

using namespace storage;

// Of one that shows that it is there, and of one that does not.
constexpr std::chrono::milliseconds kQuick{40};
constexpr std::chrono::hours kSilent{1};

class OnFoundationdb : public testing::Test {
 protected:
  void SetUp() override {
    if (foundationdb_cluster() == nullptr) GTEST_SKIP() << "PARTITA_TEST_FDB names no cluster file";
  }
  static FoundationdbOptions beating(const std::string& place, std::chrono::milliseconds heartbeat) {
    FoundationdbOptions options;
    options.place = place;
    options.heartbeat = heartbeat;
    return options;
  }
  static Task<Result<Outcome>> put_again(Engine& engine, std::string value) {
    const Decide decide = [&](auto, Changes& changes) {
      changes.put(key("k"), value);
      return Decision::kCommit;
    };
    co_return co_await blind(engine, decide);
  }
  static std::unique_ptr<Engine> open(const std::string& place, size_t lanes = 4,
                                      std::function<CommitFault()> commit_fault = nullptr) {
    FoundationdbOptions options;
    options.place = place;
    options.lanes = lanes;
    options.commit_fault = std::move(commit_fault);
    auto engine = open_foundationdb_engine(options);
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    return std::move(engine).value();
  }
};

TEST_F(OnFoundationdb, WhatIsStoredIsThereForTheNextServer) {
  const std::string place = new_foundationdb_store();
  const std::string large(300'000, 'v');
  {
    const auto engine = open(place);
    put(*engine, "k", "v");
    put(*engine, "large", large);
    append(*engine, "t", large + "e");
    EXPECT_TRUE(engine->health().ok());
  }
  const auto engine = open(place);
  EXPECT_EQ(value_of(*engine, "k"), "v");
  EXPECT_EQ(value_of(*engine, "large"), large);
  EXPECT_EQ(entries_of(read_log(*engine, "t")), std::vector<std::string>{large + "e"});
}

TEST_F(OnFoundationdb, AStoreOfANewerVersionIsRefused) {
  const std::string place = new_foundationdb_store();
  put(*open(place), "k", "v");
  const foundationdb::StoreLocation parsed = foundationdb::StoreLocation::parse(place).value();
  const foundationdb::Cluster cluster = foundationdb::Cluster::open(parsed.cluster_file).value();
  LoopThread loop;
  const auto write_format = [&]() -> Task<int> {
    foundationdb::TxnAttempt attempt(cluster);
    attempt.set(foundationdb::RowKeys(parsed.prefix).format(), "2");
    const foundationdb::Future sent = attempt.commit();
    co_return co_await sent.done(loop);
  };
  while (wait_for(write_format()) != 0) {
  }
  FoundationdbOptions options;
  options.place = place;
  const auto refused = open_foundationdb_engine(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(refused.error().sentence().find("has format 2, which this version does not know"), std::string_view::npos);
}

// Bytes that differ everywhere, so that slices in another order, or of another value, are noticed.
std::string different_bytes(size_t size, uint64_t seed) {
  SeededRandom random(seed);
  std::string bytes;
  while (bytes.size() < size) bytes.push_back(static_cast<char>(random.next()));
  return bytes;
}

TEST_F(OnFoundationdb, SlicesAreTheirRecordsAlone) {
  const auto engine = open(new_foundationdb_store());
  const std::string large = different_bytes(1'000'000, 1);
  const std::string less = different_bytes(200'000, 2);
  put(*engine, "a", large);
  put(*engine, std::string("a\0", 2), less);
  EXPECT_EQ(value_of(*engine, "a"), large);
  const Page both = scan(*engine, {"a", "b"}, Direction::kDescending);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].value, less);
  EXPECT_EQ(both[1].value, large);
  put(*engine, "a", less);
  EXPECT_EQ(value_of(*engine, "a"), less);
  // Whoever has looked knows what there was.
  transact(*engine, {"a"}, [](auto, Changes& changes) {
    changes.put(key("a"), "small");
    return Decision::kCommit;
  });
  put(*engine, "a", different_bytes(95'000, 3));
  EXPECT_EQ(value_of(*engine, "a"), different_bytes(95'000, 3));
  EXPECT_EQ(value_of(*engine, std::string("a\0", 2)), less);
}

TEST_F(OnFoundationdb, LargeEntriesArePagedWhole) {
  const auto engine = open(new_foundationdb_store());
  std::vector<std::string> expected;
  transact(*engine, {}, [&](auto, Changes& changes) {
    expected.clear();
    for (uint64_t i = 0; i < 8; ++i) {
      expected.push_back(different_bytes(i % 2 == 0 ? 250'000 : 100, i));
      changes.append("t", expected.back());
    }
    return Decision::kCommit;
  });
  EXPECT_EQ(entries_of(read_log(*engine, "t")), expected);
  Position after;
  for (const std::string& entry : expected) {
    const auto one = read_log(*engine, "t", after, 1);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].entry, entry);
    after = one[0].position;
  }
  EXPECT_EQ(read_log(*engine, "t", Position{}, 100, 250'001).size(), 2u);
  EXPECT_EQ(read_log(*engine, "t", Position{}, 100, 250'101).size(), 3u);
}

// Several servers at once, each with several on their way.
TEST_F(OnFoundationdb, NoCountIsLostBetweenServers) {
  const std::string place = new_foundationdb_store();
  const std::vector<std::unique_ptr<Engine>> engines = [&] {
    std::vector<std::unique_ptr<Engine>> opened;
    for (int i = 0; i < 3; ++i) opened.push_back(open(place));
    return opened;
  }();
  constexpr int kEach = 100;
  std::vector<std::thread> clients;
  for (int t = 0; t < 9; ++t) {
    clients.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        transact(*engines[static_cast<size_t>(t % 3)], {"n"},
                 [](std::span<const Record* const> found, Changes& changes) {
                   changes.put(key("n"), std::to_string((found[0] == nullptr ? 0 : std::stoi(found[0]->value)) + 1));
                   changes.append("t", found[0] == nullptr ? "0" : found[0]->value);
                   return Decision::kCommit;
                 });
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(value_of(*engines[0], "n"), std::to_string(9 * kEach));
  const std::vector<std::string> counts = entries_of(read_log(*engines[1], "t"));
  ASSERT_EQ(counts.size(), static_cast<size_t>(9 * kEach));
  for (size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], std::to_string(i));
}

// Whether a commit whose answer is lost has happened is found out: it counts once, either way.
TEST_F(OnFoundationdb, ACommitWhoseAnswerIsLostIsSettled) {
  std::atomic<CommitFault> next{CommitFault::kNothing};
  const auto engine = open(new_foundationdb_store(), 1, [&] { return next.exchange(CommitFault::kNothing); });
  int count = 0;
  for (const CommitFault commit_fault :
       {CommitFault::kNothing, CommitFault::kAnswer, CommitFault::kCommit, CommitFault::kLate, CommitFault::kAnswer,
        CommitFault::kNothing, CommitFault::kLate}) {
    next = commit_fault;
    // Nothing of its records says what became of it.
    const auto outcome = transact(*engine, {}, [](auto, Changes& changes) {
      changes.append("t", "e");
      return Decision::kCommit;
    });
    EXPECT_EQ(outcome, Outcome::kCommitted);
    EXPECT_EQ(next, CommitFault::kNothing);
    EXPECT_EQ(read_log(*engine, "t").size(), static_cast<size_t>(++count));
  }
}

// As who mistyped a prefix finds out, twice: the first time made nothing.
TEST_F(OnFoundationdb, NoStoreIsMadeOfOneThatHasToBeThere) {
  const std::string place = new_foundationdb_store();
  FoundationdbOptions options = beating(place, kQuick);
  options.makes = false;
  for (int time = 0; time < 2; ++time) {
    const auto refused = open_exclusive_foundationdb_engine(options);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
    EXPECT_TRUE(refused.error().sentence().starts_with("There is no store with the prefix "));
  }
  put(*open(place), "k", "v");
  const auto held = open_exclusive_foundationdb_engine(options);
  ASSERT_TRUE(held.ok()) << held.error().sentence();
  EXPECT_EQ(value_of(*held->engine, "k"), "v");
}

TEST_F(OnFoundationdb, AStoreIsHeldByOneOnly) {
  const std::string place = new_foundationdb_store();
  {
    const auto server = open_foundationdb_engine(beating(place, kQuick)).value();
    put(*server, "k", "v");
    const auto refused = open_exclusive_foundationdb_engine(beating(place, kQuick));
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().sentence().find("stop them first"), std::string::npos);
    put(*server, "k", "w");
  }
  {
    // Who has left is not waited for.
    auto held = open_exclusive_foundationdb_engine(beating(place, kSilent));
    ASSERT_TRUE(held.ok()) << held.error().sentence();
  }
  auto held = open_exclusive_foundationdb_engine(beating(place, kQuick));
  ASSERT_TRUE(held.ok()) << held.error().sentence();
  EXPECT_EQ(value_of(*held->engine, "k"), "w");
  put(*held->engine, "k", "x");
  erase(*held->engine, "other");
  trim(*held->engine, "t", kLastPosition);
  for (const auto& other : {open_foundationdb_engine(beating(place, kQuick)).error(),
                            open_exclusive_foundationdb_engine(beating(place, kQuick)).error()}) {
    EXPECT_EQ(other.kind(), ErrorKind::kUnavailable) << other.sentence();
  }
  EXPECT_TRUE(held->check().ok());
  held->engine.reset();
  const auto server = open_foundationdb_engine(beating(place, kSilent)).value();
  EXPECT_EQ(value_of(*server, "k"), "x");
}

// A server that was taken for gone, and is not: it changes nothing meanwhile, and goes on afterwards.
TEST_F(OnFoundationdb, WhoWasTakenForGoneChangesNothing) {
  const std::string place = new_foundationdb_store();
  const auto silent = open_foundationdb_engine(beating(place, kSilent)).value();
  put(*silent, "k", "v");
  append(*silent, "t", "e");
  auto held = open_exclusive_foundationdb_engine(beating(place, kQuick));
  ASSERT_TRUE(held.ok()) << held.error().sentence();
  const auto put_late = wait_for(put_again(*silent, "late"));
  ASSERT_FALSE(put_late.ok());
  EXPECT_NE(put_late.error().sentence().find("being copied"), std::string::npos) << put_late.error().sentence();
  EXPECT_FALSE(wait_for(silent->trim_log("t", kLastPosition)).ok());
  EXPECT_FALSE(wait_for(silent->forget_log("t")).ok());
  EXPECT_FALSE(wait_for(silent->erase_range({})).ok());
  EXPECT_EQ(value_of(*held->engine, "k"), "v");
  EXPECT_EQ(entries_of(read_log(*held->engine, "t")), std::vector<std::string>{"e"});
  EXPECT_TRUE(held->check().ok());
  held->engine.reset();
  put(*silent, "k", "later");
  EXPECT_EQ(value_of(*silent, "k"), "later");
}

// What it was told before it sent its commit is not so any more.
TEST_F(OnFoundationdb, ACommitThatComesBehindAHoldDoesNotHappen) {
  const std::string place = new_foundationdb_store();
  ExclusiveEngine held;
  FoundationdbOptions options = beating(place, kSilent);
  options.commit_fault = [&] {
    if (held.engine == nullptr) held = open_exclusive_foundationdb_engine(beating(place, kQuick)).value();
    return CommitFault::kNothing;
  };
  const auto silent = open_foundationdb_engine(options).value();
  EXPECT_FALSE(wait_for(put_again(*silent, "late")).ok());
  EXPECT_EQ(value_of(*held.engine, "k"), std::nullopt);
}

// A copy that was taken for gone, and is not.
TEST_F(OnFoundationdb, AHoldThatWasLostIsNoticed) {
  const std::string place = new_foundationdb_store();
  auto held = open_exclusive_foundationdb_engine(beating(place, kSilent));
  ASSERT_TRUE(held.ok()) << held.error().sentence();
  put(*held->engine, "k", "v");
  const auto server = open_foundationdb_engine(beating(place, kQuick));
  ASSERT_TRUE(server.ok()) << server.error().sentence();
  put(*server.value(), "k", "w");
  const auto late = wait_for(put_again(*held->engine, "late"));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().kind(), ErrorKind::kUnavailable);
  EXPECT_FALSE(held->check().ok());
  held->engine.reset();
  EXPECT_EQ(value_of(*server.value(), "k"), "w");
  put(*server.value(), "k", "x");
}

TEST_F(OnFoundationdb, CountsItselfForAnOperator) {
  if (std::getenv("PARTITA_FDB_FAULTS") != nullptr) GTEST_SKIP() << "what fails is counted too";
  const auto engine = open(new_foundationdb_store());
  put(*engine, "k", "v");
  put(*engine, "k", "w");
  EXPECT_EQ(value_of(*engine, "k"), "w");
  Exposition out;
  engine->report(out);
  const std::string said = std::move(out).take();
  const auto has = [&](const std::string& line) { return said.find("\n" + line + "\n") != std::string::npos; };
  EXPECT_TRUE(has("partita_store_reads_total{from=\"store\"} 1")) << said;
  EXPECT_TRUE(has("partita_store_read_seconds_count 1")) << said;
  EXPECT_TRUE(has("partita_store_group_transactions_sum 2")) << said;
  EXPECT_FALSE(has("partita_store_commit_seconds_count 0")) << said;
  EXPECT_NE(said.find("partita_store_retries_total"), std::string::npos);
}

// In company they are more than FoundationDB takes at once.
TEST_F(OnFoundationdb, ManyLargeTransactionsAtOnceAllFit) {
  const auto engine = open(new_foundationdb_store(), 1);
  std::vector<std::thread> clients;
  for (int t = 0; t < 6; ++t) {
    clients.emplace_back([&, t] {
      transact(*engine, {}, [t](auto, Changes& changes) {
        for (int i = 0; i < (t % 2 == 0 ? 1 : 7); ++i) {
          changes.put(key(std::to_string(t) + "/" + std::to_string(i)), std::string(1'000'000, 'v'));
        }
        return Decision::kCommit;
      });
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(scan(*engine, {"", ""}, Direction::kAscending, 1'000, 1'000).size(), 1u);
  size_t rows = 0;
  Range left{"", ""};
  for (;;) {
    const Page page = scan(*engine, left, Direction::kAscending, 4);
    rows += page.size();
    if (!page.more) break;
    left.begin = keys_of(page).back() + '\0';
  }
  EXPECT_EQ(rows, 24u);
}

}  // namespace
}  // namespace partita::contract
