// What waits in the embedded engine, for what, and how it ends: latches, the queue before the disk, a disk that fails.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <mutex>
#include <new>
#include <thread>

#include "base/bytes.h"
#include "contract.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "faulty_files.h"

namespace partita::contract {
namespace {

using namespace storage;
using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

// Holds up every sync of a log until it is opened, and may let it fail then. Its rule may outlive it: a store goes on
// syncing, to recover.
class Gate {
 public:
  explicit Gate(FaultyFiles& files, FaultyFiles::Rule others = nullptr) : files_(files) {
    files_.set_rule([state = state_, others = std::move(others)](FileAct act, std::string_view file) {
      if (act != FileAct::kSync || file.find(".log") == std::string_view::npos) {
        return others ? others(act, file) : FaultyFiles::IOStatus::OK();
      }
      return state->pass();
    });
  }
  ~Gate() {
    files_.heal();
    state_->open(false);
  }
  void wait_for_one() { state_->wait_for_one(); }
  void let_one_through() { state_->let_one_through(); }
  void open(bool fails = false) { state_->open(fails); }

 private:
  class State {
   public:
    FaultyFiles::IOStatus pass() {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_ || let_through_ > 0; });
      --waiting_;
      if (!open_) --let_through_;
      return fails_ ? FaultyFiles::broken() : FaultyFiles::IOStatus::OK();
    }
    void wait_for_one() {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return waiting_ > 0; });
    }
    void let_one_through() {
      std::lock_guard lock(mutex_);
      ++let_through_;
      changed_.notify_all();
    }
    void open(bool fails) {
      std::lock_guard lock(mutex_);
      open_ = true;
      fails_ = fails;
      changed_.notify_all();
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int waiting_ = 0;
    int let_through_ = 0;
    bool open_ = false;
    bool fails_ = false;
  };

  FaultyFiles& files_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

// A call under way.
struct Call {
  std::shared_ptr<std::promise<Result<Outcome>>> promise = std::make_shared<std::promise<Result<Outcome>>>();
  std::future<Result<Outcome>> future = promise->get_future();
  bool is_done() const { return future.wait_for(0s) == std::future_status::ready; }
  bool is_still_waiting() const { return future.wait_for(50ms) != std::future_status::ready; }
  Outcome outcome() { return future.get().value(); }
  ErrorKind error() { return future.get().error().kind(); }
};

Call begin(Engine& engine, const std::optional<std::string>& name, Decide decide) {
  Call call;
  std::vector<Key> keys;
  if (name) keys.push_back(key(*name));
  start(engine.transact(std::move(keys), {}, std::move(decide)),
        [promise = call.promise](Result<Outcome> outcome) { promise->set_value(std::move(outcome)); });
  return call;
}

Decide put_value(std::string name, std::string value) {
  return [=](auto, Changes& changes) { return changes.put(key(name), value), Decision::kCommit; };
}

Decide put_size(std::string name, size_t bytes) {
  return [=](auto, Changes& changes) {
    changes.put(key(name), std::string(bytes, 'v'));
    changes.append("order", name);
    return Decision::kCommit;
  };
}

class Waiting : public testing::Test {
 protected:
  std::unique_ptr<Engine> open(size_t queue_bytes = size_t{32} << 20, size_t cache_bytes = size_t{8} << 20) {
    RocksdbOptions options;
    options.directory = path();
    options.files = files_;
    options.queue_bytes = queue_bytes;
    options.block_cache_bytes = cache_bytes;
    auto engine = open_rocksdb_engine(options);
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    put(**engine, "first", "1");  // what the opening leaves to sync is synced
    return std::move(engine).value();
  }
  std::string path() const { return (directory_.path() / "store").string(); }
  static void wait_until_healthy(const Engine& engine) {
    for (int i = 0; i < 1000 && !engine.health().ok(); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(engine.health().ok());
  }

  TempDirectory directory_;
  std::shared_ptr<FaultyFiles> files_ = std::make_shared<FaultyFiles>();
};

// ---- Latches

// A transaction on `names` that holds their latches until it is let go.
class Holder {
 public:
  Holder(Engine& engine, Strings names)
      : thread_([&engine, this, names = std::move(names)] {
          transact(engine, names, [&](auto, Changes&) {
            held_.set_value();
            end_.get_future().wait();
            return Decision::kRefuse;
          });
        }) {
    held_.get_future().wait();
  }
  ~Holder() { let_go(); }
  void let_go() {
    if (!thread_.joinable()) return;
    end_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> held_;
  std::promise<void> end_;
  std::thread thread_;
};

// One that evaluates for long holds up those on its keys, in order, and nobody's thread.
TEST_F(Waiting, ALatchIsWaitedForInOrderAndWithoutAThread) {
  const auto engine = open();
  LoopThread loop;
  std::atomic<int> left{20};
  std::promise<void> finished;
  std::promise<void> other;
  {
    Holder holder(*engine, {"k"});
    loop.post([&] {
      for (int i = 0; i < 20; ++i) {
        const Decide decide = [i](auto, Changes& changes) {
          changes.append("order", std::to_string(i));
          return Decision::kCommit;
        };
        std::vector<Key> keys{key("k")};
        start(engine->transact(std::move(keys), {}, decide), [&](Result<Outcome> outcome) {
          EXPECT_TRUE(outcome.ok());
          EXPECT_EQ(std::this_thread::get_id(), loop.id());
          if (--left == 0) finished.set_value();
        });
      }
      std::vector<Key> keys{key("another")};
      start(engine->transact(std::move(keys), {}, put_value("another", "1")),
            [&](const Result<Outcome>&) { other.set_value(); });
    });
    EXPECT_EQ(other.get_future().wait_for(10s), std::future_status::ready) << "the loop's thread is stuck";
    EXPECT_EQ(left, 20);
  }
  finished.get_future().wait();
  Strings expected;
  for (int i = 0; i < 20; ++i) expected.push_back(std::to_string(i));
  EXPECT_EQ(entries_of(read_log(*engine, "order")), expected);
}

// Waiting for many keys gets its turn however busy each of them is.
TEST_F(Waiting, ManyKeysAreNotStarvedByFew) {
  const auto engine = open();
  constexpr int kKeys = 8;
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int t = 0; t < 4; ++t) {
    busy.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) {
        const std::string name = "k" + std::to_string((t + i) % kKeys);
        transact(*engine, {name}, put_value(name, "few"));
      }
    });
  }
  Strings all;
  for (int i = 0; i < kKeys; ++i) all.push_back("k" + std::to_string(i));
  for (int i = 0; i < 50; ++i) {
    transact(*engine, all, [&](auto, Changes& changes) {
      for (const std::string& name : all) changes.put(key(name), "many");
      return Decision::kCommit;
    });
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
}

// Rows that were erased take time to step over, which is not the calling thread's.
TEST_F(Waiting, ScansOverManyErasedRowsGoOnOnAWorker) {
  const auto engine = open();
  constexpr int kRows = 30'000;
  for (const bool erases : {false, true}) {
    transact(*engine, {}, [&](auto, Changes& changes) {
      for (int i = 0; i < kRows; ++i) {
        erases ? changes.erase(key("k" + std::to_string(i))) : changes.put(key("k" + std::to_string(i)), "v");
      }
      return Decision::kCommit;
    });
  }
  put(*engine, "last", "1");
  LoopThread loop;
  for (const std::string begin : {"k", "l"}) {
    std::promise<void> finished;
    const size_t before = loop.resumed();
    loop.post([&] {
      start(engine->scan({begin, "z"}, Direction::kAscending, 1, 1000), [&](const Result<Page>& page) {
        EXPECT_EQ(keys_of(page.value()), (Strings{"last"}));
        finished.set_value();
      });
    });
    finished.get_future().wait();
    EXPECT_EQ(loop.resumed() > before, begin == "k");
  }
}

// ---- What is not durable yet

TEST_F(Waiting, ARefusalThatRestsOnAPendingWriteWaitsForIt) {
  const auto engine = open();
  Gate gate(*files_);
  Call writing = begin(*engine, "k", put_value("k", "1"));
  gate.wait_for_one();
  bool seen = false;
  Call refused = begin(*engine, "k", [&](std::span<const Record* const> found, Changes&) {
    seen = found[0] != nullptr && found[0]->value == "1";
    return Decision::kRefuse;
  });
  Call unrelated = begin(*engine, "other", [](auto, Changes&) { return Decision::kRefuse; });
  EXPECT_EQ(unrelated.outcome(), Outcome::kRefused);
  EXPECT_TRUE(refused.is_still_waiting());
  gate.open();
  EXPECT_EQ(refused.outcome(), Outcome::kRefused);
  EXPECT_EQ(writing.outcome(), Outcome::kCommitted);
  EXPECT_TRUE(seen);
}

TEST_F(Waiting, ARefusalThatRestsOnALostWriteIsNone) {
  const auto engine = open();
  Gate gate(*files_);
  Call writing = begin(*engine, "k", put_value("k", "1"));
  gate.wait_for_one();
  Call refused = begin(*engine, "k", [](auto, Changes&) { return Decision::kRefuse; });
  gate.open(true);
  EXPECT_EQ(writing.error(), ErrorKind::kUnknown);
  EXPECT_EQ(refused.error(), ErrorKind::kUnavailable);
  gate.open();
  wait_until_healthy(*engine);
  EXPECT_EQ(value_of(*engine, "k"), std::nullopt);
}

// Both wait at once, but are too much for one write: what the first wrote must not rest on the second.
TEST_F(Waiting, AWriteThatIsWrittenAgainBehindItIsKeptWhenThatIsLost) {
  const auto engine = open();
  Gate gate(*files_);
  Call blocking = begin(*engine, "other", put_value("other", "1"));
  gate.wait_for_one();
  Call first = begin(*engine, "k", [](auto, Changes& changes) {
    changes.put(key("k"), "1");
    changes.put(key("fill"), std::string(9 << 20, 'x'));
    return Decision::kCommit;
  });
  Call second = begin(*engine, "k", put_value("k", "2"));
  gate.let_one_through();
  EXPECT_EQ(blocking.outcome(), Outcome::kCommitted);
  gate.wait_for_one();
  gate.let_one_through();
  EXPECT_EQ(first.outcome(), Outcome::kCommitted);
  gate.wait_for_one();
  gate.open(true);
  EXPECT_EQ(second.error(), ErrorKind::kUnknown);
  gate.open();
  wait_until_healthy(*engine);
  EXPECT_EQ(value_of(*engine, "k"), "1");
}

// Whoever is told that a description is stale reads it next.
TEST_F(Waiting, StaleWaitsUntilTheChangeCanBeRead) {
  const auto engine = open();
  put(*engine, "d", "old");
  const Version old = get(*engine, "d")->version;
  Gate gate(*files_);
  Call changing = begin(*engine, "d", put_value("d", "new"));
  gate.wait_for_one();
  Call stale;
  start(engine->transact({}, {{key("d"), old}}, put_value("k", "by the old one")),
        [promise = stale.promise](Result<Outcome> outcome) { promise->set_value(std::move(outcome)); });
  EXPECT_TRUE(stale.is_still_waiting());
  gate.open();
  EXPECT_EQ(stale.outcome(), Outcome::kStale);
  EXPECT_EQ(value_of(*engine, "d"), "new");
  EXPECT_EQ(value_of(*engine, "k"), std::nullopt);
}

// Whoever looked into the store first would find neither: the write is durable, and so pending no more, by the time
// that the store, which did not have it, has answered.
TEST_F(Waiting, WhatBecomesDurableMeanwhileIsSeen) {
  {
    const auto engine = open();
    put(*engine, "k", "old");
    put(*engine, "fill", std::string(10 << 20, 'x'));  // so that closing writes tables
  }
  const auto engine = open(size_t{32} << 20, 1);  // no cache: reads wait for the disk
  std::promise<void> durable;
  EXPECT_EQ(value_of(*engine, "k"), "old");  // from here on a read of it is one read of a table
  // The first read is the one that warms the cache before there are latches.
  std::atomic<int> reads{0};
  Gate gate(*files_, [&reads, is_durable = durable.get_future().share()](FileAct act, std::string_view file) {
    const bool of_table = act == FileAct::kRead && file.find(".sst") != std::string_view::npos;
    if (of_table && ++reads > 1) is_durable.wait();
    return FaultyFiles::IOStatus::OK();
  });
  Call writing = begin(*engine, std::nullopt, put_value("k", "new"));
  gate.wait_for_one();
  std::string seen;
  Call looking = begin(*engine, "k", [&](std::span<const Record* const> found, Changes&) {
    seen = found[0]->value;
    return Decision::kRefuse;
  });
  gate.open();
  EXPECT_EQ(writing.outcome(), Outcome::kCommitted);
  durable.set_value();
  EXPECT_EQ(looking.outcome(), Outcome::kRefused);
  EXPECT_EQ(seen, "new");
}

// ---- A disk that fails

// One write carries many commits, and every one of them shares its fate.
TEST_F(Waiting, EveryCommitOfAFailedBatchIsUnknown) {
  const auto engine = open();
  Gate gate(*files_);
  Call first = begin(*engine, "first", put_value("first", "1"));
  gate.wait_for_one();
  std::vector<Call> batch;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "k" + std::to_string(i);
    batch.push_back(begin(*engine, name, put_value(name, "1")));
  }
  for (const Call& call : batch) EXPECT_FALSE(call.is_done());
  gate.let_one_through();
  EXPECT_EQ(first.outcome(), Outcome::kCommitted);
  gate.open(true);
  for (Call& call : batch) EXPECT_EQ(call.error(), ErrorKind::kUnknown);
  EXPECT_EQ(value_of(*engine, "first"), "1");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(value_of(*engine, "k" + std::to_string(i)), std::nullopt);
  const auto refused = wait_for(blind(*engine, put_value("late", "1")));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(engine->health().error().kind(), ErrorKind::kUnavailable);
  gate.open();
  wait_until_healthy(*engine);
}

// ---- Memory

// Writers behind a slow disk wait without holding what they are going to write, whoever is first is served first, and
// one that is larger than the queue gets its turn too.
TEST_F(Waiting, ASlowDiskBoundsWhatIsQueued) {
  constexpr size_t kQueueBytes = 1 << 20;
  constexpr size_t kValueBytes = 200 << 10;
  const auto engine = open(kQueueBytes);
  Gate gate(*files_);
  std::vector<Call> calls;
  calls.push_back(begin(*engine, "first", put_size("first", kValueBytes)));
  gate.wait_for_one();
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  Strings order{"first"};
  for (int i = 0; i < 100; ++i) {
    const std::string name = "k" + std::to_string(i);
    order.push_back(name);
    calls.push_back(begin(*engine, name, put_size(name, i == 50 ? 3 * kQueueBytes : kValueBytes)));
  }
  const size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  EXPECT_LT(after, before + 2 * kQueueBytes);
  for (const Call& call : calls) EXPECT_FALSE(call.is_done());
  calls.push_back(begin(*engine, "small", put_size("small", 1)));
  order.push_back("small");
  gate.open();
  for (Call& call : calls) EXPECT_EQ(call.outcome(), Outcome::kCommitted);
  // Those that got room together may overtake one another.
  const Strings log = entries_of(read_log(*engine, "order"));
  ASSERT_EQ(log.size(), order.size());
  for (ptrdiff_t i = 0; i < std::ssize(order); ++i) {
    EXPECT_LT(std::abs(std::ranges::find(log, order[static_cast<size_t>(i)]) - log.begin() - i), 12) << i;
  }
}

// True when memory ran out.
Task<bool> run_out_of_memory(Engine& engine) {
  std::vector<Key> keys{key("second")};
  std::vector<Compare> none;
  Decide decide = [](auto, Changes&) -> Decision { std::rethrow_exception(std::make_exception_ptr(std::bad_alloc())); };
  try {
    static_cast<void>(co_await engine.transact(std::move(keys), std::move(none), std::move(decide)));
  } catch (const std::bad_alloc&) {
    co_return true;
  }
  co_return false;
}

TEST_F(Waiting, LatchesAndRoomAreGivenBackWhenMemoryRunsOut) {
  constexpr size_t kQueueBytes = 1 << 20;
  const auto engine = open(kQueueBytes);
  Gate gate(*files_);
  Call first = begin(*engine, "first", put_size("first", kQueueBytes));
  gate.wait_for_one();
  const auto ran_out = std::make_shared<std::promise<bool>>();
  start(run_out_of_memory(*engine), [ran_out](bool value) { ran_out->set_value(value); });
  gate.open();
  EXPECT_EQ(first.outcome(), Outcome::kCommitted);
  EXPECT_TRUE(ran_out->get_future().get());
  // What fills the queue alone needs all of its room; the engine's end checks that none is missing.
  EXPECT_EQ(begin(*engine, "second", put_size("second", kQueueBytes)).outcome(), Outcome::kCommitted);
}

// ---- Space

uint64_t table_bytes(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::error_code gone;
    const auto size = entry.path().extension() == ".sst" ? entry.file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

TEST_F(Waiting, WhatIsErasedGivesItsSpaceBack) {
  Random& random = system_random();
  const auto noise = [&] {
    std::string value;
    while (value.size() < 100'000) append_u64(value, random.next());
    return value;
  };
  {
    const auto engine = open();
    for (int i = 0; i < 120; ++i) {
      put(*engine, "a" + std::to_string(i), noise());
      append(*engine, "t", noise());
    }
    put(*engine, "b", "stays");
    append(*engine, "u", "stays");
  }
  const auto engine = open();
  EXPECT_GT(table_bytes(path()), 20u << 20);
  ASSERT_TRUE(wait_for(engine->erase_range({"a", "b"})).ok());
  forget(*engine, "t");
  for (int i = 0; i < 500 && table_bytes(path()) > (1u << 20); ++i) std::this_thread::sleep_for(20ms);
  EXPECT_LT(table_bytes(path()), 1u << 20);
  EXPECT_EQ(value_of(*engine, "b"), "stays");
  EXPECT_EQ(read_log(*engine, "u").size(), 1u);
}

}  // namespace
}  // namespace partita::contract
